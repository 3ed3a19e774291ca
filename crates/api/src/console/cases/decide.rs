//! `PUT /console/cases/{caseId}/decision`

use super::request::{CasePath, Command, ReviewerRequest};
use crate::{
    ApiState,
    console::CaseCommandErrors,
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError},
};
use axum::{Json, extract::State};
use base::Timestamp;
use domain::cases::{CaseDecision, OpinionInput};
use utoipa::ToSchema;

/// A decision.
#[derive(serde::Deserialize, ToSchema)]
pub(in crate::console) struct DecideCaseRequest {
    /// One of the case's `decisions`.
    #[schema(value_type = CaseDecision)]
    decision: Option<CaseDecision>,
    /// Why, as one word of capital letters. A decision about a document needs it, or a comment.
    #[schema(max_length = 64, pattern = "^[A-Z0-9_]+$", example = "DATA_MISMATCH")]
    reason_code: Option<String>,
    /// Why, in words. Stored encrypted.
    #[schema(max_length = 500)]
    comment: Option<String>,
    /// How long the reviewer looked at pictures of the case, in seconds.
    #[schema(minimum = 0)]
    exposure_seconds: Option<f64>,
}

impl CommandPayload for DecideCaseRequest {
    type Command = OpinionInput;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<OpinionInput> {
        let decision = violations.required("decision", self.decision)?;
        Some(OpinionInput {
            decision,
            reason_code: self.reason_code,
            comment: self.comment.unwrap_or_default(),
            exposure_seconds: self.exposure_seconds.unwrap_or(0.0),
        })
    }
}

/// A decision that was recorded.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct RecordedDecision {
    /// Until then it can be taken back; nothing of it leaves the server before.
    #[schema(value_type = String, format = DateTime)]
    settles_at: Timestamp,
}

/// Decide a case that the reviewer holds.
#[utoipa::path(
    put, path = "/console/cases/{caseId}/decision", tag = "cases", security(("session" = [], "console" = [])),
    params(CasePath),
    request_body(content = DecideCaseRequest, example = json!({ "decision": "FALSE_ALARM", "exposure_seconds": 3.5 })),
    responses((status = 200, description = "The decision, which takes effect later.", body = RecordedDecision), CaseCommandErrors),
)]
pub(in crate::console) async fn decide_case(
    State(api): State<ApiState>,
    request: ReviewerRequest<CasePath, Command<DecideCaseRequest>>,
) -> Result<Json<RecordedDecision>, ModerationApiError> {
    let mut tx = request.begin(&api).await?;
    let settles_at =
        api.cases.decide(&mut tx, &request.reviewer, request.path.case, &request.input.0).await?;
    tx.commit().await?;
    Ok(Json(RecordedDecision { settles_at }))
}
