//! `POST /accounts/{accountId}/groups/{groupId}`

use super::super::{
    ModerationApiError,
    authentication::ProfilesManage,
    error,
    path::GroupPath,
    request::{AccountRequest, CommandPayload, ReceivedCommand},
    violations::CommandViolations,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};
use base::ProfileId;
use utoipa::ToSchema;

/// The profile to put into a group.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct JoinGroupRequest {
    /// The profile.
    #[schema(value_type = Uuid)]
    profile_id: Option<ProfileId>,
}

impl CommandPayload for JoinGroupRequest {
    type Command = ProfileId;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<ProfileId> {
        violations.required("profile_id", self.profile_id)
    }
}

/// Put a profile into a group.
///
/// Nothing changes if it is in the group already.
#[utoipa::path(
    post, path = "/accounts/{accountId}/groups/{groupId}", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(GroupPath),
    request_body = JoinGroupRequest,
    responses((status = 204, description = "The profile is in the group."), error::WriteErrors),
)]
pub(crate) async fn join_group(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesManage, GroupPath, ReceivedCommand<JoinGroupRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    api.faces.add_to_group(&mut tx, request.account.id, request.path.group, request.input.command).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
