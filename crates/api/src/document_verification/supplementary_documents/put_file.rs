//! `PUT /idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/file`

use crate::{
    ApiState,
    document_verification::{
        DocumentApiError,
        auth::EndUserRequest,
        error,
        media::StoredMedia,
        upload_input::{DocumentForm, UploadReference},
    },
};
use axum::{Json, extract::State};

/// Upload a supplementary document as one file: JPEG, PNG or PDF.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/file", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("resourceId" = Uuid, Path, description = "The document."),
    ),
    request_body(content((DocumentForm = "multipart/form-data"), (UploadReference = "application/json"))),
    responses((status = 200, description = "The file is stored.", body = StoredMedia), error::UploadErrors),
)]
pub(crate) async fn put_supplementary_file(
    State(api): State<ApiState>,
    caller: EndUserRequest,
) -> Result<Json<StoredMedia>, DocumentApiError> {
    let resource = caller.user.path.resource()?;
    let upload = caller.read_upload(&api).await?;
    let media =
        api.document_verification.put_file(&caller.user.stored, resource, upload, caller.user.device).await?;
    Ok(Json(StoredMedia::of(&media)))
}
