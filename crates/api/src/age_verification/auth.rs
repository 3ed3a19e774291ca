//! Extractors that authenticate callers: a relying party by its API key or a bearer token, an end user by the address
//! of their session, a wallet by the sealed address of a request. Some operations are open to anonymous callers. The
//! session or attempt that the path names is loaded here as well.

use super::{AgeApiError, AgeErrorCode};
use crate::{
    ApiState,
    http::{
        auth::{BearerError, CallerLookup, bearer, count_application, count_end_user},
        header_text, request_context,
        virtual_hosts::SandboxUri,
    },
};
use axum::{
    extract::{FromRequest, FromRequestParts, Path, Request},
    http::request::Parts,
};
use base::{AgeAttemptId, AgeSessionId, AppId, Timestamp};
use domain::{
    age_verification::{self, session::AgeSession, types::AgeSessionStatus},
    tenancy::{api_keys, tokens::TokenScope},
};
use serde::Deserialize;
use std::marker::PhantomData;

/// Prefix of access tokens that were issued for a client assertion.
const ACCESS_TOKEN_PREFIX: &str = "assay_at_";

/// An authenticated relying party whose application may use this interface.
pub(crate) struct RelyingParty {
    pub(super) app: AppId,
    /// Whether the sandbox was called.
    pub(super) sandbox: bool,
}

/// A session of the calling relying party.
pub(crate) struct OwnSession(pub(super) AgeSession);

/// The same in the sandbox; production answers 404 at this address.
pub(crate) struct OwnSandboxSession(pub(super) AgeSession);

/// A caller by API key or bearer token, and the body that they send.
pub(crate) struct AgeRelyingPartyRequest<C, B>(pub(super) C, pub(super) B);

/// What an operation does with end users in a location that the session blocks.
pub(crate) trait LocationPolicy: Send {
    const REFUSES_BLOCKED_LOCATIONS: bool;
}

pub(crate) struct RefuseBlockedLocations;

impl LocationPolicy for RefuseBlockedLocations {
    const REFUSES_BLOCKED_LOCATIONS: bool = true;
}

/// They are let in, so that they can see that they are blocked, and can cancel the session or take back consent.
pub(crate) struct AdmitBlockedLocations;

impl LocationPolicy for AdmitBlockedLocations {
    const REFUSES_BLOCKED_LOCATIONS: bool = false;
}

/// Until when an operation serves the end user of a session.
pub(crate) trait TimePolicy: Send {
    fn is_served(session: &AgeSession, now: Timestamp) -> bool;
}

/// Until the session expires.
pub(crate) struct WhileLive;

impl TimePolicy for WhileLive {
    fn is_served(session: &AgeSession, now: Timestamp) -> bool {
        session.is_live(now)
    }
}

/// Also afterwards, as long as the page shows the session ([`AgeSession::is_shown`]).
pub(crate) struct WhileShown;

impl TimePolicy for WhileShown {
    fn is_served(session: &AgeSession, now: Timestamp) -> bool {
        session.is_shown(now)
    }
}

/// Also afterwards, as long as a check runs on that may use the end user's face.
pub(crate) struct WhileChecked;

impl TimePolicy for WhileChecked {
    fn is_served(session: &AgeSession, now: Timestamp) -> bool {
        session.is_live(now) || session.state == AgeSessionStatus::Processing
    }
}

/// An end user on the page of a session that has not expired, or that the operation still serves.
pub(crate) struct AgeEndUser<L = RefuseBlockedLocations, T = WhileLive> {
    pub(super) session: AgeSession,
    pub(super) relying_party: age_verification::RelyingPartyProfile,
    /// Whether they are in a location that the session blocks.
    pub(super) is_blocked: bool,
    policies: PhantomData<(L, T)>,
}

/// The attempt that a path names.
pub(crate) struct AttemptInPath(pub(super) AgeAttemptId);

/// An anonymous caller who is not rate limited.
pub(crate) struct UnmeteredCaller {
    pub(super) sandbox: bool,
}

