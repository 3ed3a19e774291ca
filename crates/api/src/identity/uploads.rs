//! Uploads in pieces: begun with a length, gone on with from where a connection broke, and then named by the call that puts
//! them in their place. Headers and statuses are those of the core of tus 1.0, without its version header.

use super::{
    Person, Problem,
    caller::{known, upload_id},
};
use crate::{
    Api,
    http::{body, header_text},
};
use axum::{
    Json,
    extract::{Path, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const LENGTH: HeaderName = HeaderName::from_static("upload-length");
const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
/// Bytes of one call, at most: as many as an upload may have.
const MOST: usize = 10 << 20;

fn count(headers: &HeaderMap, name: &HeaderName) -> Result<u64, Problem> {
    let number = header_text(headers, name).and_then(|text| text.trim().parse().ok());
    number.ok_or_else(|| Problem::violation(name.to_string(), "a number of bytes is expected"))
}

/// How an upload stands.
fn stands(offset: u64, of: u64) -> Response {
    let headers = [(OFFSET, offset.into()), (LENGTH, of.into()), (header::CACHE_CONTROL, NO_STORE)];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Begin an upload that may come in pieces: `Upload-Length` says how many bytes it has, at most 10 MiB.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/uploads", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("Upload-Length" = u64, Header, description = "Its bytes."),
    ),
    responses((status = 201, description = "It is begun: its `id`. The three latest of a session are kept, for half an hour.", body = Value), Problem),
)]
pub(crate) async fn begin_upload(
    State(api): State<Api>,
    person: Person,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let length = count(&person.sent.headers, &LENGTH)?;
    let id = api.identities.begin_upload(person.held.session.id, length).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id }))))
}

/// Ask where an upload stands.
#[utoipa::path(
    head, path = "/idverify/v1/sessions/{sessionId}/uploads/{uploadId}", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("uploadId" = String, Path, description = "The upload."),
    ),
    responses((status = 204, description = "`Upload-Offset` of its `Upload-Length` bytes are there."), Problem),
)]
pub(crate) async fn upload_offset(
    Path((_session, upload)): Path<(String, String)>,
    person: Person,
) -> Result<Response, Problem> {
    let (offset, of) = person.held.upload(upload_id(&upload)?)?;
    Ok(stands(offset, of))
}

/// Add bytes to an upload: those that follow the first `Upload-Offset` ones. What arrives is kept though the connection
/// breaks; where it stands is told by the answer, or else by `HEAD`.
#[utoipa::path(
    patch, path = "/idverify/v1/sessions/{sessionId}/uploads/{uploadId}", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = String, Path, description = "The session."),
        ("uploadId" = String, Path, description = "The upload."),
        ("Upload-Offset" = u64, Header, description = "How many bytes come before these."),
    ),
    request_body(content = String, content_type = "application/offset+octet-stream"),
    responses((status = 204, description = "`Upload-Offset` bytes are there."), Problem),
)]
pub(crate) async fn append_to_upload(
    State(api): State<Api>,
    Path((_session, upload)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let (held, _) = known(&api, &parts).await?;
    let (id, offset) = (upload_id(&upload)?, count(&parts.headers, &OFFSET)?);
    let (_, of) = held.upload(id)?;
    // A connection that breaks takes its call with it; what came of the body is kept all the same.
    let kept = tokio::spawn(async move {
        let bytes = body::read_what_comes(body, MOST, api.settings.body_timeout).await?;
        Ok::<_, Problem>(api.identities.append(&held, id, offset, &bytes).await?)
    });
    let offset = kept.await.map_err(|error| Problem::unavailable(&error))??;
    Ok(stands(offset, of))
}
