//! `PUT /idverify/v1/sessions/{sessionId}/resources/face-capture/{resourceId}/image`

use crate::{
    ApiState,
    document_verification::{
        DocumentApiError,
        auth::Participant,
        error,
        media::StoredMedia,
        upload_input::{PictureForm, UploadReference},
    },
};
use axum::{Json, extract::State};

/// Upload the picture of a face; it must show exactly one.
///
/// A relying party sends a form, an end user a form or the `id` of an upload.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/face-capture/{resourceId}/image", tag = "person",
    security(("session" = []), ("signature" = []), ("bearer" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("resourceId" = Uuid, Path, description = "The picture's resource."),
    ),
    request_body(content((PictureForm = "multipart/form-data"), (UploadReference = "application/json"))),
    responses((status = 200, description = "The picture is stored.", body = StoredMedia), error::UploadFaceErrors),
)]
pub(crate) async fn put_face_image(
    State(api): State<ApiState>,
    caller: Participant,
) -> Result<Json<StoredMedia>, DocumentApiError> {
    let resource = caller.path().resource()?;
    let upload = match &caller {
        Participant::RelyingParty(owner) => owner.party.request.read_form_upload().await?,
        Participant::EndUser(user) => user.read_upload(&api).await?,
    };
    let (by, device) = (caller.role(), caller.device());
    let media = api.document_verification.put_face(caller.stored(), by, resource, upload, device).await?;
    Ok(Json(StoredMedia::of(&media)))
}
