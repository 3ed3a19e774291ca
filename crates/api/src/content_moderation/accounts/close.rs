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
use tracing::Instrument as _;

/// Close an account and delete everything under it.
///
/// Deletes its members, invitations, contents, profiles, notifications, files, pending jobs and messages. The account
/// is gone from the first moment. The answer is sent once everything is deleted and that is on the disk; if the server
/// stops before that, the deletion is completed afterwards.
#[utoipa::path(
    delete, path = "/accounts/{accountId}", tag = "accounts", security(("api key" = [], "application" = [])),
    params(AccountPath),
    responses(
        (status = 204, description = "The account and everything under it is deleted.", headers(("Location" = String, description = "Where the deletion receipt is."))),
        error::ReadErrors
    ),
)]
pub(crate) async fn close_account(
    State(api): State<ApiState>,
    request: AccountRequest<Administrator>,
) -> Result<(StatusCode, [(HeaderName, String); 1]), ModerationApiError> {
    let closing = api.account_deletion.clone().acting_as(request.caller.audit_actor());
    let (app, account) = (request.caller.app, request.account.id);
    let by = match request.caller.kind {
        PrincipalKind::ApiKey(key) => format!("api key {key}"),
        PrincipalKind::Member { .. } => "member".to_owned(),
    };
    // A task of its own, so that a caller who disconnects does not stop it.
    let close = async move { closing.delete(Some(app), account, &by).await };
    let closed = tokio::spawn(close.in_current_span()).await;
    match closed {
        Ok(closed) => closed?,
        Err(broken) => return Err(ModerationApiError::broken_task(broken)),
    }
    let receipt = format!("/accounts/{account}/deletion-receipt");
    Ok((StatusCode::NO_CONTENT, [(header::LOCATION, receipt)]))
}

impl From<AccountDeletionError> for ModerationApiError {
    fn from(error: AccountDeletionError) -> Self {
        match error {
            AccountDeletionError::Missing => Self::not_found("account"),
            other => Self::unavailable(&other),
        }
    }
}
