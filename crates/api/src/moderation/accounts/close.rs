//! `DELETE /accounts/{accountId}`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::Api;
use axum::{
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use base::AccountId;
use domain::accounts::{Who, closing::NotClosed};

/// Close an account and delete everything under it.
///
/// Members, invitations, contents, profiles, notifications, files, waiting work and messages: everything. From the
/// first moment on the account is not there any more. The answer comes when nothing is left and that is on the disk;
/// where it does not come, because the server broke off, the rest is deleted all the same.
#[utoipa::path(
    delete, path = "/accounts/{accountId}", tag = "accounts", security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account.")),
    responses((status = 204, description = "Nothing is left of it. `Location` leads to the deletion receipt."), Problem),
)]
pub(crate) async fn close_account(
    State(api): State<Api>,
    caller: Caller,
    Ids(id): Ids<AccountId>,
) -> Result<Response, Problem> {
    caller.administers()?;
    let account = caller.account(&mut api.db.read().await?, id).await?;
    let (closing, app) = (api.closing.clone(), caller.0.app);
    let by = match caller.0.who {
        Who::Key(key) => format!("api key {key}"),
        Who::Member { .. } => "member".to_owned(),
    };
    // A task of its own: a caller who hangs up does not stop it.
    let closed = tokio::spawn(async move { closing.close(Some(app), account.id, &by).await }).await;
    match closed {
        Ok(closed) => closed?,
        Err(broken) => return Err(Problem::unavailable(&broken)),
    }
    let receipt = format!("/accounts/{id}/deletion-receipt");
    Ok((StatusCode::NO_CONTENT, [(header::LOCATION, receipt)]).into_response())
}

impl From<NotClosed> for Problem {
    fn from(no: NotClosed) -> Self {
        match no {
            NotClosed::Missing => Self::missing("account"),
            other => Self::unavailable(&other),
        }
    }
}
