//! Who asks: a relying party by its API key or a bearer token, an end user by the address of their session, a wallet by the
//! sealed address of a request, or anybody. What the path names is loaded here as well.

use super::{Code, Problem};
use crate::{
    Api,
    http::{
        auth::{BearerError, bearer, count_application, count_person},
        header_text, request_context,
        virtual_hosts::Sandbox,
    },
};
use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
};
use base::{AgeSessionId, AppId, AttemptId};
use domain::{
    ages::{self, session::Session},
    tenancy::{api_keys, tokens::Scope},
};
use serde::Deserialize;
use std::marker::PhantomData;

/// What tokens begin with that were got for an assertion.
const TOKEN_PREFIX: &str = "assay_at_";

/// A relying party that is served and may use this interface.
pub(crate) struct RelyingParty {
    pub(super) app: AppId,
    /// Whether the sandbox was called.
    pub(super) sandbox: bool,
}

/// A session of the relying party that asks.
pub(crate) struct OwnSession(pub(super) Session);

/// The same in the sandbox; production has nothing at this address.
pub(crate) struct OwnSandboxSession(pub(super) Session);

/// What an operation does with end users who are where the relying party does not want its session to be used.
pub(crate) trait BlockedLocation: Send {
    /// Whether they are refused.
    const REFUSED: bool;
}

/// They are refused.
pub(crate) struct Refused;

impl BlockedLocation for Refused {
    const REFUSED: bool = true;
}

/// They are let in: to see that it is so, and to call the session off.
pub(crate) struct Admitted;

impl BlockedLocation for Admitted {
    const REFUSED: bool = false;
}

/// An end user at the page of a session that has not expired.
pub(crate) struct EndUser<L = Refused> {
    pub(super) session: Session,
    /// Who asks them.
    pub(super) business: ages::Business,
    /// Whether they are where the session is not to be used.
    pub(super) is_blocked: bool,
    location: PhantomData<L>,
}

/// The attempt that a path names.
pub(crate) struct NamedAttempt(pub(super) AttemptId);

/// Which of the two is called; open to the world, and not counted.
pub(crate) struct Environment {
    pub(super) sandbox: bool,
}

/// Somebody of whom nothing is known; they are counted by their address.
pub(crate) struct Anonymous {
    pub(super) sandbox: bool,
}

/// A wallet at the sealed address of a request. Its calls are counted with those of the session.
pub(crate) struct WalletCaller {
    /// The end of the address.
    pub(super) request: String,
    pub(super) sandbox: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionPath {
    session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AttemptPath {
    attempt_id: String,
}

#[derive(Deserialize)]
struct WalletPath {
    request: String,
}

/// What a path names; whatever cannot be an id is nobody's session.
async fn named_session(parts: &mut Parts) -> Result<AgeSessionId, Problem> {
    let path = Path::<SessionPath>::from_request_parts(parts, &()).await.ok();
    path.and_then(|Path(path)| path.session_id.parse().ok()).ok_or_else(Problem::no_session)
}

fn is_sandbox(parts: &Parts) -> bool {
    parts.extensions.get::<Sandbox>().is_some()
}

/// The application that the SDK header names.
fn named_application<'a>(api: &Api, parts: &'a Parts) -> Result<&'a str, Problem> {
    let header = api.brand.sdk_id();
    let named = header_text(&parts.headers, header).map(str::trim).filter(|id| !id.is_empty());
    named.ok_or_else(|| Problem::new(Code::MissingSdkId, format!("the header {header} is missing")))
}

impl FromRequestParts<Api> for RelyingParty {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let named = named_application(api, parts)?;
        let fine = (14..=40).contains(&named.len())
            && named.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        let named: Option<AppId> = named.parse().ok().filter(|_| fine);
        let token = bearer::token(&parts.headers)?;
        let app = if token.starts_with(TOKEN_PREFIX) {
            token_holder(api, parts, named).await?
        } else {
            key_holder(api, token, named).await?
        };
        Ok(Self { app, sandbox: is_sandbox(parts) })
    }
}

