//! Who asks: a business by its API key or a bearer token, or a person by the address of his session.

use super::{Code, Problem};
use crate::{
    Api,
    http::{
        auth::{BearerError, bearer, count_application, count_person},
        body, header_text,
        idempotency::{self, RequestIdentity, earlier_answer, idempotent},
        json, request_context,
        virtual_hosts::Sandbox,
    },
};
use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, Request},
    http::{HeaderMap, Method, StatusCode, header, request::Parts},
    response::Response,
};
use base::{AgeSessionId, AppId};
use domain::{
    ages::{self, session::Session},
    tenancy::{api_keys, tokens::Scope},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// Room for a payload.
const PAYLOAD: usize = 256 << 10;
/// Room for what a person sends: a photo in base64, with two dozen frames.
const PICTURES: usize = 24 << 20;

/// A business, and what it sent.
pub(crate) struct Business {
    pub(super) app: AppId,
    /// Whether the sandbox was called.
    pub(super) sandbox: bool,
    pub(super) sent: Sent,
}

/// A person at a session, and what he sent.
pub(crate) struct Person {
    pub(super) session: Session,
    /// Whether he is where the business does not want it to be used.
    pub(super) blocked: bool,
    /// Who asks him.
    pub(super) business: ages::Business,
    pub(super) sent: Sent,
}

/// Whoever asks, and what he sent.
pub(crate) struct Anybody {
    pub(super) sandbox: bool,
    pub(super) sent: Sent,
}

/// A wallet at the address of a request, and what it sent.
pub(crate) struct Wallet {
    /// The end of the address.
    pub(super) request: String,
    pub(super) sandbox: bool,
    pub(super) body: Bytes,
}

/// A body that was read whole, and its headers.
pub(super) struct Sent {
    headers: HeaderMap,
    body: Bytes,
    operation: String,
}

impl FromRequest<Api> for Business {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let app = authenticate(api, &parts).await?;
        if parts.method == Method::POST || parts.method == Method::PUT {
            is_json(&parts.headers)?;
        }
        let body = read(api, &parts, body, PAYLOAD, "send less at once").await?;
        Ok(Self { app, sandbox: sandbox(&parts), sent: Sent::of(parts, body) })
    }
}

impl FromRequest<Api> for Person {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let header = api.brand.sdk_id();
        let named = header_text(&parts.headers, header).map(str::trim).filter(|id| !id.is_empty());
        let missing = || Problem::new(Code::MissingSdkId, format!("the header {header} is missing"));
        let named = named.ok_or_else(missing)?.parse::<AppId>().ok();
        let id = parts.uri.path().split('/').skip_while(|segment| *segment != "sessions").nth(1);
        let id: AgeSessionId = id.and_then(|id| id.parse().ok()).ok_or_else(Problem::no_session)?;
        let (session, business) = api.ages.of_person(id, sandbox(&parts)).await?;
        // The address of the page names both; a session under another's name is none.
        if named != Some(session.app) {
            return Err(Problem::no_session());
        }
        request_context::note_application(session.app);
        count_person(api, id.into())?;
        if !session.lives(api.world.now()) {
            return Err(Problem::new(Code::SessionExpired, "the session has expired"));
        }
        let blocked = session.is_blocked_at(api.geo.of(&parts.headers, &parts.extensions).as_ref());
        // He may see that it is so, and call it off.
        let open = parts.method == Method::GET
            || ["/cancel", "/faults"].iter().any(|end| parts.uri.path().ends_with(end));
        if blocked && !open {
            let words = "the business does not offer this where you seem to be";
            return Err(Problem::new(Code::LocationBlocked, words));
        }
        // Pictures come with turns alone.
        let room = if parts.uri.path().contains("/attempts/") { PICTURES } else { PAYLOAD };
        let body = read(api, &parts, body, room, "send smaller pictures").await?;
        Ok(Self { session, blocked, business, sent: Sent::of(parts, body) })
    }
}

impl FromRequest<Api> for Anybody {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let caller = api.geo.caller(&parts.headers, &parts.extensions);
        count_person(api, caller)?;
        let body = read(api, &parts, body, PAYLOAD, "send less at once").await?;
        Ok(Self { sandbox: sandbox(&parts), sent: Sent::of(parts, body) })
    }
}

impl FromRequest<Api> for Wallet {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let sealed = parts.uri.path().split('/').skip_while(|segment| *segment != "wallet").nth(1);
        let sealed = sealed.unwrap_or_default();
        let id = api.ages.wallet_session(sealed).ok_or_else(Problem::no_session)?;
        count_person(api, id.into())?;
        let body = read(api, &parts, body, PAYLOAD, "send one credential").await?;
        Ok(Self { request: sealed.to_owned(), sandbox: sandbox(&parts), body })
    }
}

