//! Uploads by tus 1.0 (<https://tus.io/protocols/resumable-upload>) with its extension `creation`: begun with a length, gone on
//! with from where a connection broke, and then named by the call that puts them in their place. Clients that do not name the
//! protocol's version are served all the same, as they were before this server named it.

use super::{
    caller::EndUser,
    error::{self, Code, Problem},
};
use crate::{
    Api,
    http::{body, header_text},
};
use axum::{
    Json,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use base::UploadId;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// The version of tus that is spoken here.
const VERSION: HeaderValue = HeaderValue::from_static("1.0.0");
const EXTENSIONS: HeaderValue = HeaderValue::from_static("creation");
const TUS_RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
const TUS_VERSION: HeaderName = HeaderName::from_static("tus-version");
const TUS_EXTENSION: HeaderName = HeaderName::from_static("tus-extension");
const TUS_MAX_SIZE: HeaderName = HeaderName::from_static("tus-max-size");
/// What bytes of an upload are sent as.
const OFFSET_STREAM: &str = "application/offset+octet-stream";
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const LENGTH: HeaderName = HeaderName::from_static("upload-length");
const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
/// Bytes of an upload, and so of one call, at most.
const MAX_UPLOAD_BYTES: usize = 10 << 20;

/// The operations.
pub(super) fn router() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(upload_options, begin_upload))
        .routes(routes!(upload_offset, append_to_upload))
        .layer(middleware::from_fn(speak_tus))
}

/// Holds a request to the version of tus that is spoken here, where it names one, and names it in every answer.
async fn speak_tus(request: Request, next: Next) -> Response {
    let speaks = request.headers().get(TUS_RESUMABLE).is_none_or(|named| named == VERSION);
    let mut response = if speaks || request.method() == Method::OPTIONS {
        next.run(request).await
    } else {
        let refusal = Problem::new(Code::UnsupportedVersion, "this server speaks tus 1.0.0");
        ([(TUS_VERSION, VERSION)], refusal).into_response()
    };
    response.headers_mut().insert(TUS_RESUMABLE, VERSION);
    response
}

/// Whether a client speaks tus, and so is told what tus says in full.
fn speaks_tus(headers: &HeaderMap) -> bool {
    headers.contains_key(TUS_RESUMABLE)
}

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

/// Ask what of tus this server speaks.
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
        (TUS_VERSION, VERSION),
        (TUS_EXTENSION, EXTENSIONS),
        (TUS_MAX_SIZE, HeaderValue::from(MAX_UPLOAD_BYTES)),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Begin a resumable upload.
///
/// The three latest of a session are kept, for half an hour.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/uploads", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("Upload-Length" = u64, Header, description = "Its bytes.", minimum = 1, maximum = 10_485_760),
        ("Tus-Resumable" = Option<String>, Header, description = "`1.0.0`, of a client that speaks tus."),
    ),
    responses((status = 201, description = "It is begun.", body = BegunUpload, headers(
        ("Location" = String, description = "Its address, relative to that of the call."),
        ("Tus-Resumable" = String, description = "`1.0.0`."),
    )), error::BeginningUpload),
)]
pub(crate) async fn begin_upload(
    State(api): State<Api>,
    user: EndUser,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let length = count(&headers, &LENGTH)?;
    if speaks_tus(&headers) && length > MAX_UPLOAD_BYTES as u64 {
        return Err(Problem::new(
            Code::PayloadTooLarge,
            format!("an upload has at most {MAX_UPLOAD_BYTES} bytes"),
        ));
    }
    let id = api.identities.begin_upload(user.held.session.id, length).await?;
    let location = [(header::LOCATION, format!("uploads/{id}"))];
    Ok((StatusCode::CREATED, location, Json(BegunUpload { id })).into_response())
}

/// Ask where an upload stands.
#[utoipa::path(
    head, path = "/idverify/v1/sessions/{sessionId}/uploads/{uploadId}", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        ("uploadId" = Uuid, Path, description = "The upload."),
        ("Tus-Resumable" = Option<String>, Header, description = "`1.0.0`, of a client that speaks tus."),
    ),
    responses((status = 204, description = "How many of its bytes are there.", headers(("Upload-Offset" = u64, description = "Bytes that are there."), ("Upload-Length" = u64, description = "Its bytes."), ("Cache-Control" = String, description = "`no-store`."), ("Tus-Resumable" = String, description = "`1.0.0`."))), error::AskingForUpload),
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
        ("Tus-Resumable" = Option<String>, Header, description = "`1.0.0`, of a client that speaks tus."),
    ),
    request_body(content = Vec<u8>, content_type = "application/offset+octet-stream", description = "At most 10 MiB."),
    responses((status = 204, description = "How many of its bytes are there.", headers(("Upload-Offset" = u64, description = "Bytes that are there."), ("Upload-Length" = u64, description = "Its bytes."), ("Cache-Control" = String, description = "`no-store`."), ("Tus-Resumable" = String, description = "`1.0.0`."))), error::Appending),
)]
pub(crate) async fn append_to_upload(
    State(api): State<Api>,
    user: EndUser,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let (id, offset) = (user.path.upload()?, count(&headers, &OFFSET)?);
    if speaks_tus(&headers) && header_text(&headers, &header::CONTENT_TYPE) != Some(OFFSET_STREAM) {
        return Err(Problem::new(Code::UnsupportedMediaType, format!("bytes are sent as {OFFSET_STREAM}")));
    }
    let (_, of) = user.held.upload(id)?;
    // A connection that breaks takes its call with it; what came of the body is kept all the same.
    let kept = tokio::spawn(async move {
        let bytes = body::read_what_comes(body, MAX_UPLOAD_BYTES, api.settings.body_timeout).await?;
        Ok::<_, Problem>(api.identities.append(&user.held, id, offset, &bytes).await?)
    });
    let offset = kept.await.map_err(|error| Problem::unavailable(&error))??;
    Ok(stands(offset, of))
}
