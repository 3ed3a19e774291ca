//! `PUT /idverify/v1/sessions/{sessionId}/resources/liveness/zoom/{resourceId}/frames/{frame}`

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

/// Upload a frame of a face that comes nearer; a capture has three to seven.
///
/// The seventh frame has the capture judged at once. A capture that ends with fewer is judged when the person has finished.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/liveness/zoom/{resourceId}/frames/{frame}", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("resourceId" = Uuid, Path, description = "The capture."),
        ("frame" = u32, Path, description = "Its number, in the order in which frames were taken.", maximum = 7),
    ),
    request_body(content((PictureForm = "multipart/form-data"), (UploadReference = "application/json"))),
    responses((status = 200, description = "The frame is stored.", body = StoredFrame), error::UploadErrors),
)]
pub(crate) async fn put_zoom_frame(
    State(api): State<ApiState>,
    caller: EndUserRequest,
) -> Result<Json<StoredFrame>, DocumentApiError> {
    Ok(Json(put_frame(&api, caller, LivenessType::Zoom).await?))
}
