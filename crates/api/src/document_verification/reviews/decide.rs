//! `PUT /idverify/v1/reviews/{checkId}`

use crate::{
    ApiState,
    document_verification::{
        DocumentApiError, auth::RelyingPartyRequest, error, violations::PayloadViolations,
    },
    http::json,
};
use axum::{extract::State, http::StatusCode};
use domain::{
    Violation,
    document_verification::{reviews::CheckDecision, types::CheckAdvice},
};
use utoipa::ToSchema;

/// A decision.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct DecisionRequest {
    /// The result of the check; upper or lower case.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(value_type = CheckAdvice, required = true)]
    decision: Option<CheckAdvice>,
    /// Why, in words.
    #[schema(value_type = String, min_length = 1, max_length = 1000)]
    reason: Option<String>,
    /// The reason as a code of the interface.
    #[schema(max_length = 64, pattern = "^[A-Z0-9_]+$", example = "DATA_MISMATCH")]
    code: Option<String>,
    /// Who decides.
    #[schema(value_type = String, min_length = 1, max_length = 1000)]
    reviewer: Option<String>,
}

impl DecisionRequest {
    fn into_decision(self, wrong: Vec<Violation>) -> Result<CheckDecision, DocumentApiError> {
        let mut violations = PayloadViolations::new(wrong);
        let decision = CheckDecision {
            value: violations.required("decision", self.decision).unwrap_or(CheckAdvice::NotAvailable),
            reason: self.reason.unwrap_or_default(),
            code: self.code,
            reviewer: self.reviewer.unwrap_or_default(),
        };
        violations.extend(decision.violations());
        violations.into_result()?;
        Ok(decision)
    }
}

/// Decide a check. A reason and the reviewer are required.
#[utoipa::path(
    put, path = "/idverify/v1/reviews/{checkId}", tag = "reviews", security(("signature" = []), ("bearer" = [])),
    params(("checkId" = Uuid, Path, description = "The check.")),
    request_body(
        content = DecisionRequest,
        example = json!({ "decision": "REJECT", "reason": "The portrait was replaced.", "code": "TAMPERED", "reviewer": "r.lind" }),
    ),
    responses((status = 204, description = "The check is done."), error::DecideReviewErrors),
)]
pub(crate) async fn decide_review(
    State(api): State<ApiState>,
    party: RelyingPartyRequest,
) -> Result<StatusCode, DocumentApiError> {
    let (body, wrong) = party.request.parse_lenient::<DecisionRequest>()?;
    let decision = body.into_decision(wrong)?;
    api.document_verification.decide_review(Some(party.app), party.reviewable_check()?, &decision).await?;
    Ok(StatusCode::NO_CONTENT)
}
