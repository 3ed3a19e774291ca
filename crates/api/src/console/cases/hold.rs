//! `POST /console/cases/{caseId}/hold`

use super::request::{CasePath, Command, ReviewerRequest};
use crate::{
    ApiState,
    console::CaseCommandErrors,
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError},
};
use axum::{extract::State, http::StatusCode};
use base::Timestamp;
use domain::cases::HoldRequest;
use utoipa::ToSchema;

/// Until when, and why.
#[derive(serde::Deserialize, ToSchema)]
pub(in crate::console) struct HoldCaseRequest {
    /// When it comes back, at most 31 days from now.
    #[schema(value_type = String, format = DateTime)]
    until: Option<Timestamp>,
    /// What others should know.
    #[schema(max_length = 500)]
    note: Option<String>,
}

impl CommandPayload for HoldCaseRequest {
    type Command = HoldRequest;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<HoldRequest> {
        let until = violations.required("until", self.until)?;
        Some(HoldRequest { until, note: self.note.unwrap_or_default() })
    }
}

/// Put a case on hold; it comes back to its queue by itself.
#[utoipa::path(
    post, path = "/console/cases/{caseId}/hold", tag = "cases", security(("session" = [], "console" = [])),
    params(CasePath),
    request_body(content = HoldCaseRequest, example = json!({ "until": "2026-01-17T09:00:00Z", "note": "The uploader was asked for the original." })),
    responses((status = 204, description = "The case is on hold."), CaseCommandErrors),
)]
pub(in crate::console) async fn hold_case(
    State(api): State<ApiState>,
    request: ReviewerRequest<CasePath, Command<HoldCaseRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin(&api).await?;
    api.cases.hold(&mut tx, &request.reviewer, request.path.case, &request.input.0).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
