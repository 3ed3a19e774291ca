//! `GET /idverify/v1/reviews`

use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::RelyingPartyRequest, error},
};
use axum::{Json, extract::State};
use base::{AppId, DocumentSessionId, Timestamp, VerificationCheckId};
use domain::document_verification::{
    reviews::CheckReview,
    types::{CheckAdvice, VerificationCheckType},
};
use utoipa::ToSchema;

/// Checks that wait for a decision.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ReviewList {
    #[schema(max_items = 200)]
    reviews: Vec<ReviewView>,
}

/// A check that waits, or waited, for a decision.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ReviewView {
    /// The application of the session.
    #[schema(value_type = Uuid)]
    app_id: AppId,
    #[schema(value_type = Uuid)]
    check_id: VerificationCheckId,
    /// Since when it waits.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Absent while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, format = DateTime, required = false)]
    decided_at: Option<Timestamp>,
    /// Absent while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    decision: Option<CheckAdvice>,
    /// What is checked.
    kind: VerificationCheckType,
    /// What this server would decide.
    proposed: CheckAdvice,
    /// The reason for the decision; absent while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reason: Option<String>,
    /// Who decided; absent while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reviewer: Option<String>,
    #[schema(value_type = Uuid)]
    session_id: DocumentSessionId,
}

impl From<CheckReview> for ReviewView {
    fn from(review: CheckReview) -> Self {
        Self {
            app_id: review.app_id,
            check_id: review.check_id,
            created_at: review.created_at,
            decided_at: review.decided_at.map(|at| at.0),
            decision: review.decision.and_then(|word| word.parse().ok()),
            kind: review.kind,
            proposed: review.proposed,
            reason: review.reason,
            reviewer: review.reviewer,
            session_id: review.session_id,
        }
    }
}

/// List the checks that wait for a decision, the longest waiting first.
#[utoipa::path(
    get, path = "/idverify/v1/reviews", tag = "reviews", security(("signature" = []), ("bearer" = [])),
    responses((status = 200, description = "Up to 200 checks.", body = ReviewList), error::RelyingPartyErrors),
)]
pub(crate) async fn list_reviews(
    State(api): State<ApiState>,
    party: RelyingPartyRequest,
) -> Result<Json<ReviewList>, DocumentApiError> {
    // Nobody reviews what the sandbox answers; what waits in production is not the sandbox's to show.
    if party.sandbox {
        return Ok(Json(ReviewList { reviews: Vec::new() }));
    }
    let mut view = api.db.read().await?;
    let open = api.document_verification.list_reviews(&mut view, Some(party.app), false).await?;
    Ok(Json(ReviewList { reviews: open.into_iter().map(Into::into).collect() }))
}