/// An anonymous caller, rate limited by network address.
pub(crate) struct AnonymousCaller {
    pub(super) sandbox: bool,
}

/// A wallet at the sealed address of a request. Its calls count towards the rate limit of the session.
pub(crate) struct WalletCaller {
    /// The last segment of the path.
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

/// The session id in the path. Text that cannot be an id is refused like the id of a session that does not exist.
async fn session_id_of_path(parts: &mut Parts) -> Result<AgeSessionId, AgeApiError> {
    let path = Path::<SessionPath>::from_request_parts(parts, &()).await.ok();
    path.and_then(|Path(path)| path.session_id.parse().ok()).ok_or_else(AgeApiError::session_not_found)
}

fn is_sandbox(parts: &Parts) -> bool {
    parts.extensions.get::<SandboxUri>().is_some()
}

/// The application id in the SDK header.
fn sdk_id_header<'a>(api: &ApiState, parts: &'a Parts) -> Result<&'a str, AgeApiError> {
    let header = api.brand.sdk_id();
    let named = header_text(&parts.headers, header).map(str::trim).filter(|id| !id.is_empty());
    named.ok_or_else(|| {
        AgeApiError::new(AgeErrorCode::MissingSdkId, format!("the header {header} is missing"))
    })
}

impl FromRequestParts<ApiState> for RelyingParty {
    type Rejection = AgeApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, AgeApiError> {
        let named = sdk_id_header(api, parts)?;
        let fine = (14..=40).contains(&named.len())
            && named.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        let named: Option<AppId> = named.parse().ok().filter(|_| fine);
        let token = bearer::bearer_token(&parts.headers)?;
        let app = if token.starts_with(ACCESS_TOKEN_PREFIX) {
            application_of_token(api, parts, named).await?
        } else {
            application_of_api_key(api, token, named).await?
        };
        Ok(Self { app, sandbox: is_sandbox(parts) })
    }
}

/// The application of an access token that was issued for a client assertion.
async fn application_of_token(
    api: &ApiState,
    parts: &Parts,
    named: Option<AppId>,
) -> Result<AppId, AgeApiError> {
    let holder = bearer::authenticate(api, &parts.headers, TokenScope::AvsSessionsCreate).await?;
    if named == Some(holder.app) { Ok(holder.app) } else { Err(unknown_application(api)) }
}

async fn application_of_api_key(
    api: &ApiState,
    key: &str,
    named: Option<AppId>,
) -> Result<AppId, AgeApiError> {
    let holder = api_keys::authenticate(&mut api.db.read_once().await?, &*api.environment, key).await?;
    let holder = holder.ok_or(BearerError::Invalid)?;
    api_keys::record_use(&api.db, &*api.environment, holder.key_use());
    if named != Some(holder.app) {
        return Err(unknown_application(api));
    }
    request_context::note_application(holder.app);
    count_application(api, holder.app, &holder.status.limits).await?;
    if !holder.status.is_served() {
        let words = "the application is disabled, or its organisation is suspended";
        return Err(AgeApiError::new(AgeErrorCode::NotAllowed, words));
    }
    let scope = TokenScope::AvsSessionsCreate;
    if !holder.status.allows(scope.feature()) {
        return Err(BearerError::Feature(scope).into());
    }
    if !holder.scopes.is_empty() && !holder.scopes.iter().any(|held| held == scope.as_str()) {
        return Err(BearerError::Scope(scope).into());
    }
    Ok(holder.app)
}

fn unknown_application(api: &ApiState) -> AgeApiError {
    let header = api.brand.sdk_id();
    AgeApiError::new(
        AgeErrorCode::UnknownSdkId,
        format!("the header {header} names no application of this key"),
    )
}

impl FromRequestParts<ApiState> for OwnSession {
    type Rejection = AgeApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, AgeApiError> {
        let RelyingParty { app, sandbox } = RelyingParty::from_request_parts(parts, api).await?;
        let id = session_id_of_path(parts).await?;
        Ok(Self(api.age_verification.get_session(app, id, sandbox).await?))
    }
}

