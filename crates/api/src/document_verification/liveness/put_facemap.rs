//! `POST /idverify/v1/sessions/{sessionId}/resources/liveness/zoom/{resourceId}/facemap`

use crate::{
    ApiState,
    document_verification::{
        DocumentApiError,
        auth::EndUserRequest,
        error,
        media::StoredMedia,
        upload_input::{BinaryForm, UploadReference},
    },
};
use axum::{Json, extract::State, http::StatusCode};

/// Store a facemap that the client made.
///
/// If none is sent, this server makes one of its own; neither is trusted more than the frames.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/resources/liveness/zoom/{resourceId}/facemap", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("resourceId" = Uuid, Path, description = "The capture."),
    ),
    request_body(content((BinaryForm = "multipart/form-data"), (UploadReference = "application/json"))),
    responses((status = 201, description = "The facemap is stored.", body = StoredMedia), error::UploadErrors),
)]
pub(crate) async fn put_facemap(
    State(api): State<ApiState>,
    caller: EndUserRequest,
) -> Result<(StatusCode, Json<StoredMedia>), DocumentApiError> {
    let resource = caller.user.path.resource()?;
    let upload = caller.read_upload(&api).await?;
    let media = api.document_verification.put_facemap(&caller.user.stored, resource, upload.bytes).await?;
    Ok((StatusCode::CREATED, Json(StoredMedia::of(&media))))
}
