//! `POST /idverify/v1/sessions/{sessionId}/resources/liveness/zoom`

use super::{BegunLiveness, NewLiveness, add};
use crate::{
    Api,
    identity::{Problem, caller::EndUserRequest, error},
};
use axum::{Json, extract::State, http::StatusCode};
use domain::identity::words::LivenessType;

/// Begin a capture of a live face that comes nearer.
///
/// Each takes one of the attempts that the requirement has.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/resources/liveness/zoom", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeats with the same key and body make nothing more.", max_length = 200),
    ),
    request_body(content = NewLiveness, example = json!({ "requirement_id": "018f3c8e-4f0a-4b6c-9d1e-2a7b5c3d9e10" })),
    responses((status = 201, description = "It is begun.", body = BegunLiveness), error::Adding),
)]
pub(crate) async fn add_zoom(
    State(api): State<Api>,
    caller: EndUserRequest,
) -> Result<(StatusCode, Json<BegunLiveness>), Problem> {
    Ok((StatusCode::CREATED, Json(add(&api, caller, LivenessType::Zoom).await?)))
}
