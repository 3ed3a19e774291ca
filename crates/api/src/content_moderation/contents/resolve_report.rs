//! `PUT /accounts/{accountId}/contents/{id}/reports/{reportId}`

use super::super::{
    ModerationApiError,
    authentication::ContentsReportsModerate,
    error,
    path::ReportPath,
    request::{AccountRequest, CommandPayload, ReceivedCommand},
    violations::CommandViolations,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};
use utoipa::ToSchema;

/// The decision on a report.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ResolveReportRequest {
    /// What is done about it.
    #[schema(value_type = String, min_length = 1, max_length = 500, example = "taken down")]
    resolution: Option<String>,
}

impl CommandPayload for ResolveReportRequest {
    type Command = String;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<String> {
        violations.required("resolution", self.resolution)
    }
}

/// Decide on a report.
#[utoipa::path(
    put, path = "/accounts/{accountId}/contents/{id}/reports/{reportId}", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ReportPath),
    request_body = ResolveReportRequest,
    responses((status = 204, description = "The report is decided."), error::WriteErrors),
)]
pub(crate) async fn resolve_report(
    State(api): State<ApiState>,
    request: AccountRequest<ContentsReportsModerate, ReportPath, ReceivedCommand<ResolveReportRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    let (account, report) = (request.account.id, (request.path.content, request.path.report));
    let mut tx = request.begin_locked(&api).await?;
    api.content_moderation.resolve_report(&mut tx, account, report, &request.input.command).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
