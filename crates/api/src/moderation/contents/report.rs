//! `POST /accounts/{accountId}/contents/{id}/reports`

use super::super::{
    Problem,
    authentication::ReportsManage,
    created::Created,
    error,
    path::ContentPath,
    request::{AccountRequest, Payload, Sent},
    violations::Violations,
};
use crate::{
    Api,
    http::idempotency::{IdempotencyKeyHeader, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use domain::content::reports;
use utoipa::ToSchema;

/// What is wrong with a content.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewReport {
    /// Why somebody should look at it.
    #[schema(value_type = String, min_length = 1, max_length = 500)]
    reason: Option<String>,
}

impl Payload for NewReport {
    type Command = String;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<String> {
        violations.required("reason", self.reason)
    }
}

/// Report a content.
#[utoipa::path(
    post, path = "/accounts/{accountId}/contents/{id}/reports", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ContentPath, IdempotencyKeyHeader),
    request_body(content = NewReport, example = json!({ "reason": "The person in it has not agreed." })),
    responses((status = 201, description = "It is reported.", body = Created), error::Creating),
)]
pub(crate) async fn report_content(
    State(api): State<Api>,
    request: AccountRequest<ReportsManage, ContentPath, Sent<NewReport>>,
) -> Result<Response, Problem> {
    let (account, content) = (request.account.id, request.path.content);
    idempotent(&api, request.identity(), async |tx| {
        request.hold(tx).await?;
        let id = reports::make(tx, &*api.world, account, content, &request.input.command).await?;
        Ok((StatusCode::CREATED, Created::new(id)))
    })
    .await
}
