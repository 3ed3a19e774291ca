//! Uploads in pieces: begun with a length, gone on with from where a connection broke, and then named by the call that puts
//! them in their place. Headers and statuses are those of the core of tus 1.0, without its version header.

use super::{Problem, caller::EndUser, error};
use crate::{
    Api,
    http::{body, header_text},
};
use axum::{
    Json,
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use base::UploadId;
use utoipa::ToSchema;

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const LENGTH: HeaderName = HeaderName::from_static("upload-length");
const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
/// Bytes of one call, at most: as many as an upload may have.
const MAX_APPEND_BYTES: usize = 10 << 20;

fn count(headers: &HeaderMap, name: &HeaderName) -> Result<u64, Problem> {
    let number = header_text(headers, name).and_then(|text| text.trim().parse().ok());
    number.ok_or_else(|| Problem::violation(name.to_string(), "a number of bytes is expected"))
}

/// How an upload stands.
fn stands(offset: u64, of: u64) -> Response {
    let headers = [(OFFSET, offset.into()), (LENGTH, of.into()), (header::CACHE_CONTROL, NO_STORE)];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// An upload that was begun.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct BegunUpload {
    /// Goes into the paths of its bytes, and into the body of the call that puts it in its place.
    #[schema(value_type = Uuid)]
    id: UploadId,
}

/// Begin an upload that may come in pieces.
///
/// The three latest of a session are kept, for half an hour.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/uploads", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("Upload-Length" = u64, Header, description = "Its bytes.", minimum = 1, maximum = 10_485_760),
    ),
    responses((status = 201, description = "It is begun.", body = BegunUpload), error::BeginningUpload),
)]
pub(crate) async fn begin_upload(
    State(api): State<Api>,
    user: EndUser,
    headers: HeaderMap,
) -> Result<(StatusCode, Json<BegunUpload>), Problem> {
    let length = count(&headers, &LENGTH)?;
    let id = api.identities.begin_upload(user.held.session.id, length).await?;
    Ok((StatusCode::CREATED, Json(BegunUpload { id })))
}

/// Ask where an upload stands.
#[utoipa::path(
    head, path = "/idverify/v1/sessions/{sessionId}/uploads/{uploadId}", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("uploadId" = Uuid, Path, description = "The upload."),
    ),
    responses((status = 204, description = "How many of its bytes are there.", headers(("Upload-Offset" = u64, description = "Bytes that are there."), ("Upload-Length" = u64, description = "Its bytes."), ("Cache-Control" = String, description = "`no-store`"))), error::Naming),
)]
pub(crate) async fn upload_offset(user: EndUser) -> Result<Response, Problem> {
    let (offset, of) = user.held.upload(user.path.upload()?)?;
    Ok(stands(offset, of))
}

/// Add bytes to an upload: those that follow the first `Upload-Offset` ones.
///
/// What arrives is kept though the connection breaks; where it stands is told by the answer, or else by `HEAD`.
#[utoipa::path(
    patch, path = "/idverify/v1/sessions/{sessionId}/uploads/{uploadId}", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("uploadId" = Uuid, Path, description = "The upload."),
        ("Upload-Offset" = u64, Header, description = "How many bytes come before these."),
    ),
    request_body(content = Vec<u8>, content_type = "application/offset+octet-stream", description = "At most 10 MiB."),
    responses((status = 204, description = "How many of its bytes are there.", headers(("Upload-Offset" = u64, description = "Bytes that are there."), ("Upload-Length" = u64, description = "Its bytes."), ("Cache-Control" = String, description = "`no-store`"))), error::Appending),
)]
pub(crate) async fn append_to_upload(
    State(api): State<Api>,
    user: EndUser,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let (id, offset) = (user.path.upload()?, count(&headers, &OFFSET)?);
    let (_, of) = user.held.upload(id)?;
    // A connection that breaks takes its call with it; what came of the body is kept all the same.
    let kept = tokio::spawn(async move {
        let bytes = body::read_what_comes(body, MAX_APPEND_BYTES, api.settings.body_timeout).await?;
        Ok::<_, Problem>(api.identities.append(&user.held, id, offset, &bytes).await?)
    });
    let offset = kept.await.map_err(|error| Problem::unavailable(&error))??;
    Ok(stands(offset, of))
}
