//! `GET /idverify/v1/reviews/{checkId}`

use super::list::ReviewView;
use crate::{
    ApiState,
    document_verification::{
        DocumentApiError, auth::RelyingPartyRequest, error, sessions::view::CheckReport,
    },
};
use axum::{Json, extract::State};
use domain::document_verification::DocumentSessionError;
use utoipa::ToSchema;

/// A check that waits for a decision, with this server's report.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ReviewWithReport {
    /// The report so far; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    report: Option<CheckReport>,
    review: ReviewView,
}

/// Read a check that waits for a decision, with this server's report.
#[utoipa::path(
    get, path = "/idverify/v1/reviews/{checkId}", tag = "reviews", security(("signature" = []), ("bearer" = [])),
    params(("checkId" = Uuid, Path, description = "The check.")),
    responses((status = 200, description = "The review and the report so far.", body = ReviewWithReport), error::ShowReviewErrors),
)]
pub(crate) async fn show_review(
    State(api): State<ApiState>,
    party: RelyingPartyRequest,
) -> Result<Json<ReviewWithReport>, DocumentApiError> {
    let found = api.document_verification.find_review(Some(party.app), party.reviewable_check()?).await?;
    let (review, report) = found.ok_or(DocumentSessionError::ItemNotFound("check"))?;
    Ok(Json(ReviewWithReport { report: report.map(Into::into), review: review.into() }))
}
