//! A picture of a face to compare with: the business's own, or the person's.

use super::{
    Either, Problem,
    documents::{media, resource_id},
};
use crate::Api;
use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// For which requirement.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body, which is read member by member")]
pub(crate) struct NewFaceBody {
    /// The requirement of the configuration; the first of the caller's, where none is named.
    requirement_id: Option<String>,
}

/// Begin a picture of a face.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/resources/face-capture", tag = "person",
    security(("session" = []), ("signature" = []), ("bearer" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    request_body = NewFaceBody,
    responses((status = 201, description = "It is begun: its `id`, and how many `frames` it takes.", body = Value), Problem),
)]
pub(crate) async fn add_face_capture(
    State(api): State<Api>,
    Path(id): Path<String>,
    caller: Either,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let held = caller.session(&api, &id).await?;
    let (requirement, once) = (caller.sent().requirement()?, caller.sent().repeat()?);
    let session = held.session.id;
    let id =
        api.identities.add_face(session, caller.by(), requirement.as_deref(), &once, caller.device()).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id, "frames": 1 }))))
}

/// Put the picture of a face in its place: the file `binary-content` of a form, JPEG or PNG, which shows one face.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/face-capture/{resourceId}/image", tag = "person",
    security(("session" = []), ("signature" = []), ("bearer" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("resourceId" = String, Path, description = "The picture's resource."),
    ),
    responses((status = 200, description = "It is there.", body = Value), Problem),
)]
pub(crate) async fn put_face_image(
    State(api): State<Api>,
    Path((id, resource)): Path<(String, String)>,
    caller: Either,
) -> Result<Json<Value>, Problem> {
    let held = caller.session(&api, &id).await?;
    let resource = resource_id(&resource)?;
    let upload = match &caller {
        Either::Business(business) => business.sent.upload().await?,
        Either::Person(person) => person.upload(&api).await?,
    };
    Ok(media(&api.identities.put_face(&held, caller.by(), resource, upload, caller.device()).await?))
}