/// The application of a token that was got for an assertion.
async fn token_holder(api: &Api, parts: &Parts, named: Option<AppId>) -> Result<AppId, Problem> {
    let holder = bearer::authenticate(api, &parts.headers, Scope::AvsSessionsCreate).await?;
    if named == Some(holder.app) { Ok(holder.app) } else { Err(unknown_application(api)) }
}

/// The application of an API key.
async fn key_holder(api: &Api, key: &str, named: Option<AppId>) -> Result<AppId, Problem> {
    let holder = {
        let mut view = api.db.read().await?;
        api_keys::holder(&mut view, key).await?
    };
    let holder = holder.ok_or(BearerError::Invalid)?;
    if named != Some(holder.app) {
        return Err(unknown_application(api));
    }
    request_context::note_application(holder.app);
    count_application(api, holder.app)?;
    if !holder.standing.is_served() {
        let words = "the application is disabled, or its organisation is none that is served";
        return Err(Problem::new(Code::NotAllowed, words));
    }
    let scope = Scope::AvsSessionsCreate;
    if !holder.standing.may(scope.feature()) {
        return Err(BearerError::Feature(scope).into());
    }
    if !holder.scopes.is_empty() && !holder.scopes.iter().any(|held| held == scope.as_str()) {
        return Err(BearerError::Scope(scope).into());
    }
    Ok(holder.app)
}

fn unknown_application(api: &Api) -> Problem {
    let header = api.brand.sdk_id();
    Problem::new(Code::UnknownSdkId, format!("the header {header} names no application of this key"))
}

impl FromRequestParts<Api> for OwnSession {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let RelyingParty { app, sandbox } = RelyingParty::from_request_parts(parts, api).await?;
        let id = named_session(parts).await?;
        Ok(Self(api.ages.of(app, id, sandbox).await?))
    }
}

impl FromRequestParts<Api> for OwnSandboxSession {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let RelyingParty { app, sandbox } = RelyingParty::from_request_parts(parts, api).await?;
        if !sandbox {
            return Err(Problem::new(Code::NotFound, "response configurations are the sandbox's"));
        }
        let id = named_session(parts).await?;
        Ok(Self(api.ages.of(app, id, sandbox).await?))
    }
}

impl<L: BlockedLocation> FromRequestParts<Api> for EndUser<L> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let named = named_application(api, parts)?.parse::<AppId>().ok();
        let id = named_session(parts).await?;
        let (session, business) = api.ages.of_person(id, is_sandbox(parts)).await?;
        // The address of the page names both; a session under another's name is none.
        if named != Some(session.app) {
            return Err(Problem::no_session());
        }
        request_context::note_application(session.app);
        count_person(api, id.into())?;
        if !session.lives(api.world.now()) {
            return Err(Problem::new(Code::SessionExpired, "the session has expired"));
        }
        let is_blocked = session.is_blocked_at(api.geo.of(&parts.headers, &parts.extensions).as_ref());
        if is_blocked && L::REFUSED {
            let words = "the business does not offer this where you seem to be";
            return Err(Problem::new(Code::LocationBlocked, words));
        }
        Ok(Self { session, business, is_blocked, location: PhantomData })
    }
}

impl FromRequestParts<Api> for NamedAttempt {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Api) -> Result<Self, Problem> {
        let path = Path::<AttemptPath>::from_request_parts(parts, &()).await.ok();
        let id = path.and_then(|Path(path)| path.attempt_id.parse().ok());
        Ok(Self(id.ok_or(ages::NotDone::Stale)?))
    }
}

impl FromRequestParts<Api> for Environment {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Api) -> Result<Self, Problem> {
        Ok(Self { sandbox: is_sandbox(parts) })
    }
}

impl FromRequestParts<Api> for Anonymous {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        count_person(api, api.geo.caller(&parts.headers, &parts.extensions))?;
        Ok(Self { sandbox: is_sandbox(parts) })
    }
}

impl FromRequestParts<Api> for WalletCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let path = Path::<WalletPath>::from_request_parts(parts, &()).await;
        let Path(WalletPath { request }) = path.map_err(|_| Problem::no_session())?;
        let id = api.ages.wallet_session(&request).ok_or_else(Problem::no_session)?;
        count_person(api, id.into())?;
        Ok(Self { request, sandbox: is_sandbox(parts) })
    }
}
