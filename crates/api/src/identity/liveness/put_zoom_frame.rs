//! `PUT /idverify/v1/sessions/{sessionId}/resources/liveness/zoom/{resourceId}/frames/{frame}`

use super::put_frame;
use crate::{
    Api,
    identity::{
        Problem,
        caller::EndUserRequest,
        error,
        media::StoredMedia,
        upload::{PictureForm, UploadReference},
    },
};
use axum::{Json, extract::State};
use domain::identity::words::LivenessType;

/// Put a frame of a face that comes nearer in its place; at least three, at most seven.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/liveness/zoom/{resourceId}/frames/{frame}", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("resourceId" = Uuid, Path, description = "The capture."),
        ("frame" = u32, Path, description = "Its number, in the order in which frames were taken.", maximum = 7),
    ),
    request_body(content((PictureForm = "multipart/form-data"), (UploadReference = "application/json"))),
    responses((status = 200, description = "It is there.", body = StoredMedia), error::Uploading),
)]
pub(crate) async fn put_zoom_frame(
    State(api): State<Api>,
    caller: EndUserRequest,
) -> Result<Json<StoredMedia>, Problem> {
    let media = put_frame(&api, caller, LivenessType::Zoom).await?;
    Ok(Json(StoredMedia::of(&media)))
}
