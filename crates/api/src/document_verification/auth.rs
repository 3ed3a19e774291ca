//! Extractors that authenticate callers: a relying party by its signature or a bearer token, or an end user by the
//! token of their session. The session that the path names is loaded here, so that handlers begin with it.

use super::{DocumentApiError, DocumentErrorCode};
use crate::{
    ApiState,
    http::{
        auth::{BearerError, CallerLookup, authenticate_signature, bearer, count_end_user},
        body, header_text,
        idempotency::{self, RequestFingerprint, operation_of},
        json, read_device_metadata, request_context,
        virtual_hosts::SandboxUri,
    },
};
use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, FromRequestParts, RawPathParams, Request},
    http::{HeaderMap, request::Parts},
};
use base::{
    AppId, DocumentSessionId, FraudListEntryId, MediaId, ResourceId, UploadId, Uuid, VerificationCheckId,
};
use domain::{
    DeviceMetadata, Violation,
    document_verification::{DocumentSessionError, IdempotentCall, ResourceCaller, UnsealedDocumentSession},
    tenancy::{Feature, application_status, tokens::TokenScope},
};
use serde::de::DeserializeOwned;
use std::str::FromStr;

/// Room for a payload, or a response configuration.
const MAX_PAYLOAD_BYTES: usize = 512 << 10;
/// Room for a picture or a PDF file, with the overhead of a form.
const MAX_MEDIA_BYTES: usize = (10 << 20) + (64 << 10);

/// A request of an authenticated relying party.
pub(crate) struct RelyingPartyRequest {
    pub(super) app: AppId,
    /// Whether the sandbox was called.
    pub(super) sandbox: bool,
    /// The device, as the client library described it.
    pub(super) device: Option<DeviceMetadata>,
    pub(super) path: PathParams,
    pub(super) request: ReceivedRequest,
}

/// A request of a relying party about a session of its own.
pub(crate) struct SessionOwner {
    pub(super) party: RelyingPartyRequest,
    pub(super) stored: UnsealedDocumentSession,
}

/// An end user with the token of their session; the body is not read.
pub(crate) struct DocumentEndUser {
    pub(super) stored: UnsealedDocumentSession,
    /// The device, as the client library described it.
    pub(super) device: Option<DeviceMetadata>,
    pub(super) path: PathParams,
}

/// An end user with the token of their session, and their request with its body.
pub(crate) struct EndUserRequest {
    pub(super) user: DocumentEndUser,
    pub(super) request: ReceivedRequest,
}

pub(crate) enum Participant {
    RelyingParty(Box<SessionOwner>),
    EndUser(Box<EndUserRequest>),
}

/// A caller, and their body read into a type; an empty body is read as `{}`.
pub(crate) struct AuthenticatedRequest<C, T> {
    pub(super) caller: C,
    pub(super) body: T,
}

/// A caller whose body was read whole.
pub(crate) trait CallerWithBody {
    fn received(&self) -> &ReceivedRequest;
}

/// A body that was read whole, and its headers.
pub(crate) struct ReceivedRequest {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    operation: String,
}

pub(crate) struct PathParams(Vec<(String, String)>);

impl FromRequest<ApiState> for RelyingPartyRequest {
    type Rejection = DocumentApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, DocumentApiError> {
        let (parts, body) = request.into_parts();
        Self::authenticate(api, parts, body, MAX_PAYLOAD_BYTES).await
    }
}

impl FromRequest<ApiState> for SessionOwner {
    type Rejection = DocumentApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, DocumentApiError> {
        RelyingPartyRequest::from_request(request, api).await?.load_own_session(api).await
    }
}

impl FromRequestParts<ApiState> for DocumentEndUser {
    type Rejection = DocumentApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, DocumentApiError> {
        let path = PathParams::read(parts).await;
        let bad = || {
            DocumentApiError::new(
                DocumentErrorCode::BadToken,
                "the session's token is missing, unknown, or was deleted",
            )
        };
        let token = header_text(&parts.headers, api.brand.auth_token()).ok_or_else(bad)?.trim();
        let token = Uuid::try_parse(token).map_err(|_| bad())?;
        let held = api
            .document_verification
            .authenticate_end_user(path.session()?, &token)
            .await?
            .ok_or_else(bad)?;
        if held.session.sandbox != is_sandbox(parts) {
            return Err(DocumentApiError::session_not_found());
        }
        request_context::note_application(held.session.app);
        count_end_user(api, held.session.id.into())?;
        require_served(api, held.session.app).await?;
        let device = device_metadata(&parts.headers, api)?;
        Ok(Self { stored: held, device, path })
    }
}

impl FromRequest<ApiState> for EndUserRequest {
    type Rejection = DocumentApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, DocumentApiError> {
        let (mut parts, body) = request.into_parts();
        let user = DocumentEndUser::from_request_parts(&mut parts, api).await?;
        let body = body::read(
            api,
            &parts,
            Some(user.stored.session.app),
            body,
            MAX_MEDIA_BYTES,
            "send a smaller file",
        )
        .await?;
        Ok(Self { user, request: ReceivedRequest::new(parts, body) })
    }
}

