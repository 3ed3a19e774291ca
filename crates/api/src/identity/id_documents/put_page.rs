//! `PUT /idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/pages/{page}`

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
use domain::identity::words::ResourceKind;

/// Put a page of an identity document in its place.
///
/// The picture comes in a form, or came in pieces before. Another one in the same place takes the place of the first.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/pages/{page}", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("resourceId" = Uuid, Path, description = "The document."),
        ("page" = u32, Path, description = "The page.", maximum = 9),
    ),
    request_body(content((PictureForm = "multipart/form-data"), (UploadReference = "application/json"))),
    responses((status = 200, description = "It is there.", body = StoredMedia), error::Uploading),
)]
pub(crate) async fn put_id_page(
    State(api): State<Api>,
    caller: EndUserRequest,
) -> Result<Json<StoredMedia>, Problem> {
    let (resource, page) = (caller.user.path.resource()?, caller.user.path.page()?);
    let upload = caller.upload(&api).await?;
    let (held, kind) = (&caller.user.held, ResourceKind::IdDocument);
    let media = api.identities.put_page(held, kind, resource, page, upload, caller.user.device).await?;
    Ok(Json(StoredMedia::of(&media)))
}
