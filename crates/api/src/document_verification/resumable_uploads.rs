//! Resumable uploads by tus 1.0 (<https://tus.io/protocols/resumable-upload>) with its extension `creation`: created
//! with a length, resumed from where a connection broke, and then named by the call that stores the file. Clients that
//! do not name the protocol's version are served as well.

use super::{
    auth::DocumentEndUser,
    error::{self, DocumentApiError, DocumentErrorCode},
};
use crate::{
    ApiState,
    http::{body, header_text, openapi::BinaryContent, routes::routes},
};
use axum::{
    Json,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use base::{LimitViolation, UploadId};
use tracing::Instrument as _;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

const TUS_PROTOCOL_VERSION: HeaderValue = HeaderValue::from_static("1.0.0");
const SUPPORTED_TUS_EXTENSIONS: HeaderValue = HeaderValue::from_static("creation");
const TUS_RESUMABLE_HEADER: HeaderName = HeaderName::from_static("tus-resumable");
const TUS_VERSION_HEADER: HeaderName = HeaderName::from_static("tus-version");
const TUS_EXTENSION_HEADER: HeaderName = HeaderName::from_static("tus-extension");
const TUS_MAX_SIZE_HEADER: HeaderName = HeaderName::from_static("tus-max-size");
const OFFSET_STREAM_MEDIA_TYPE: &str = "application/offset+octet-stream";
const NO_STORE_VALUE: HeaderValue = HeaderValue::from_static("no-store");
const UPLOAD_LENGTH_HEADER: HeaderName = HeaderName::from_static("upload-length");
const UPLOAD_OFFSET_HEADER: HeaderName = HeaderName::from_static("upload-offset");
/// Also the limit of the body of one call.
const MAX_UPLOAD_BYTES: usize = 10 << 20;

pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(upload_options, begin_upload))
        .routes(routes!(upload_offset, append_to_upload))
        .layer(middleware::from_fn(negotiate_tus_version))
}

/// Refuses requests that name another version of tus, and names the supported one in every answer.
async fn negotiate_tus_version(request: Request, next: Next) -> Response {
    let speaks =
        request.headers().get(TUS_RESUMABLE_HEADER).is_none_or(|named| named == TUS_PROTOCOL_VERSION);
    let mut response = if speaks || request.method() == Method::OPTIONS {
        next.run(request).await
    } else {
        let refusal =
            DocumentApiError::new(DocumentErrorCode::UnsupportedVersion, "this server speaks tus 1.0.0");
        ([(TUS_VERSION_HEADER, TUS_PROTOCOL_VERSION)], refusal).into_response()
    };
    response.headers_mut().insert(TUS_RESUMABLE_HEADER, TUS_PROTOCOL_VERSION);
    response
}

/// Whether a client speaks tus, so that the rules of tus are enforced.
fn speaks_tus(headers: &HeaderMap) -> bool {
    headers.contains_key(TUS_RESUMABLE_HEADER)
}

fn parse_byte_count(headers: &HeaderMap, name: &HeaderName) -> Result<u64, DocumentApiError> {
    let number = header_text(headers, name).and_then(|text| text.trim().parse().ok());
    number.ok_or_else(|| DocumentApiError::violation(name.to_string(), "a number of bytes is expected"))
}

/// The progress of an upload.
fn offset_response(offset: u64, of: u64) -> Response {
    let headers = [
        (UPLOAD_OFFSET_HEADER, offset.into()),
        (UPLOAD_LENGTH_HEADER, of.into()),
        (header::CACHE_CONTROL, NO_STORE_VALUE),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// An upload that was begun.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct CreatedUpload {
    /// The upload's id, for its path and for the body of the call that stores the file.
    #[schema(value_type = Uuid)]
    id: UploadId,
}

/// Ask which parts of tus this server supports.
#[utoipa::path(
    options, path = "/idverify/v1/sessions/{sessionId}/uploads", tag = "person", security(()),
    params(("sessionId" = Uuid, Path, description = "The session. It is not looked at.")),
    responses((status = 204, description = "The protocol's version, its extensions and the largest upload.", headers(
        ("Tus-Version" = String, description = "`1.0.0`."),
        ("Tus-Extension" = String, description = "`creation`."),
        ("Tus-Max-Size" = u64, description = "Bytes of an upload, at most."),
    ))),
)]
pub(crate) async fn upload_options() -> Response {
    let headers = [
        (TUS_VERSION_HEADER, TUS_PROTOCOL_VERSION),
        (TUS_EXTENSION_HEADER, SUPPORTED_TUS_EXTENSIONS),
        (TUS_MAX_SIZE_HEADER, HeaderValue::from(MAX_UPLOAD_BYTES)),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Begin a resumable upload.
///
/// A session keeps its three latest uploads, for half an hour.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/uploads", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("Upload-Length" = u64, Header, description = "Its bytes.", minimum = 1, maximum = 10_485_760),
        ("Tus-Resumable" = Option<String>, Header, description = "`1.0.0`, of a client that speaks tus."),
    ),
    responses((status = 201, description = "The upload is created.", body = CreatedUpload, headers(
        ("Location" = String, description = "Its address, relative to that of the call."),
        ("Tus-Resumable" = String, description = "`1.0.0`."),
    )), error::BeginUploadErrors),
)]
pub(crate) async fn begin_upload(
    State(api): State<ApiState>,
    user: DocumentEndUser,
    headers: HeaderMap,
) -> Result<Response, DocumentApiError> {
    let length = parse_byte_count(&headers, &UPLOAD_LENGTH_HEADER)?;
    if speaks_tus(&headers) && length > MAX_UPLOAD_BYTES as u64 {
        let limit = format!("at most {MAX_UPLOAD_BYTES} bytes");
        let words = format!("an upload has {limit}");
        return Err(DocumentApiError::new(DocumentErrorCode::PayloadTooLarge, words)
            .with_measured(LimitViolation::new(length as f64, limit, "send a smaller file")));
    }
    let id = api.document_verification.begin_upload(user.stored.session.id, length).await?;
    let location = [(header::LOCATION, format!("uploads/{id}"))];
    Ok((StatusCode::CREATED, location, Json(CreatedUpload { id })).into_response())
}