impl FromRequest<ApiState> for Participant {
    type Rejection = DocumentApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, DocumentApiError> {
        if request.headers().contains_key(api.brand.auth_token()) {
            return Ok(Self::EndUser(Box::new(EndUserRequest::from_request(request, api).await?)));
        }
        let (parts, body) = request.into_parts();
        let party = RelyingPartyRequest::authenticate(api, parts, body, MAX_MEDIA_BYTES).await?;
        Ok(Self::RelyingParty(Box::new(party.load_own_session(api).await?)))
    }
}

impl<C, T> FromRequest<ApiState> for AuthenticatedRequest<C, T>
where
    C: FromRequest<ApiState, Rejection = DocumentApiError> + CallerWithBody,
    T: DeserializeOwned,
{
    type Rejection = DocumentApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, DocumentApiError> {
        let caller = C::from_request(request, api).await?;
        let body = json::parse(caller.received().json())?;
        Ok(Self { caller, body })
    }
}

impl CallerWithBody for RelyingPartyRequest {
    fn received(&self) -> &ReceivedRequest {
        &self.request
    }
}

impl CallerWithBody for SessionOwner {
    fn received(&self) -> &ReceivedRequest {
        &self.party.request
    }
}

impl CallerWithBody for EndUserRequest {
    fn received(&self) -> &ReceivedRequest {
        &self.request
    }
}

impl CallerWithBody for Participant {
    fn received(&self) -> &ReceivedRequest {
        match self {
            Self::RelyingParty(owner) => owner.received(),
            Self::EndUser(user) => user.received(),
        }
    }
}

impl RelyingPartyRequest {
    async fn authenticate(
        api: &ApiState,
        mut parts: Parts,
        body: Body,
        room: usize,
    ) -> Result<Self, DocumentApiError> {
        let path = PathParams::read(&mut parts).await;
        let signed = parts.headers.contains_key(api.brand.auth_digest());
        let (app, features, body) = if signed {
            let id = application_id(&parts, &path, api);
            let proven =
                authenticate_signature(api, &parts, body, room, "send less at once", id.as_deref()).await?;
            (proven.caller.app, proven.caller.features, proven.body)
        } else if parts.headers.contains_key(api.brand.auth_token()) {
            return Err(DocumentApiError::new(
                DocumentErrorCode::MessageSigning,
                "this is for businesses: it needs a signature",
            ));
        } else {
            let lookup = CallerLookup::begin(api);
            let authenticate = || bearer::authenticate(api, &parts.headers, TokenScope::IdvSessions);
            let bearer = authenticate().await?;
            let body = body::read(api, &parts, Some(bearer.app), body, room, "send less at once").await?;
            let bearer = lookup.renew(api, bearer, authenticate()).await?;
            (bearer.app, bearer.features, body)
        };
        if !features.contains(&Feature::Identity) {
            return Err(BearerError::Feature(TokenScope::IdvSessions).into());
        }
        let (device, sandbox) = (device_metadata(&parts.headers, api)?, is_sandbox(&parts));
        Ok(Self { app, sandbox, device, path, request: ReceivedRequest::new(parts, body) })
    }

    /// Refuses the sandbox, where documents and faces are not looked at, so that a list would have no effect.
    pub(super) fn require_production(&self) -> Result<(), DocumentApiError> {
        if self.sandbox {
            let message = "the sandbox looks at no document and no face; lists are kept in production";
            return Err(DocumentApiError::new(DocumentErrorCode::InsufficientPermission, message));
        }
        Ok(())
    }

    /// The check that the path names, where a reviewer may decide it. Nobody reviews what the sandbox answers, so it has none.
    pub(super) fn reviewable_check(&self) -> Result<VerificationCheckId, DocumentApiError> {
        if self.sandbox {
            return Err(DocumentSessionError::ItemNotFound("check").into());
        }
        self.path.check()
    }

    async fn load_own_session(self, api: &ApiState) -> Result<SessionOwner, DocumentApiError> {
        let held = api
            .document_verification
            .find_for_relying_party(self.app, self.path.session()?, self.sandbox)
            .await?;
        Ok(SessionOwner { party: self, stored: held })
    }
}

/// Refuses end users if the relying party's application may not use this product any more.
async fn require_served(api: &ApiState, app: AppId) -> Result<(), DocumentApiError> {
    let standing = application_status::find(&mut api.db.read_once().await?, app).await?;
    if standing.is_some_and(|standing| standing.allows(Feature::Identity)) {
        return Ok(());
    }
    Err(DocumentApiError::new(
        DocumentErrorCode::InsufficientPermission,
        "the business that asked for this can no longer use this service",
    ))
}

