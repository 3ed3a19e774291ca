//! Who asks: a business by its signature or a bearer token, or a person by the token of his session.

use super::{Code, Problem};
use crate::{
    Api,
    http::{
        DeviceMetadata,
        auth::{BearerError, authenticate_signature, bearer, count_person},
        body, header_text,
        idempotency::{self, RequestIdentity},
        json, multipart, request_context,
        virtual_hosts::Sandbox,
    },
};
use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, Request},
    http::{HeaderMap, header, request::Parts},
};
use base::{AppId, SessionId, UploadId, Uuid};
use domain::{
    identity::{
        Held, NotDone, Upload,
        flow::{self, By},
        words::CaptureMethod,
    },
    tenancy::{Feature, standing, tokens::Scope},
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Room for a payload, or a response configuration.
const PAYLOAD: usize = 512 << 10;
/// Room for a picture or a PDF file, with what stands around it in a form.
const MEDIA: usize = (10 << 20) + (64 << 10);

/// A business, and what it sent.
pub(crate) struct Business {
    pub(super) app: AppId,
    /// Whether the sandbox was called.
    pub(super) sandbox: bool,
    /// What the client library said of a device.
    pub(super) device: Option<Value>,
    pub(super) sent: Sent,
}

/// A person at a session, and what he sent.
pub(crate) struct Person {
    pub(super) held: Held,
    pub(super) device: Option<Value>,
    pub(super) sent: Sent,
}

/// Either.
pub(crate) enum Either {
    Business(Business),
    Person(Box<Person>),
}

/// A body that was read whole, and its headers.
pub(super) struct Sent {
    pub(super) headers: HeaderMap,
    body: Bytes,
    operation: String,
}

impl FromRequest<Api> for Business {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        business(api, parts, body, PAYLOAD).await
    }
}

impl FromRequest<Api> for Person {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        person(api, parts, body).await
    }
}

impl FromRequest<Api> for Either {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        if parts.headers.contains_key(api.brand.auth_token()) {
            return Ok(Self::Person(Box::new(person(api, parts, body).await?)));
        }
        Ok(Self::Business(business(api, parts, body, MEDIA).await?))
    }
}

async fn business(api: &Api, parts: Parts, body: Body, room: usize) -> Result<Business, Problem> {
    let signed = parts.headers.contains_key(api.brand.auth_digest());
    let (app, features, body) = if signed {
        let id = application_id(&parts, api);
        let proven =
            authenticate_signature(api, &parts, body, room, "send less at once", id.as_deref()).await?;
        (proven.caller.app, proven.caller.features, proven.body)
    } else if parts.headers.contains_key(api.brand.auth_token()) {
        return Err(Problem::new(Code::MessageSigning, "this is for businesses: it needs a signature"));
    } else {
        let bearer = bearer::authenticate(api, &parts.headers, Scope::IdvSessions).await?;
        let patience = api.settings.body_timeout;
        let body = body::read(&parts.headers, body, room, patience, "send less at once").await?;
        (bearer.app, bearer.features, body)
    };
    if !features.contains(&Feature::Identity) {
        return Err(BearerError::Feature(Scope::IdvSessions).into());
    }
    let device = device(&parts.headers, api)?;
    Ok(Business { app, sandbox: sandbox(&parts), device, sent: Sent::of(parts, body) })
}

async fn person(api: &Api, parts: Parts, body: Body) -> Result<Person, Problem> {
    let (held, device) = known(api, &parts).await?;
    let patience = api.settings.body_timeout;
    let body = body::read(&parts.headers, body, MEDIA, patience, "send a smaller file").await?;
    Ok(Person { held, device, sent: Sent::of(parts, body) })
}

