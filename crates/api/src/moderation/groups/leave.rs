//! `DELETE /accounts/{accountId}/groups/{groupId}/profiles/{profileId}`

use super::super::{
    Problem, authentication::ProfilesManage, error, path::GroupProfilePath, request::AccountRequest,
};
use crate::Api;
use axum::{extract::State, http::StatusCode};

/// Take a profile out of a group.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/groups/{groupId}/profiles/{profileId}", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(GroupProfilePath),
    responses((status = 204, description = "It is not in the group."), error::Reading),
)]
pub(crate) async fn leave_group(
    State(api): State<Api>,
    request: AccountRequest<ProfilesManage, GroupProfilePath>,
) -> Result<StatusCode, Problem> {
    let mut tx = request.begin(&api).await?;
    api.faces.leave(&mut tx, request.account.id, request.path.group, request.path.profile).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
