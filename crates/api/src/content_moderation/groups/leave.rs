//! `DELETE /accounts/{accountId}/groups/{groupId}/profiles/{profileId}`

use super::super::{
    ModerationApiError, authentication::ProfilesManage, error, path::GroupProfilePath,
    request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};

/// Take a profile out of a group.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/groups/{groupId}/profiles/{profileId}", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(GroupProfilePath),
    responses((status = 204, description = "The profile is not in the group."), error::ReadErrors),
)]
pub(crate) async fn leave_group(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesManage, GroupProfilePath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    api.faces
        .remove_from_group(&mut tx, request.account.id, request.path.group, request.path.profile)
        .await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
