//! `DELETE /accounts/{accountId}`

use super::super::{
    Problem, authentication::Administrator, error, path::AccountPath, request::AccountRequest,
};
use crate::Api;
use axum::{
    extract::State,
    http::{HeaderName, StatusCode, header},
};
use domain::accounts::{Who, closing::NotClosed};

/// Close an account and delete everything under it.
///
/// Members, invitations, contents, profiles, notifications, files, waiting work and messages: everything. From the
/// first moment on the account is not there any more. The answer comes when nothing is left and that is on the disk;
/// where it does not come, because the server broke off, the rest is deleted all the same.
#[utoipa::path(
    delete, path = "/accounts/{accountId}", tag = "accounts", security(("api key" = [], "application" = [])),
    params(AccountPath),
    responses(
        (status = 204, description = "Nothing is left of it.", headers(("Location" = String, description = "Where the deletion receipt is."))),
        error::Reading
    ),
)]
pub(crate) async fn close_account(
    State(api): State<Api>,
    request: AccountRequest<Administrator>,
) -> Result<(StatusCode, [(HeaderName, String); 1]), Problem> {
    let (closing, app, account) = (api.closing.clone(), request.caller.app, request.account.id);
    let by = match request.caller.who {
        Who::Key(key) => format!("api key {key}"),
        Who::Member { .. } => "member".to_owned(),
    };
    // A task of its own: a caller who hangs up does not stop it.
    let closed = tokio::spawn(async move { closing.close(Some(app), account, &by).await }).await;
    match closed {
        Ok(closed) => closed?,
        Err(broken) => return Err(Problem::unavailable(&broken)),
    }
    let receipt = format!("/accounts/{account}/deletion-receipt");
    Ok((StatusCode::NO_CONTENT, [(header::LOCATION, receipt)]))
}

impl From<NotClosed> for Problem {
    fn from(no: NotClosed) -> Self {
        match no {
            NotClosed::Missing => Self::missing("account"),
            other => Self::unavailable(&other),
        }
    }
}
