//! Documents: begun, their pages, and the reading of them.

use super::{Person, Problem, view};
use crate::Api;
use axum::{
    Json,
    extract::{Path, State},
    http::StatusCode,
};
use base::ResourceId;
use domain::identity::{NotDone, flow::NewDocument, session::Media, words::ResourceKind};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// What is said of a document.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body, which is read member by member")]
pub(crate) struct NewDocumentBody {
    /// `PASSPORT`, `NATIONAL_ID`, `RESIDENCE_PERMIT` or `DRIVING_LICENCE`; of a supplementary document any word.
    document_type: Option<String>,
    /// ISO 3166-1 alpha-3.
    issuing_country: Option<String>,
    /// The requirement of the configuration that it is for. Default: the first that it fits.
    requirement_id: Option<String>,
}

pub(super) fn resource_id(text: &str) -> Result<ResourceId, Problem> {
    Ok(text.parse().map_err(|_| NotDone::Missing("resource"))?)
}

pub(super) fn number(text: &str) -> Result<u32, Problem> {
    Ok(text.parse().map_err(|_| NotDone::Missing("page"))?)
}

pub(super) fn media(media: &Media) -> Json<Value> {
    Json(json!({ "media": { "id": media.id, "type": media.kind } }))
}

async fn add(api: &Api, person: Person, kind: ResourceKind) -> Result<(StatusCode, Json<Value>), Problem> {
    let body = person.sent.json()?;
    let text = |name: &str| match body.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Problem::violation(name.to_owned(), "a text is expected")),
    };
    let new = NewDocument {
        document_type: text("document_type")?,
        issuing_country: text("issuing_country")?,
        requirement_id: text("requirement_id")?,
    };
    let session = person.held.session.id;
    let resource =
        api.identities.add_document(session, kind, new, &person.sent.repeat()?, person.device).await?;
    Ok((StatusCode::CREATED, Json(view::document(&person.held.session, &resource))))
}

async fn page(
    api: &Api,
    person: Person,
    kind: ResourceKind,
    (resource, page): (&str, &str),
) -> Result<Json<Value>, Problem> {
    let (resource, page) = (resource_id(resource)?, number(page)?);
    let upload = person.upload(api).await?;
    let put = api.identities.put_page(&person.held, kind, resource, page, upload, person.device).await?;
    Ok(media(&put))
}

async fn extract(
    api: &Api,
    person: Person,
    kind: ResourceKind,
    resource: &str,
) -> Result<Json<Value>, Problem> {
    let (id, resource) = (person.held.session.id, resource_id(resource)?);
    let task = api.identities.extract(id, kind, resource, person.device).await?;
    let mut view = api.db.read().await?;
    let held = api.identities.find(&mut view, person.held.session.app, id).await?;
    let session = held.map_or(person.held.session, |held| held.session);
    Ok(Json(view::task(&session, &task)))
}

/// Begin an identity document.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/resources/id-documents", tag = "person", security(("session" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    request_body = NewDocumentBody,
    responses((status = 201, description = "It is begun; its `id` goes into the paths of its pages.", body = Value), Problem),
)]
pub(crate) async fn add_id_document(
    State(api): State<Api>,
    person: Person,
) -> Result<(StatusCode, Json<Value>), Problem> {
    add(&api, person, ResourceKind::IdDocument).await
}

/// Put a page of an identity document in its place: `multipart/form-data` with `descriptor` (JSON with `capture_method`)
/// and the file `binary-content`, JPEG or PNG of at most 10 MiB.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/pages/{page}", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("resourceId" = String, Path, description = "The document."),
        ("page" = String, Path, description = "The page, 0 to 9."),
    ),
    responses((status = 200, description = "It is there.", body = Value), Problem),
)]
pub(crate) async fn put_id_page(
    State(api): State<Api>,
    Path((_session, resource, number)): Path<(String, String, String)>,
    person: Person,
) -> Result<Json<Value>, Problem> {
    page(&api, person, ResourceKind::IdDocument, (&resource, &number)).await
}

/// Have an identity document read. Waits for it a while: a task that is still `PENDING` can be asked for again, or followed
/// in the configuration.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/text-extraction", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("resourceId" = String, Path, description = "The document."),
    ),
    responses((status = 200, description = "The task, with its recommendation when it has ended.", body = Value), Problem),
)]
pub(crate) async fn extract_id_document(
    State(api): State<Api>,
    Path((_session, resource)): Path<(String, String)>,
    person: Person,
) -> Result<Json<Value>, Problem> {
    extract(&api, person, ResourceKind::IdDocument, &resource).await
}

/// Begin a supplementary document.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents", tag = "person", security(("session" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    request_body = NewDocumentBody,
    responses((status = 201, description = "It is begun.", body = Value), Problem),
)]
pub(crate) async fn add_supplementary_document(
    State(api): State<Api>,
    person: Person,
) -> Result<(StatusCode, Json<Value>), Problem> {
    add(&api, person, ResourceKind::SupplementaryDocument).await
}

/// Put a page of a supplementary document in its place, as that of an identity document.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/pages/{page}", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("resourceId" = String, Path, description = "The document."),
        ("page" = String, Path, description = "The page, 0 to 9."),
    ),
    responses((status = 200, description = "It is there.", body = Value), Problem),
)]
pub(crate) async fn put_supplementary_page(
    State(api): State<Api>,
    Path((_session, resource, number)): Path<(String, String, String)>,
    person: Person,
) -> Result<Json<Value>, Problem> {
    page(&api, person, ResourceKind::SupplementaryDocument, (&resource, &number)).await
}

/// Put a supplementary document in its place as one file: JPEG, PNG or PDF.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/file", tag = "person",
    security(("session" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("resourceId" = String, Path, description = "The document."),
    ),
    responses((status = 200, description = "It is there.", body = Value), Problem),
)]
pub(crate) async fn put_supplementary_file(
    State(api): State<Api>,
    Path((_session, resource)): Path<(String, String)>,
    person: Person,
) -> Result<Json<Value>, Problem> {
    let resource = resource_id(&resource)?;
    let upload = person.upload(&api).await?;
    Ok(media(&api.identities.put_file(&person.held, resource, upload, person.device).await?))
}

/// Have a supplementary document read, as an identity document.
#[utoipa::path(
    put, path = "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/text-extraction",
    tag = "person", security(("session" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("resourceId" = String, Path, description = "The document."),
    ),
    responses((status = 200, description = "The task, with its recommendation when it has ended.", body = Value), Problem),
)]
pub(crate) async fn extract_supplementary_document(
    State(api): State<Api>,
    Path((_session, resource)): Path<(String, String)>,
    person: Person,
) -> Result<Json<Value>, Problem> {
    extract(&api, person, ResourceKind::SupplementaryDocument, &resource).await
}
