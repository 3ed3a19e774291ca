//! `POST /idverify/v1/sessions/{sessionId}/resources/liveness/static`

use super::{CreatedLivenessCapture, NewLivenessCapture, begin_capture};
use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::EndUserRequest, error},
    http::idempotency::IdempotencyKeyHeader,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::document_verification::types::LivenessType;

/// Begin a capture of a live face in one picture.
///
/// Each capture uses up one attempt of the requirement. A repeat with the same `Idempotency-Key` and body makes nothing more
/// for as long as there is the session.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/resources/liveness/static", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        IdempotencyKeyHeader,
    ),
    request_body(content = NewLivenessCapture, example = json!({ "requirement_id": "018f3c8e-4f0a-4b6c-9d1e-2a7b5c3d9e10" })),
    responses((status = 201, description = "The capture is created.", body = CreatedLivenessCapture), error::AddLivenessErrors),
)]
pub(crate) async fn add_static(
    State(api): State<ApiState>,
    caller: EndUserRequest,
) -> Result<(StatusCode, Json<CreatedLivenessCapture>), DocumentApiError> {
    Ok((StatusCode::CREATED, Json(begin_capture(&api, caller, LivenessType::Static).await?)))
}