/// The session that a person's token opens, and what was said of the device; the body is not looked at.
pub(super) async fn known(api: &Api, parts: &Parts) -> Result<(Held, Option<Value>), Problem> {
    let bad = || Problem::new(Code::BadToken, "the session's token is missing, unknown, or was deleted");
    let token = header_text(&parts.headers, api.brand.auth_token()).ok_or_else(bad)?.trim();
    let token = Uuid::try_parse(token).map_err(|_| bad())?;
    // A path without a session, as that of the supported documents, goes with any.
    let session = segment(parts.uri.path(), "sessions").map(str::parse::<SessionId>);
    let session = session.transpose().map_err(|_| Problem::no_session())?;
    let held = api.identities.by_token(session, &token).await?.ok_or_else(bad)?;
    if held.session.sandbox != sandbox(parts) {
        return Err(Problem::no_session());
    }
    count_person(api, held.session.id.into())?;
    is_served(api, held.session.app).await?;
    request_context::note_application(held.session.app);
    Ok((held, device(&parts.headers, api)?))
}

/// Refuses the person of a business that is not served any more.
async fn is_served(api: &Api, app: AppId) -> Result<(), Problem> {
    let standing = standing::of(&mut api.db.read().await?, app).await?;
    if standing.is_some_and(|standing| standing.may(Feature::Identity)) {
        return Ok(());
    }
    Err(Problem::new(Code::InsufficientPermission, "the business that asked for this is not served"))
}

/// The application that a signed request says it is of: in the query, under either name, in the path, or in the header.
fn application_id(parts: &Parts, api: &Api) -> Option<String> {
    let query = parts.uri.query().unwrap_or_default();
    let named = form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == "sdkId" || name == "sdkID")
        .map(|(_, id)| id.into_owned());
    named
        .or_else(|| segment(parts.uri.path(), "apps").map(str::to_owned))
        .or_else(|| header_text(&parts.headers, api.brand.auth_id()).map(str::to_owned))
}

/// The segment of a path after another.
fn segment<'a>(path: &'a str, after: &str) -> Option<&'a str> {
    let mut segments = path.split('/').skip_while(|segment| *segment != after);
    segments.nth(1).filter(|segment| !segment.is_empty())
}

fn sandbox(parts: &Parts) -> bool {
    parts.extensions.get::<Sandbox>().is_some()
}

/// What a client library said of a device, as it is kept.
fn device(headers: &HeaderMap, api: &Api) -> Result<Option<Value>, Problem> {
    let name = api.brand.device_meta();
    let Some(meta) = headers.get(name) else { return Ok(None) };
    let meta = DeviceMetadata::read(meta.as_bytes(), name.as_str())
        .map_err(|words| Problem::new(Code::MalformedRequest, words))?;
    Ok(serde_json::to_value(meta).ok())
}

impl Business {
    /// A session of this business.
    pub(super) async fn session(&self, api: &Api, id: &str) -> Result<Held, Problem> {
        let id = id.parse().map_err(|_| Problem::no_session())?;
        Ok(api.identities.of(self.app, id, self.sandbox).await?)
    }
}

impl Person {
    /// What a call puts in its place: the file of a form, or an upload that came in pieces before, which a JSON body names
    /// as `upload`, beside `capture_method`.
    pub(super) async fn upload(&self, api: &Api) -> Result<Upload, Problem> {
        let content_type = header_text(&self.sent.headers, &header::CONTENT_TYPE).unwrap_or_default();
        if !content_type.trim_start().to_ascii_lowercase().starts_with("application/json") {
            return self.sent.upload().await;
        }
        let body = self.sent.json()?;
        let id = body.get("upload").and_then(Value::as_str).ok_or_else(|| {
            Problem::violation(
                "upload",
                "it is the id of an upload, or the body is a form with the file itself",
            )
        })?;
        let capture_method = capture_method(&body, "capture_method")?;
        Ok(Upload { bytes: api.identities.uploaded(&self.held, upload_id(id)?).await?, capture_method })
    }
}

/// The id of an upload.
pub(super) fn upload_id(text: &str) -> Result<UploadId, Problem> {
    Ok(text.parse().map_err(|_| NotDone::Missing("upload"))?)
}

/// How something was captured, where a descriptor says so.
fn capture_method(descriptor: &Map<String, Value>, path: &str) -> Result<CaptureMethod, Problem> {
    let word = descriptor.get("capture_method").filter(|word| !word.is_null());
    let Some(word) = word else { return Ok(CaptureMethod::Camera) };
    let read = word.as_str().and_then(|word| word.to_ascii_uppercase().parse().ok());
    read.ok_or_else(|| Problem::violation(path.to_owned(), "it is CAMERA or UPLOAD"))
}

