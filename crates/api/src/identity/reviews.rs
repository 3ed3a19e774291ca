//! Checks that wait for a person's decision: `GET /idverify/v1/reviews`, and `GET` and `PUT …/reviews/{checkId}`.

use super::{Business, Problem};
use crate::Api;
use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use base::CheckId;
use domain::identity::{NotDone, reviews::Decision};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// List the checks that wait for a decision, the longest waiting first, up to 200.
#[utoipa::path(
    get, path = "/idverify/v1/reviews", tag = "reviews", security(("signature" = []), ("bearer" = [])),
    responses((status = 200, description = "Checks that wait.", body = Value), Problem),
)]
pub(crate) async fn list_reviews(State(api): State<Api>, business: Business) -> Result<Json<Value>, Problem> {
    let mut view = api.db.read().await?;
    let open = api.identities.reviews(&mut view, Some(business.app), false).await?;
    Ok(Json(json!({ "reviews": open })))
}

fn check_id(text: &str) -> Result<CheckId, Problem> {
    Ok(text.parse().map_err(|_| NotDone::Missing("check"))?)
}

/// Read a check that waits, with what this server would say.
#[utoipa::path(
    get, path = "/idverify/v1/reviews/{checkId}", tag = "reviews", security(("signature" = []), ("bearer" = [])),
    params(("checkId" = String, Path, description = "The check.")),
    responses((status = 200, description = "The review and the report so far.", body = Value), Problem),
)]
pub(crate) async fn show_review(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<Json<Value>, Problem> {
    let found = api.identities.review(Some(business.app), check_id(&id)?).await?;
    let (review, report) = found.ok_or(NotDone::Missing("check"))?;
    Ok(Json(json!({ "review": review, "report": report })))
}

/// A decision.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body, which is read member by member")]
pub(crate) struct DecisionBody {
    /// `APPROVE`, `REJECT`, `CONSIDER` or `NOT_AVAILABLE`.
    decision: String,
    /// Why, in words.
    reason: String,
    /// The reason in one word of the interface, as `DATA_MISMATCH`.
    code: Option<String>,
    /// Who decides.
    reviewer: String,
}

/// Decide a check. A reason is required, and who decides.
#[utoipa::path(
    put, path = "/idverify/v1/reviews/{checkId}", tag = "reviews", security(("signature" = []), ("bearer" = [])),
    params(("checkId" = String, Path, description = "The check.")),
    request_body = DecisionBody,
    responses((status = 204, description = "The check is done."), Problem),
)]
pub(crate) async fn decide_review(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<StatusCode, Problem> {
    let body = business.sent.json()?;
    let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    let word = text("decision").unwrap_or_default().to_ascii_uppercase();
    let value = word.parse().map_err(|_| {
        Problem::violation("decision", "it is one of APPROVE, REJECT, NOT_AVAILABLE, CONSIDER")
    })?;
    let decision = Decision {
        value,
        reason: text("reason").unwrap_or_default(),
        code: text("code"),
        reviewer: text("reviewer").unwrap_or_default(),
    };
    api.identities.decide(Some(business.app), check_id(&id)?, &decision).await?;
    Ok(StatusCode::NO_CONTENT)
}
