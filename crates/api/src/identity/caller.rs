//! Who asks: a relying party by its signature or a bearer token, or an end user by the token of their session. What the path
//! names is loaded here, so that a handler begins with what it may work on.

use super::{Code, Problem};
use crate::{
    Api,
    http::{
        auth::{BearerError, authenticate_signature, bearer, count_person},
        body, header_text,
        idempotency::{self, RequestIdentity},
        json, read_device_metadata, request_context,
        virtual_hosts::Sandbox,
    },
};
use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, FromRequestParts, RawPathParams, Request},
    http::{HeaderMap, request::Parts},
};
use base::{AppId, CheckId, MediaId, ResourceId, SessionId, UploadId, Uuid};
use domain::{
    DeviceMetadata, Violation,
    identity::{
        Held, NotDone,
        flow::{self, By},
    },
    tenancy::{Feature, standing, tokens::Scope},
};
use serde::de::DeserializeOwned;
use std::str::FromStr;

/// Room for a payload, or a response configuration.
const MAX_PAYLOAD_BYTES: usize = 512 << 10;
/// Room for a picture or a PDF file, with what stands around it in a form.
const MAX_MEDIA_BYTES: usize = (10 << 20) + (64 << 10);

/// A relying party, and what it sent.
pub(crate) struct RelyingParty {
    pub(super) app: AppId,
    /// Whether the sandbox was called.
    pub(super) sandbox: bool,
    /// What the client library said of a device.
    pub(super) device: Option<DeviceMetadata>,
    pub(super) path: PathParams,
    pub(super) request: ReceivedRequest,
}

/// A relying party that asks about a session of its own.
pub(crate) struct SessionOwner {
    pub(super) party: RelyingParty,
    pub(super) held: Held,
}

/// An end user at their session; a body is not looked at.
pub(crate) struct EndUser {
    pub(super) held: Held,
    /// What the client library said of the device.
    pub(super) device: Option<DeviceMetadata>,
    pub(super) path: PathParams,
}

/// An end user at their session, and what they sent.
pub(crate) struct EndUserRequest {
    pub(super) user: EndUser,
    pub(super) request: ReceivedRequest,
}

/// Either of those who take part in a session.
pub(crate) enum Participant {
    RelyingParty(Box<SessionOwner>),
    EndUser(Box<EndUserRequest>),
}

/// A caller, and the body that was read into a type; as `{}` where nothing was sent.
pub(crate) struct AuthenticatedRequest<C, T> {
    pub(super) caller: C,
    pub(super) body: T,
}

/// A caller whose body was read whole.
pub(crate) trait WithBody {
    fn received(&self) -> &ReceivedRequest;
}

/// A body that was read whole, and its headers.
pub(crate) struct ReceivedRequest {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    operation: String,
}

/// What the path of a request names.
pub(crate) struct PathParams(Vec<(String, String)>);

impl FromRequest<Api> for RelyingParty {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        Self::authenticate(api, parts, body, MAX_PAYLOAD_BYTES).await
    }
}

impl FromRequest<Api> for SessionOwner {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        RelyingParty::from_request(request, api).await?.own_session(api).await
    }
}

impl FromRequestParts<Api> for EndUser {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let path = PathParams::read(parts).await;
        let bad = || Problem::new(Code::BadToken, "the session's token is missing, unknown, or was deleted");
        let token = header_text(&parts.headers, api.brand.auth_token()).ok_or_else(bad)?.trim();
        let token = Uuid::try_parse(token).map_err(|_| bad())?;
        let held = api.identities.by_token(path.session()?, &token).await?.ok_or_else(bad)?;
        if held.session.sandbox != is_sandbox(parts) {
            return Err(Problem::no_session());
        }
        count_person(api, held.session.id.into())?;
        is_served(api, held.session.app).await?;
        request_context::note_application(held.session.app);
        let device = device(&parts.headers, api)?;
        Ok(Self { held, device, path })
    }
}

