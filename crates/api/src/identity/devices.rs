//! `GET` and `DELETE /idverify/v1/sessions/{sessionId}/tracked-devices`

use super::{Business, Problem};
use crate::Api;
use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use serde_json::{Value, json};

/// List the devices that a session was used with, as `X-Svc-Device-Meta` told of them, oldest first.
#[utoipa::path(
    get, path = "/idverify/v1/sessions/{sessionId}/tracked-devices", tag = "sessions", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 200, description = "What was done, when, and with which device.", body = Value), Problem),
)]
pub(crate) async fn list_devices(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<Json<Value>, Problem> {
    let held = business.session(&api, &id).await?;
    Ok(Json(json!(held.session.devices)))
}

/// Forget those devices.
#[utoipa::path(
    delete, path = "/idverify/v1/sessions/{sessionId}/tracked-devices", tag = "sessions", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 204, description = "They are forgotten."), Problem),
)]
pub(crate) async fn forget_devices(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<StatusCode, Problem> {
    let held = business.session(&api, &id).await?;
    api.identities.forget_devices(held.session.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