/// Get the progress of an upload.
#[utoipa::path(
    head, path = "/idverify/v1/sessions/{sessionId}/uploads/{uploadId}", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("uploadId" = Uuid, Path, description = "The upload."),
        ("Tus-Resumable" = Option<String>, Header, description = "`1.0.0`, of a client that speaks tus."),
    ),
    responses((status = 204, description = "How many of its bytes are there.", headers(("Upload-Offset" = u64, description = "Bytes that are there."), ("Upload-Length" = u64, description = "Its bytes."), ("Cache-Control" = String, description = "`no-store`."), ("Tus-Resumable" = String, description = "`1.0.0`."))), error::UploadOffsetErrors),
)]
pub(crate) async fn upload_offset(
    State(api): State<ApiState>,
    user: DocumentEndUser,
) -> Result<Response, DocumentApiError> {
    let (offset, of) = user.stored.upload_progress(user.path.upload()?, api.environment.now())?;
    Ok(offset_response(offset, of))
}

/// Add bytes to an upload, from `Upload-Offset` on.
///
/// Bytes that arrived are kept even if the connection breaks; the answer has the new offset, and so has `HEAD`.
#[utoipa::path(
    patch, path = "/idverify/v1/sessions/{sessionId}/uploads/{uploadId}", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("uploadId" = Uuid, Path, description = "The upload."),
        ("Upload-Offset" = u64, Header, description = "How many bytes come before these."),
        ("Tus-Resumable" = Option<String>, Header, description = "`1.0.0`, of a client that speaks tus."),
    ),
    request_body(content = BinaryContent, content_type = "application/offset+octet-stream", description = "At most 10 MiB."),
    responses((status = 204, description = "How many of its bytes are there.", headers(("Upload-Offset" = u64, description = "Bytes that are there."), ("Upload-Length" = u64, description = "Its bytes."), ("Cache-Control" = String, description = "`no-store`."), ("Tus-Resumable" = String, description = "`1.0.0`."))), error::AppendToUploadErrors),
)]
pub(crate) async fn append_to_upload(
    State(api): State<ApiState>,
    user: DocumentEndUser,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, DocumentApiError> {
    let (id, offset) = (user.path.upload()?, parse_byte_count(&headers, &UPLOAD_OFFSET_HEADER)?);
    if speaks_tus(&headers) && header_text(&headers, &header::CONTENT_TYPE) != Some(OFFSET_STREAM_MEDIA_TYPE)
    {
        return Err(DocumentApiError::new(
            DocumentErrorCode::UnsupportedMediaType,
            format!("bytes are sent as {OFFSET_STREAM_MEDIA_TYPE}"),
        ));
    }
    let (_, of) = user.stored.upload_progress(id, api.environment.now())?;
    // In a task of its own: a broken connection cancels its handler, but the bytes that arrived are stored all the
    // same.
    let append = async move {
        let bytes = body::read_available(&api, user.stored.session.app, body, MAX_UPLOAD_BYTES).await?;
        Ok::<_, DocumentApiError>(
            api.document_verification.append_to_upload(&user.stored, id, offset, &bytes).await?,
        )
    };
    let kept = tokio::spawn(append.in_current_span());
    let offset = kept.await.map_err(DocumentApiError::broken_task)??;
    Ok(offset_response(offset, of))
}
