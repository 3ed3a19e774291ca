//! `PUT /accounts/{accountId}/contents/{id}/reports/{reportId}`

use super::super::{
    Problem,
    authentication::ContentsReportsModerate,
    error,
    path::ReportPath,
    request::{AccountRequest, Payload, Sent},
    violations::Violations,
};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use domain::content::reports;
use utoipa::ToSchema;

/// What was decided.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ReportResolution {
    /// What is done about it.
    #[schema(value_type = String, min_length = 1, max_length = 500, example = "taken down")]
    resolution: Option<String>,
}

impl Payload for ReportResolution {
    type Command = String;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<String> {
        violations.required("resolution", self.resolution)
    }
}

/// Decide about a report.
#[utoipa::path(
    put, path = "/accounts/{accountId}/contents/{id}/reports/{reportId}", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ReportPath),
    request_body = ReportResolution,
    responses((status = 204, description = "It is decided."), error::Writing),
)]
pub(crate) async fn resolve_report(
    State(api): State<Api>,
    request: AccountRequest<ContentsReportsModerate, ReportPath, Sent<ReportResolution>>,
) -> Result<StatusCode, Problem> {
    let (account, report) = (request.account.id, (request.path.content, request.path.report));
    let mut tx = request.begin(&api).await?;
    reports::resolve(&mut tx, &*api.world, account, report, &request.input.command).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
