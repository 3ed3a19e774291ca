//! `GET /idverify/v1/reviews/{checkId}`

use super::list::ReviewView;
use crate::{
    Api,
    identity::{Problem, caller::RelyingParty, error, sessions::view::CheckReport},
};
use axum::{Json, extract::State};
use domain::identity::NotDone;
use utoipa::ToSchema;

/// A check that waits, and what this server would say.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ReviewWithReport {
    /// The report so far; null where there is none.
    #[schema(required = true)]
    report: Option<CheckReport>,
    review: ReviewView,
}

/// Read a check that waits, with what this server would say.
#[utoipa::path(
    get, path = "/idverify/v1/reviews/{checkId}", tag = "reviews", security(("signature" = []), ("bearer" = [])),
    params(("checkId" = Uuid, Path, description = "The check.")),
    responses((status = 200, description = "The review and the report so far.", body = ReviewWithReport), error::ReadingReview),
)]
pub(crate) async fn show_review(
    State(api): State<Api>,
    party: RelyingParty,
) -> Result<Json<ReviewWithReport>, Problem> {
    let found = api.identities.review(Some(party.app), party.path.check()?).await?;
    let (review, report) = found.ok_or(NotDone::Missing("check"))?;
    Ok(Json(ReviewWithReport { report: report.map(Into::into), review: review.into() }))
}