/// The application of a request, whose key or token opens this interface.
async fn authenticate(api: &Api, parts: &Parts) -> Result<AppId, Problem> {
    let header = api.brand.sdk_id();
    let named = header_text(&parts.headers, header).map(str::trim).filter(|id| !id.is_empty());
    let named =
        named.ok_or_else(|| Problem::new(Code::MissingSdkId, format!("the header {header} is missing")))?;
    let fine = (14..=40).contains(&named.len())
        && named.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let named: Option<AppId> = named.parse().ok().filter(|_| fine);
    let unknown =
        || Problem::new(Code::UnknownSdkId, format!("the header {header} names no application of this key"));

    let token = bearer::token(&parts.headers)?;
    let scope = Scope::AvsSessionsCreate;
    // Tokens that were got for an assertion open it as well.
    if token.starts_with("assay_at_") {
        let bearer = bearer::authenticate(api, &parts.headers, scope).await?;
        return if named == Some(bearer.app) { Ok(bearer.app) } else { Err(unknown()) };
    }
    let holder = {
        let mut view = api.db.read().await?;
        api_keys::holder(&mut view, token).await?
    };
    let holder = holder.ok_or(BearerError::Invalid)?;
    if named != Some(holder.app) {
        return Err(unknown());
    }
    request_context::note_application(holder.app);
    count_application(api, holder.app)?;
    if !holder.standing.is_served() {
        let words = "the application is disabled, or its organisation is none that is served";
        return Err(Problem::new(Code::NotAllowed, words));
    }
    if !holder.standing.may(scope.feature()) {
        return Err(BearerError::Feature(scope).into());
    }
    if !holder.scopes.is_empty() && !holder.scopes.iter().any(|held| held == scope.as_str()) {
        return Err(BearerError::Scope(scope).into());
    }
    Ok(holder.app)
}

/// What was sent. Whoever only asks sends nothing that anybody looks at.
async fn read(
    api: &Api,
    parts: &Parts,
    sent: Body,
    room: usize,
    hint: &'static str,
) -> Result<Bytes, Problem> {
    if parts.method == Method::GET {
        return Ok(Bytes::new());
    }
    Ok(body::read(&parts.headers, sent, room, api.settings.body_timeout, hint).await?)
}

fn is_json(headers: &HeaderMap) -> Result<(), Problem> {
    let kind = header_text(headers, &header::CONTENT_TYPE)
        .ok_or_else(|| Problem::new(Code::InvalidRequest, "the header Content-Type is missing"))?;
    let essence = kind.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Problem::new(Code::UnsupportedMediaType, "the header Content-Type is application/json"))
}

fn sandbox(parts: &Parts) -> bool {
    parts.extensions.get::<Sandbox>().is_some()
}

impl Business {
    /// A session of this business.
    pub(super) async fn session(&self, api: &Api, id: &str) -> Result<Session, Problem> {
        let id = id.parse().map_err(|_| Problem::no_session())?;
        Ok(api.ages.of(self.app, id, self.sandbox).await?)
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
        Ok(json::parse(self.bytes())?)
    }

    /// The body, read into a type; as `{}` where nothing was sent.
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        Ok(json::parse(self.bytes())?)
    }

    /// The names of its members, in the order in which they came.
    pub(super) fn order(&self) -> Result<Vec<String>, Problem> {
        Ok(json::member_names(self.bytes())?)
    }

    fn bytes(&self) -> &[u8] {
        if self.body.is_empty() { b"{}" } else { &self.body[..] }
    }

    /// Whether it came with an `Idempotency-Key`.
    pub(super) fn is_once(&self) -> Result<bool, Problem> {
        Ok(self.key()?.is_some())
    }

    /// The `Idempotency-Key`, where one came.
    pub(super) fn key(&self) -> Result<Option<String>, Problem> {
        idempotency::key(&self.headers)
    }

    /// What a repeat of this call is known by.
    pub(super) fn identity<'a>(&'a self, app: AppId, key: Option<&'a str>) -> RequestIdentity<'a> {
        RequestIdentity { app, account: None, operation: &self.operation, key, body: &self.body }
    }

    /// What was answered before under the same key. Nothing is held: for what is done in more than one transaction, and
    /// answered with [`Self::keep`].
    pub(super) async fn known(&self, api: &Api, app: AppId) -> Result<Option<Response>, Problem> {
        let key = self.key()?;
        earlier_answer(api, &self.identity(app, key.as_deref())).await
    }

    /// Answers, and keeps the answer for repeats. Of two requests at once the answer of the first is kept, and given to both.
    pub(super) async fn keep<T: Serialize>(
        &self,
        api: &Api,
        app: AppId,
        status: StatusCode,
        answer: &T,
    ) -> Result<Response, Problem> {
        let key = self.key()?;
        idempotent(api, self.identity(app, key.as_deref()), async |_| Ok((status, answer))).await
    }
}