impl FromRequest<Api> for EndUserRequest {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let user = EndUser::from_request_parts(&mut parts, api).await?;
        let (room, patience) = (MAX_MEDIA_BYTES, api.settings.body_timeout);
        let body = body::read(&parts.headers, body, room, patience, "send a smaller file").await?;
        Ok(Self { user, request: ReceivedRequest::new(parts, body) })
    }
}

impl FromRequest<Api> for Participant {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        if request.headers().contains_key(api.brand.auth_token()) {
            return Ok(Self::EndUser(Box::new(EndUserRequest::from_request(request, api).await?)));
        }
        let (parts, body) = request.into_parts();
        let party = RelyingParty::authenticate(api, parts, body, MAX_MEDIA_BYTES).await?;
        Ok(Self::RelyingParty(Box::new(party.own_session(api).await?)))
    }
}

impl<C, T> FromRequest<Api> for AuthenticatedRequest<C, T>
where
    C: FromRequest<Api, Rejection = Problem> + WithBody,
    T: DeserializeOwned,
{
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let caller = C::from_request(request, api).await?;
        let body = json::parse(caller.received().json())?;
        Ok(Self { caller, body })
    }
}

impl WithBody for RelyingParty {
    fn received(&self) -> &ReceivedRequest {
        &self.request
    }
}

impl WithBody for SessionOwner {
    fn received(&self) -> &ReceivedRequest {
        &self.party.request
    }
}

impl WithBody for EndUserRequest {
    fn received(&self) -> &ReceivedRequest {
        &self.request
    }
}

impl WithBody for Participant {
    fn received(&self) -> &ReceivedRequest {
        match self {
            Self::RelyingParty(owner) => owner.received(),
            Self::EndUser(user) => user.received(),
        }
    }
}

impl RelyingParty {
    async fn authenticate(api: &Api, mut parts: Parts, body: Body, room: usize) -> Result<Self, Problem> {
        let path = PathParams::read(&mut parts).await;
        let signed = parts.headers.contains_key(api.brand.auth_digest());
        let (app, features, body) = if signed {
            let id = application_id(&parts, &path, api);
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
        let (device, sandbox) = (device(&parts.headers, api)?, is_sandbox(&parts));
        Ok(Self { app, sandbox, device, path, request: ReceivedRequest::new(parts, body) })
    }

    async fn own_session(self, api: &Api) -> Result<SessionOwner, Problem> {
        let held = api.identities.of(self.app, self.path.session()?, self.sandbox).await?;
        Ok(SessionOwner { party: self, held })
    }
}

/// Refuses the end user of a relying party that is not served any more.
async fn is_served(api: &Api, app: AppId) -> Result<(), Problem> {
    let standing = standing::of(&mut api.db.read().await?, app).await?;
    if standing.is_some_and(|standing| standing.may(Feature::Identity)) {
        return Ok(());
    }
    Err(Problem::new(Code::InsufficientPermission, "the business that asked for this is not served"))
}

/// The application that a signed request says it is of: in the query, under either name, in the path, or in the header.
fn application_id(parts: &Parts, path: &PathParams, api: &Api) -> Option<String> {
    let query = parts.uri.query().unwrap_or_default();
    let named = form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == "sdkId" || name == "sdkID")
        .map(|(_, id)| id.into_owned());
    named
        .or_else(|| path.get("sdkId").map(str::to_owned))
        .or_else(|| header_text(&parts.headers, api.brand.auth_id()).map(str::to_owned))
}

fn is_sandbox(parts: &Parts) -> bool {
    parts.extensions.get::<Sandbox>().is_some()
}

/// What a client library said of a device, as it is kept.
fn device(headers: &HeaderMap, api: &Api) -> Result<Option<DeviceMetadata>, Problem> {
    let name = api.brand.device_meta();
    let Some(meta) = headers.get(name) else { return Ok(None) };
    let meta = read_device_metadata(meta.as_bytes(), name.as_str())
        .map_err(|words| Problem::new(Code::MalformedRequest, words))?;
    Ok(Some(meta))
}