impl Either {
    /// The session of the path.
    pub(super) async fn session(&self, api: &Api, id: &str) -> Result<Held, Problem> {
        match self {
            Self::Business(business) => business.session(api, id).await,
            Self::Person(person) => Ok(person.held.clone()),
        }
    }

    /// Who it is, as far as resources are concerned.
    pub(super) fn by(&self) -> By {
        match self {
            Self::Business(_) => By::RelyingBusiness,
            Self::Person(_) => By::EndUser,
        }
    }

    pub(super) fn sent(&self) -> &Sent {
        match self {
            Self::Business(business) => &business.sent,
            Self::Person(person) => &person.sent,
        }
    }

    pub(super) fn device(&self) -> Option<Value> {
        match self {
            Self::Business(business) => business.device.clone(),
            Self::Person(person) => person.device.clone(),
        }
    }
}

impl Sent {
    fn of(parts: Parts, body: Bytes) -> Self {
        // The path as it came: a key that was used in the sandbox is another in production.
        let path =
            parts.extensions.get::<Sandbox>().map_or_else(|| parts.uri.path(), |Sandbox(uri)| uri.path());
        Self { operation: format!("{} {path}", parts.method), headers: parts.headers, body }
    }

    /// The body as a JSON object; an empty one where nothing was sent.
    pub(super) fn json(&self) -> Result<Map<String, Value>, Problem> {
        let body = if self.body.is_empty() { b"{}" } else { &self.body[..] };
        Ok(json::parse(body)?)
    }

    /// The body, read into a type; as `{}` where nothing was sent.
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        Ok(json::parse(if self.body.is_empty() { b"{}" } else { &self.body })?)
    }

    /// A form's file `binary-content`, and how it was captured.
    pub(super) async fn upload(&self) -> Result<Upload, Problem> {
        let content_type = header_text(&self.headers, &header::CONTENT_TYPE).unwrap_or_default();
        let boundary = multipart::boundary(content_type).ok_or_else(|| {
            Problem::new(Code::UnsupportedMediaType, "the body is multipart/form-data with a boundary")
        })?;
        let parts = multipart::parts(self.body.clone(), &boundary).await.map_err(|words| {
            Problem::new(Code::MalformedRequest, format!("the form cannot be read: {words}"))
        })?;
        let part = |name: &str| parts.iter().find(|part| part.name == name);
        let mut method = CaptureMethod::Camera;
        if let Some(descriptor) = part("descriptor") {
            let descriptor = json::parse(&descriptor.bytes)?;
            method = capture_method(&descriptor, "descriptor.capture_method")?;
        }
        let file =
            part("binary-content").ok_or_else(|| Problem::violation("binary-content", "it is required"))?;
        if file.filename.is_none() {
            return Err(Problem::violation("binary-content", "it is a file: its part needs a filename"));
        }
        Ok(Upload { bytes: file.bytes.to_vec(), capture_method: method })
    }

    /// What a repeat of this call is known by.
    pub(super) fn repeat(&self) -> Result<flow::Once, Problem> {
        let key = idempotency::key(&self.headers)?;
        let request = [self.operation.as_bytes(), b"\n", &self.body].concat();
        Ok(flow::Once { key, request })
    }

    /// The requirement that a body names.
    pub(super) fn requirement(&self) -> Result<Option<String>, Problem> {
        match self.json()?.remove("requirement_id") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Problem::violation("requirement_id", "a text is expected")),
        }
    }

    /// The `Idempotency-Key`, where one came.
    pub(super) fn idempotency_key(&self) -> Result<Option<String>, Problem> {
        idempotency::key(&self.headers)
    }

    /// What a repeat of this call is known by.
    pub(super) fn identity<'a>(&'a self, app: AppId, key: Option<&'a str>) -> RequestIdentity<'a> {
        RequestIdentity { app, account: None, operation: &self.operation, key, body: &self.body }
    }
}
