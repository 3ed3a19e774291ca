//! `DELETE /accounts/{accountId}/groups/{groupId}`

use super::super::{
    Problem, authentication::ProfilesManage, error, path::GroupPath, request::AccountRequest,
};
use crate::Api;
use axum::{extract::State, http::StatusCode};

/// Remove a group.
///
/// Its profiles stay.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/groups/{groupId}", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(GroupPath),
    responses((status = 204, description = "It is gone."), error::Reading),
)]
pub(crate) async fn remove_group(
    State(api): State<Api>,
    request: AccountRequest<ProfilesManage, GroupPath>,
) -> Result<StatusCode, Problem> {
    let mut tx = request.begin(&api).await?;
    api.faces.remove_group(&mut tx, request.account.id, request.path.group).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