impl FromRequestParts<ApiState> for OwnSandboxSession {
    type Rejection = AgeApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, AgeApiError> {
        let RelyingParty { app, sandbox } = RelyingParty::from_request_parts(parts, api).await?;
        if !sandbox {
            return Err(AgeApiError::new(
                AgeErrorCode::NotFound,
                "response configurations exist only in the sandbox",
            ));
        }
        let id = session_id_of_path(parts).await?;
        Ok(Self(api.age_verification.get_session(app, id, sandbox).await?))
    }
}

impl<C, B> FromRequest<ApiState> for AgeRelyingPartyRequest<C, B>
where
    C: FromRequestParts<ApiState, Rejection = AgeApiError> + Send,
    B: FromRequest<ApiState, Rejection = AgeApiError> + Send,
{
    type Rejection = AgeApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, AgeApiError> {
        let (mut parts, body) = request.into_parts();
        let lookup = CallerLookup::begin(api);
        let caller = C::from_request_parts(&mut parts, api).await?;
        let body = B::from_request(Request::from_parts(parts.clone(), body), api).await?;
        let caller = lookup.renew(api, caller, C::from_request_parts(&mut parts, api)).await?;
        Ok(Self(caller, body))
    }
}

impl<L: LocationPolicy, T: TimePolicy> FromRequestParts<ApiState> for AgeEndUser<L, T> {
    type Rejection = AgeApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, AgeApiError> {
        let named = sdk_id_header(api, parts)?.parse::<AppId>().ok();
        let id = session_id_of_path(parts).await?;
        let (session, business) = api.age_verification.end_user_session(id, is_sandbox(parts)).await?;
        // The address of the page names the application as well; if it is another one's, answer as if there were no
        // session.
        if named != Some(session.app) {
            return Err(AgeApiError::session_not_found());
        }
        request_context::note_application(session.app);
        count_end_user(api, id.into())?;
        if !T::is_served(&session, api.environment.now()) {
            return Err(AgeApiError::new(AgeErrorCode::SessionExpired, "the session has expired"));
        }
        let is_blocked =
            session.is_blocked_at(api.geo_locator.locate(&parts.headers, &parts.extensions).as_ref());
        if is_blocked && L::REFUSES_BLOCKED_LOCATIONS {
            return Err(AgeApiError::location_blocked());
        }
        Ok(Self { session, relying_party: business, is_blocked, policies: PhantomData })
    }
}

impl FromRequestParts<ApiState> for AttemptInPath {
    type Rejection = AgeApiError;

    async fn from_request_parts(parts: &mut Parts, _: &ApiState) -> Result<Self, AgeApiError> {
        let path = Path::<AttemptPath>::from_request_parts(parts, &()).await.ok();
        let id = path.and_then(|Path(path)| path.attempt_id.parse().ok());
        Ok(Self(id.ok_or(age_verification::AgeSessionError::StaleContinuation)?))
    }
}

impl FromRequestParts<ApiState> for UnmeteredCaller {
    type Rejection = AgeApiError;

    async fn from_request_parts(parts: &mut Parts, _: &ApiState) -> Result<Self, AgeApiError> {
        Ok(Self { sandbox: is_sandbox(parts) })
    }
}

impl FromRequestParts<ApiState> for AnonymousCaller {
    type Rejection = AgeApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, AgeApiError> {
        count_end_user(api, api.geo_locator.rate_limit_key(&parts.headers, &parts.extensions))?;
        Ok(Self { sandbox: is_sandbox(parts) })
    }
}

impl FromRequestParts<ApiState> for WalletCaller {
    type Rejection = AgeApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, AgeApiError> {
        let path = Path::<WalletPath>::from_request_parts(parts, &()).await;
        let Path(WalletPath { request }) = path.map_err(|_| AgeApiError::session_not_found())?;
        let id =
            api.age_verification.wallet_session_id(&request).ok_or_else(AgeApiError::session_not_found)?;
        count_end_user(api, id.into())?;
        Ok(Self { request, sandbox: is_sandbox(parts) })
    }
}