impl Participant {
    /// The session of the path.
    pub(super) fn held(&self) -> &Held {
        match self {
            Self::RelyingParty(owner) => &owner.held,
            Self::EndUser(user) => &user.user.held,
        }
    }

    /// Who it is, as far as resources are concerned.
    pub(super) fn by(&self) -> By {
        match self {
            Self::RelyingParty(_) => By::RelyingBusiness,
            Self::EndUser(_) => By::EndUser,
        }
    }

    pub(super) fn path(&self) -> &PathParams {
        match self {
            Self::RelyingParty(owner) => &owner.party.path,
            Self::EndUser(user) => &user.user.path,
        }
    }

    pub(super) fn device(&self) -> Option<DeviceMetadata> {
        match self {
            Self::RelyingParty(owner) => owner.party.device.clone(),
            Self::EndUser(user) => user.user.device.clone(),
        }
    }
}

impl ReceivedRequest {
    fn new(parts: Parts, body: Bytes) -> Self {
        // The path as it came: a key that was used in the sandbox is another in production.
        let path =
            parts.extensions.get::<Sandbox>().map_or_else(|| parts.uri.path(), |Sandbox(uri)| uri.path());
        Self { operation: format!("{} {path}", parts.method), headers: parts.headers, body }
    }

    /// The body as JSON; `{}` where nothing was sent.
    pub(super) fn json(&self) -> &[u8] {
        if self.body.is_empty() { b"{}" } else { &self.body }
    }

    /// The body as far as it can be read into a type, and what is wrong with the rest.
    pub(super) fn parse_lenient<T: DeserializeOwned>(&self) -> Result<(T, Vec<Violation>), Problem> {
        Ok(json::parse_lenient(self.json())?)
    }

    /// What a repeat of an end user's call is known by.
    pub(super) fn repeat(&self) -> Result<flow::Once, Problem> {
        let key = idempotency::key(&self.headers)?;
        let request = [self.operation.as_bytes(), b"\n", &self.body].concat();
        Ok(flow::Once { key, request })
    }

    /// The `Idempotency-Key`, where one came.
    pub(super) fn idempotency_key(&self) -> Result<Option<String>, Problem> {
        idempotency::key(&self.headers)
    }

    /// What a repeat of a relying party's call is known by.
    pub(super) fn identity<'a>(&'a self, app: AppId, key: Option<&'a str>) -> RequestIdentity<'a> {
        RequestIdentity { app, account: None, operation: &self.operation, key, body: &self.body }
    }
}

impl PathParams {
    async fn read(parts: &mut Parts) -> Self {
        // What is no text names nothing of ours, and is not there.
        let params = RawPathParams::from_request_parts(parts, &()).await;
        let params = params.iter().flatten();
        Self(params.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn parse<T: FromStr>(&self, name: &str, missing: NotDone) -> Result<T, Problem> {
        Ok(self.get(name).and_then(|text| text.parse().ok()).ok_or(missing)?)
    }

    pub(super) fn session(&self) -> Result<SessionId, Problem> {
        self.parse("sessionId", NotDone::NoSession)
    }

    pub(super) fn resource(&self) -> Result<ResourceId, Problem> {
        self.parse("resourceId", NotDone::Missing("resource"))
    }

    pub(super) fn page(&self) -> Result<u32, Problem> {
        self.parse("page", NotDone::Missing("page"))
    }

    pub(super) fn frame(&self) -> Result<u32, Problem> {
        self.parse("frame", NotDone::Missing("page"))
    }

    pub(super) fn media(&self) -> Result<MediaId, Problem> {
        self.parse("mediaId", NotDone::NoMedia)
    }

    pub(super) fn check(&self) -> Result<CheckId, Problem> {
        self.parse("checkId", NotDone::Missing("check"))
    }

    pub(super) fn upload(&self) -> Result<UploadId, Problem> {
        self.parse("uploadId", NotDone::Missing("upload"))
    }
}
