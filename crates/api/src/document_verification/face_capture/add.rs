//! `POST /idverify/v1/sessions/{sessionId}/resources/face-capture`

use crate::{
    ApiState,
    document_verification::{
        DocumentApiError,
        auth::{AuthenticatedRequest, CallerWithBody as _, Participant},
        error,
    },
    http::idempotency::IdempotencyKeyHeader,
};
use axum::{Json, extract::State, http::StatusCode};
use base::ResourceId;
use utoipa::ToSchema;

/// The requirement of the configuration that it is for.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewFaceCapture {
    /// The requirement's `id`. Default: the caller's first.
    requirement_id: Option<String>,
}

/// A picture that is expected.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct CreatedFaceCapture {
    /// How many pictures it takes.
    #[schema(minimum = 1, maximum = 1)]
    frames: u32,
    /// The resource's id, for the path of the picture.
    #[schema(value_type = Uuid)]
    id: ResourceId,
}

/// Create a resource for the picture of a face to compare with.
///
/// A repeat with the same `Idempotency-Key` and body makes nothing more for as long as there is the session.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/resources/face-capture", tag = "person",
    security(("session" = []), ("signature" = []), ("bearer" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        IdempotencyKeyHeader,
    ),
    request_body(content = NewFaceCapture, example = json!({ "requirement_id": "018f3c8e-4f0a-4b6c-9d1e-2a7b5c3d9e10" })),
    responses((status = 201, description = "The resource is created.", body = CreatedFaceCapture), error::AddFaceCaptureErrors),
)]
pub(crate) async fn add_face_capture(
    State(api): State<ApiState>,
    AuthenticatedRequest { caller, body }: AuthenticatedRequest<Participant, NewFaceCapture>,
) -> Result<(StatusCode, Json<CreatedFaceCapture>), DocumentApiError> {
    let (session, repeat) = (caller.stored().session.id, caller.received().end_user_fingerprint()?);
    let (requirement, device) = (body.requirement_id.as_deref(), caller.device());
    let id = api.document_verification.add_face(session, caller.role(), requirement, &repeat, device).await?;
    Ok((StatusCode::CREATED, Json(CreatedFaceCapture { frames: 1, id })))
}
