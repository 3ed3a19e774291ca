//! `DELETE /accounts/{accountId}/members/{memberId}`

use super::super::{
    ModerationApiError, authentication::MembersManage, error, path::MemberPath, request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};
use domain::accounts::members;

/// Remove a member.
///
/// Their sessions end. Only an administrator can remove an administrator; the last one cannot be removed.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/members/{memberId}", tag = "members", security(("api key" = [], "application" = [])),
    params(MemberPath),
    responses((status = 204, description = "The member is removed."), error::DemoteErrors),
)]
pub(crate) async fn remove_member(
    State(api): State<ApiState>,
    request: AccountRequest<MembersManage, MemberPath>,
) -> Result<StatusCode, ModerationApiError> {
    // The rule takes an exclusive lock on the account; a shared lock taken before it could deadlock.
    let mut tx = request.begin(&api).await?;
    members::remove(&mut tx, request.account.id, request.path.member, request.caller.admin).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
