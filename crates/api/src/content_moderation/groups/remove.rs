//! `DELETE /accounts/{accountId}/groups/{groupId}`

use super::super::{
    ModerationApiError, authentication::ProfilesManage, error, path::GroupPath, request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};

/// Remove a group.
///
/// Its profiles stay.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/groups/{groupId}", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(GroupPath),
    responses((status = 204, description = "The group is removed."), error::ReadErrors),
)]
pub(crate) async fn remove_group(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesManage, GroupPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    api.faces.remove_group(&mut tx, request.account.id, request.path.group).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
