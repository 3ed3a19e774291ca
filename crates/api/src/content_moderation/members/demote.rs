//! `DELETE /accounts/{accountId}/admin/{memberId}`

use super::super::{
    ModerationApiError, authentication::Administrator, error, path::MemberPath, request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};
use domain::accounts::members;

/// Make an administrator an ordinary member.
///
/// The last administrator cannot be demoted.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/admin/{memberId}", tag = "members", security(("api key" = [], "application" = [])),
    params(MemberPath),
    responses((status = 204, description = "The member is no longer an administrator."), error::DemoteErrors),
)]
pub(crate) async fn demote(
    State(api): State<ApiState>,
    request: AccountRequest<Administrator, MemberPath>,
) -> Result<StatusCode, ModerationApiError> {
    // The rule takes an exclusive lock on the account; a shared lock taken before it could deadlock.
    let mut tx = request.begin(&api).await?;
    members::demote(&mut tx, request.account.id, request.path.member).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
