//! `POST /accounts/{accountId}/groups`

use super::super::{
    Problem,
    authentication::ProfilesManage,
    created::Created,
    error,
    path::AccountPath,
    request::{AccountRequest, Payload, Sent},
    violations::Violations,
};
use crate::{
    Api,
    http::idempotency::{IdempotencyKeyHeader, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use utoipa::ToSchema;

/// A group to be.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewGroup {
    /// What it is called; no two groups of an account have the same label.
    #[schema(value_type = String, min_length = 1, max_length = 100, example = "Staff")]
    label: Option<String>,
}

impl Payload for NewGroup {
    type Command = String;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<String> {
        violations.required("label", self.label)
    }
}

/// Make a group.
///
/// A moderation can look for all profiles of a group at once.
#[utoipa::path(
    post, path = "/accounts/{accountId}/groups", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(AccountPath, IdempotencyKeyHeader),
    request_body(content = NewGroup, example = json!({ "label": "Staff" })),
    responses((status = 201, description = "It is there.", body = Created), error::CreatingUnique),
)]
pub(crate) async fn make_group(
    State(api): State<Api>,
    request: AccountRequest<ProfilesManage, AccountPath, Sent<NewGroup>>,
) -> Result<Response, Problem> {
    idempotent(&api, request.identity(), async |tx| {
        request.hold(tx).await?;
        let id = api.faces.make_group(tx, request.account.id, &request.input.command).await?;
        Ok((StatusCode::CREATED, Created::new(id)))
    })
    .await
}
