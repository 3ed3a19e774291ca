//! `GET /api/v1/sessions/{sessionId}` and `…/result`

use super::{Business, Code, Problem, described, error, view};
use crate::Api;
use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderName, header},
};
use domain::ages::words::State as Standing;
use serde_json::Value;

/// Results are of the moment.
const NOT_KEPT: [(HeaderName, &str); 1] = [(header::CACHE_CONTROL, "no-store")];

/// Read a session that nobody has begun: 410 once somebody has, or its time is over.
#[utoipa::path(
    get, path = "/api/v1/sessions/{sessionId}", tag = "sessions", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 200, description = "As it stands.", body = described::Record), error::Reading),
)]
pub(crate) async fn get_age_session(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<([(HeaderName, &'static str); 1], Json<Value>), Problem> {
    let session = business.session(&api, &id).await?;
    if !session.lives(api.world.now()) {
        return Err(Problem::new(Code::SessionExpired, "the session has expired"));
    }
    if session.state != Standing::Pending {
        let words = format!("the session is {}; its result is at /result", session.state);
        return Err(Problem::new(Code::SessionNotPending, words));
    }
    Ok((NOT_KEPT, Json(view::record(&api, &session))))
}

/// Read what came of a session, whatever its state, until it is forgotten.
#[utoipa::path(
    get, path = "/api/v1/sessions/{sessionId}/result", tag = "sessions", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 200, description = "As it stands.", body = described::Record), error::ReadingResult),
)]
pub(crate) async fn get_age_result(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<([(HeaderName, &'static str); 1], Json<Value>), Problem> {
    let session = business.session(&api, &id).await?;
    Ok((NOT_KEPT, Json(view::record(&api, &session))))
}

/// The public keys that webhooks are signed with, a JWK Set.
#[utoipa::path(
    get, path = "/api/v1/webhook-keys", tag = "webhooks",
    responses((status = 200, description = "The keys.", body = Value), error::Public),
)]
pub(crate) async fn webhook_keys(State(api): State<Api>) -> Result<Json<Value>, Problem> {
    Ok(Json(api.ages.webhook_keys().await.map_err(domain::ages::NotDone::from)?))
}
