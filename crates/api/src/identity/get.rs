//! `GET /idverify/v1/sessions/{sessionId}`

use super::{Business, Problem, view};
use crate::Api;
use axum::{
    Json,
    extract::{Path, State},
};
use serde_json::Value;

/// Read a session: what was supplied, what was read, and what the checks say.
#[utoipa::path(
    get, path = "/idverify/v1/sessions/{sessionId}", tag = "sessions", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 200, description = "As it stands.", body = Value), Problem),
)]
pub(crate) async fn get_session(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<Json<Value>, Problem> {
    let held = business.session(&api, &id).await?;
    Ok(Json(view::session(&held.session, api.world.now())))
}
