//! Live faces: one picture, or several as the face comes nearer.

use super::{
    Person, Problem,
    documents::{media, number, resource_id},
};
use crate::Api;
use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use domain::identity::words::LivenessType;
use serde_json::{Value, json};

async fn add(api: &Api, person: Person, kind: LivenessType) -> Result<(StatusCode, Json<Value>), Problem> {
    let (session, requirement) = (person.held.session.id, person.sent.requirement()?);
    let once = person.sent.repeat()?;
    let id = api.identities.add_liveness(session, kind, requirement.as_deref(), &once, person.device).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id }))))
}

async fn frame(
    api: &Api,
    person: Person,
    kind: LivenessType,
    (resource, frame): (&str, &str),
) -> Result<Json<Value>, Problem> {
    let (resource, frame) = (resource_id(resource)?, number(frame)?);
    let upload = person.upload(api).await?;
    Ok(media(&api.identities.put_frame(&person.held, kind, resource, frame, upload, person.device).await?))
}

/// Begin a capture of a live face in one picture.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/resources/liveness/static", tag = "person", security(("session" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 201, description = "It is begun.", body = Value), Problem),
)]
pub(crate) async fn add_static(
    State(api): State<Api>,
    person: Person,
) -> Result<(StatusCode, Json<Value>), Problem> {
    add(&api, person, LivenessType::Static).await
}

/// Begin a capture of a live face that comes nearer.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/resources/liveness/zoom", tag = "person", security(("session" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 201, description = "It is begun.", body = Value), Problem),
)]
pub(crate) async fn add_zoom(
    State(api): State<Api>,
    person: Person,
) -> Result<(StatusCode, Json<Value>), Problem> {
    add(&api, person, LivenessType::Zoom).await
}

/// Put the picture of a live face in its place: the file `binary-content` of a form.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/liveness/static/{resourceId}/frames/{frame}", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("resourceId" = String, Path, description = "The capture."),
        ("frame" = String, Path, description = "0 or 1."),
    ),
    responses((status = 200, description = "It is there.", body = Value), Problem),
)]
pub(crate) async fn put_static_frame(
    State(api): State<Api>,
    Path((_session, resource, number)): Path<(String, String, String)>,
    person: Person,
) -> Result<Json<Value>, Problem> {
    frame(&api, person, LivenessType::Static, (&resource, &number)).await
}

/// Put a frame of a face that comes nearer in its place; at least three, at most seven.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/liveness/zoom/{resourceId}/frames/{frame}", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("resourceId" = String, Path, description = "The capture."),
        ("frame" = String, Path, description = "0 to 7, in the order in which they were taken."),
    ),
    responses((status = 200, description = "It is there.", body = Value), Problem),
)]
pub(crate) async fn put_zoom_frame(
    State(api): State<Api>,
    Path((_session, resource, number)): Path<(String, String, String)>,
    person: Person,
) -> Result<Json<Value>, Problem> {
    frame(&api, person, LivenessType::Zoom, (&resource, &number)).await
}

/// Keep a facemap that a client made: the file `binary-content` of a form, any bytes. This server makes one of its own where
/// none came; it trusts neither more than the frames.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/resources/liveness/zoom/{resourceId}/facemap", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("resourceId" = String, Path, description = "The capture."),
    ),
    responses((status = 201, description = "It is kept.", body = Value), Problem),
)]
pub(crate) async fn put_facemap(
    State(api): State<Api>,
    Path((_session, resource)): Path<(String, String)>,
    person: Person,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let resource = resource_id(&resource)?;
    let upload = person.upload(&api).await?;
    let put = api.identities.put_facemap(&person.held, resource, upload.bytes).await?;
    Ok((StatusCode::CREATED, media(&put)))
}
