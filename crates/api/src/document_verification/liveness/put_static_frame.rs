//! `PUT /idverify/v1/sessions/{sessionId}/resources/liveness/static/{resourceId}/frames/{frame}`

use super::{StoredFrame, put_frame};
use crate::{
    ApiState,
    document_verification::{
        DocumentApiError,
        auth::EndUserRequest,
        error,
        upload_input::{PictureForm, UploadReference},
    },
};
use axum::{Json, extract::State};
use domain::document_verification::types::LivenessType;

/// Upload the picture of a live face.
///
/// The capture is judged at once.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/liveness/static/{resourceId}/frames/{frame}", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("resourceId" = Uuid, Path, description = "The capture."),
        ("frame" = u32, Path, description = "Its number.", maximum = 1),
    ),
    request_body(content((PictureForm = "multipart/form-data"), (UploadReference = "application/json"))),
    responses((status = 200, description = "The picture is stored.", body = StoredFrame), error::UploadErrors),
)]
pub(crate) async fn put_static_frame(
    State(api): State<ApiState>,
    caller: EndUserRequest,
) -> Result<Json<StoredFrame>, DocumentApiError> {
    Ok(Json(put_frame(&api, caller, LivenessType::Static).await?))
}
