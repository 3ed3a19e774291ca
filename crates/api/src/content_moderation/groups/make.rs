//! `POST /accounts/{accountId}/groups`

use super::super::{
    ModerationApiError,
    authentication::ProfilesManage,
    created::CreatedResource,
    error,
    path::AccountPath,
    request::{AccountRequest, CommandPayload, ReceivedCommand},
    violations::CommandViolations,
};
use crate::{
    ApiState,
    http::idempotency::{IdempotencyKeyHeader, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use utoipa::ToSchema;

/// The group to create.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct CreateGroupRequest {
    /// Its label, unique within the account.
    #[schema(value_type = String, min_length = 1, max_length = 100, example = "Staff")]
    label: Option<String>,
}

impl CommandPayload for CreateGroupRequest {
    type Command = String;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<String> {
        violations.required("label", self.label)
    }
}

/// Create a group.
///
/// A moderation can look for all profiles of a group at once.
#[utoipa::path(
    post, path = "/accounts/{accountId}/groups", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(AccountPath, IdempotencyKeyHeader),
    request_body(content = CreateGroupRequest, example = json!({ "label": "Staff" })),
    responses((status = 201, description = "The group is created.", body = CreatedResource), error::CreateUniqueErrors),
)]
pub(crate) async fn make_group(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesManage, AccountPath, ReceivedCommand<CreateGroupRequest>>,
) -> Result<Response, ModerationApiError> {
    idempotent(&api, request.fingerprint(), async |tx| {
        request.lock_account(tx).await?;
        let id = api.faces.create_group(tx, request.account.id, &request.input.command).await?;
        Ok((StatusCode::CREATED, CreatedResource::new(id)))
    })
    .await
}
