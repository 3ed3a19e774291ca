//! `POST /accounts/{accountId}/groups/{groupId}`

use super::super::{
    Problem,
    authentication::ProfilesManage,
    error,
    path::GroupPath,
    request::{AccountRequest, Payload, Sent},
    violations::Violations,
};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::ProfileId;
use utoipa::ToSchema;

/// A profile for a group.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ProfileToGroup {
    /// The profile.
    #[schema(value_type = Uuid)]
    profile_id: Option<ProfileId>,
}

impl Payload for ProfileToGroup {
    type Command = ProfileId;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<ProfileId> {
        violations.required("profile_id", self.profile_id)
    }
}

/// Put a profile into a group.
///
/// Doing it twice is doing it once.
#[utoipa::path(
    post, path = "/accounts/{accountId}/groups/{groupId}", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(GroupPath),
    request_body = ProfileToGroup,
    responses((status = 204, description = "It is in the group."), error::Writing),
)]
pub(crate) async fn join_group(
    State(api): State<Api>,
    request: AccountRequest<ProfilesManage, GroupPath, Sent<ProfileToGroup>>,
) -> Result<StatusCode, Problem> {
    let mut tx = request.begin(&api).await?;
    api.faces.join(&mut tx, request.account.id, request.path.group, request.input.command).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
