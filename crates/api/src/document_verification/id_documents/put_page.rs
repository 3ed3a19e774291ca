//! `PUT /idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/pages/{page}`

use crate::{
    ApiState,
    document_verification::{
        DocumentApiError,
        auth::EndUserRequest,
        error,
        media::StoredMedia,
        upload_input::{PictureForm, UploadReference},
    },
};
use axum::{Json, extract::State};
use domain::document_verification::types::ResourceKind;

/// Upload a page of an identity document.
///
/// The picture is in a form, or was sent before as a resumable upload. A second picture of the same page replaces the
/// first.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/pages/{page}", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("resourceId" = Uuid, Path, description = "The document."),
        ("page" = u32, Path, description = "The page.", maximum = 9),
    ),
    request_body(content((PictureForm = "multipart/form-data"), (UploadReference = "application/json"))),
    responses((status = 200, description = "The page is stored.", body = StoredMedia), error::UploadErrors),
)]
pub(crate) async fn put_id_page(
    State(api): State<ApiState>,
    caller: EndUserRequest,
) -> Result<Json<StoredMedia>, DocumentApiError> {
    let (resource, page) = (caller.user.path.resource()?, caller.user.path.page()?);
    let upload = caller.read_upload(&api).await?;
    let (held, kind) = (&caller.user.stored, ResourceKind::IdDocument);
    let media =
        api.document_verification.put_page(held, kind, resource, page, upload, caller.user.device).await?;
    Ok(Json(StoredMedia::of(&media)))
}
