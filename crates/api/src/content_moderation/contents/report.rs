//! `POST /accounts/{accountId}/contents/{id}/reports`

use super::super::{
    ModerationApiError,
    authentication::ReportsManage,
    created::CreatedResource,
    error,
    path::ContentPath,
    request::{AccountRequest, CommandPayload, ReceivedCommand},
    violations::CommandViolations,
};
use crate::{
    ApiState,
    http::idempotency::{IdempotencyKeyHeader, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use utoipa::ToSchema;

/// A report on a content.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ReportContentRequest {
    /// Why the content should be reviewed.
    #[schema(value_type = String, min_length = 1, max_length = 500)]
    reason: Option<String>,
}

impl CommandPayload for ReportContentRequest {
    type Command = String;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<String> {
        violations.required("reason", self.reason)
    }
}

/// Report a content.
#[utoipa::path(
    post, path = "/accounts/{accountId}/contents/{id}/reports", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ContentPath, IdempotencyKeyHeader),
    request_body(content = ReportContentRequest, example = json!({ "reason": "The person in it has not agreed." })),
    responses((status = 201, description = "The content is reported.", body = CreatedResource), error::CreateErrors),
)]
pub(crate) async fn report_content(
    State(api): State<ApiState>,
    request: AccountRequest<ReportsManage, ContentPath, ReceivedCommand<ReportContentRequest>>,
) -> Result<Response, ModerationApiError> {
    let (account, content) = (request.account.id, request.path.content);
    idempotent(&api, request.fingerprint(), async |tx| {
        request.lock_account(tx).await?;
        let id = api.content_moderation.report_content(tx, account, content, &request.input.command).await?;
        Ok((StatusCode::CREATED, CreatedResource::new(id)))
    })
    .await
}