/// The application id of a signed request: from the query, under either name, or else the path, or else the header.
fn application_id(parts: &Parts, path: &PathParams, api: &ApiState) -> Option<String> {
    let query = parts.uri.query().unwrap_or_default();
    let named = form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == "sdkId" || name == "sdkID")
        .map(|(_, id)| id.into_owned());
    named
        .or_else(|| path.get("sdkId").map(str::to_owned))
        .or_else(|| header_text(&parts.headers, api.brand.auth_id()).map(str::to_owned))
}

fn is_sandbox(parts: &Parts) -> bool {
    parts.extensions.get::<SandboxUri>().is_some()
}

/// The device, as the client library describes it in a header.
fn device_metadata(headers: &HeaderMap, api: &ApiState) -> Result<Option<DeviceMetadata>, DocumentApiError> {
    let name = api.brand.device_meta();
    let Some(meta) = headers.get(name) else { return Ok(None) };
    let meta = read_device_metadata(meta.as_bytes(), name.as_str())
        .map_err(|words| DocumentApiError::new(DocumentErrorCode::MalformedRequest, words))?;
    Ok(Some(meta))
}

impl Participant {
    pub(super) fn stored(&self) -> &UnsealedDocumentSession {
        match self {
            Self::RelyingParty(owner) => &owner.stored,
            Self::EndUser(user) => &user.user.stored,
        }
    }

    pub(super) fn role(&self) -> ResourceCaller {
        match self {
            Self::RelyingParty(_) => ResourceCaller::RelyingParty,
            Self::EndUser(_) => ResourceCaller::EndUser,
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
        Self { operation: operation_of(&parts), headers: parts.headers, body }
    }

    /// The body as JSON; `{}` if it is empty.
    pub(super) fn json(&self) -> &[u8] {
        if self.body.is_empty() { b"{}" } else { &self.body }
    }

    /// Reads the body as far as it can be read into a type; also returns the violations of the rest.
    pub(super) fn parse_lenient<T: DeserializeOwned>(&self) -> Result<(T, Vec<Violation>), DocumentApiError> {
        Ok(json::parse_lenient(self.json())?)
    }

    /// What a repeat of an end user's call is recognised by.
    pub(super) fn end_user_fingerprint(&self) -> Result<IdempotentCall, DocumentApiError> {
        let key = idempotency::idempotency_key(&self.headers)?;
        let request = [self.operation.as_bytes(), b"\n", &self.body].concat();
        Ok(IdempotentCall { key, request })
    }

    pub(super) fn idempotency_key(&self) -> Result<Option<String>, DocumentApiError> {
        idempotency::idempotency_key(&self.headers)
    }

    /// What a repeat of a relying party's call is recognised by.
    pub(super) fn fingerprint<'a>(&'a self, app: AppId, key: Option<&'a str>) -> RequestFingerprint<'a> {
        let actor = format!("application:{app}");
        RequestFingerprint { app, account: None, operation: &self.operation, key, body: &self.body, actor }
    }
}

impl PathParams {
    async fn read(parts: &mut Parts) -> Self {
        // A path that is not valid UTF-8 names nothing here, so it has no parameters.
        let params = RawPathParams::from_request_parts(parts, &()).await;
        let params = params.iter().flatten();
        Self(params.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn parse<T: FromStr>(&self, name: &str, missing: DocumentSessionError) -> Result<T, DocumentApiError> {
        Ok(self.get(name).and_then(|text| text.parse().ok()).ok_or(missing)?)
    }

    pub(super) fn session(&self) -> Result<DocumentSessionId, DocumentApiError> {
        self.parse("sessionId", DocumentSessionError::SessionNotFound)
    }

    pub(super) fn resource(&self) -> Result<ResourceId, DocumentApiError> {
        self.parse("resourceId", DocumentSessionError::ItemNotFound("resource"))
    }

    pub(super) fn page(&self) -> Result<u32, DocumentApiError> {
        self.parse("page", DocumentSessionError::ItemNotFound("page"))
    }

    pub(super) fn frame(&self) -> Result<u32, DocumentApiError> {
        self.parse("frame", DocumentSessionError::ItemNotFound("frame"))
    }

    pub(super) fn media(&self) -> Result<MediaId, DocumentApiError> {
        self.parse("mediaId", DocumentSessionError::MediaNotFound)
    }

    pub(super) fn check(&self) -> Result<VerificationCheckId, DocumentApiError> {
        self.parse("checkId", DocumentSessionError::ItemNotFound("check"))
    }

    pub(super) fn fraud_list_entry(&self) -> Result<FraudListEntryId, DocumentApiError> {
        self.parse("entryId", DocumentSessionError::ItemNotFound("entry"))
    }

    pub(super) fn upload(&self) -> Result<UploadId, DocumentApiError> {
        self.parse("uploadId", DocumentSessionError::ItemNotFound("upload"))
    }
}
