//! `DELETE /accounts/{accountId}`

use super::super::{
    ModerationApiError, authentication::Administrator, error, path::AccountPath, request::AccountRequest,
};
use crate::ApiState;
use axum::{
    extract::State,
    http::{HeaderName, StatusCode, header},
};
use domain::accounts::{PrincipalKind, deletion::AccountDeletionError};

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
        error::ReadErrors
    ),
)]
pub(crate) async fn close_account(
    State(api): State<ApiState>,
    request: AccountRequest<Administrator>,
) -> Result<(StatusCode, [(HeaderName, String); 1]), ModerationApiError> {
    let (closing, app, account) = (api.account_deletion.clone(), request.caller.app, request.account.id);
    let by = match request.caller.kind {
        PrincipalKind::ApiKey(key) => format!("api key {key}"),
        PrincipalKind::Member { .. } => "member".to_owned(),
    };
    // A task of its own: a caller who hangs up does not stop it.
    let closed = tokio::spawn(async move { closing.delete(Some(app), account, &by).await }).await;
    match closed {
        Ok(closed) => closed?,
        Err(broken) => return Err(ModerationApiError::unavailable(&broken)),
    }
    let receipt = format!("/accounts/{account}/deletion-receipt");
    Ok((StatusCode::NO_CONTENT, [(header::LOCATION, receipt)]))
}

impl From<AccountDeletionError> for ModerationApiError {
    fn from(no: AccountDeletionError) -> Self {
        match no {
            AccountDeletionError::Missing => Self::not_found("account"),
            other => Self::unavailable(&other),
        }
    }
}
