//! Bearer tokens in `Authorization` (RFC 6750), for applications.

use super::count_application;
use crate::{ApiState, http::request_context};
use axum::http::{HeaderMap, HeaderName, header};
use db::DbError;
use domain::tenancy::{
    limits::{CallRefusal, CallWindowUsedUpError},
    tokens::{self, BearerPrincipal, TokenScope},
};

/// The spelling in one vendor's documentation, which clients therefore send.
const AUTHORISATION_HEADER: HeaderName = HeaderName::from_static("authorisation");
/// Tokens have 52 characters; a value longer than this is not looked up.
const MAX_TOKEN_BYTES: usize = 512;

/// Why a bearer token is refused. Each interface has its own words for it.
#[derive(Debug)]
pub(crate) enum BearerError {
    /// No token was sent.
    Missing,
    /// It is unknown, has expired, or its application is not served.
    Invalid,
    /// It lacks the scope.
    Scope(TokenScope),
    /// The application may not use the product that the scope belongs to.
    Feature(TokenScope),
    /// The application has used up its calls.
    CallsUsedUp(CallWindowUsedUpError),
    /// The database did not answer.
    Db(DbError),
}

impl From<DbError> for BearerError {
    fn from(error: DbError) -> Self {
        Self::Db(error)
    }
}

impl From<CallRefusal> for BearerError {
    fn from(error: CallRefusal) -> Self {
        match error {
            CallRefusal::UsedUp(refused) => Self::CallsUsedUp(refused),
            CallRefusal::Db(error) => Self::Db(error),
        }
    }
}

/// Authenticates the token of a request, which must have `scope`.
pub(crate) async fn authenticate(
    api: &ApiState,
    headers: &HeaderMap,
    scope: TokenScope,
) -> Result<BearerPrincipal, BearerError> {
    let token = bearer_token(headers)?;
    let bearer = tokens::authenticate(&mut api.db.read_once().await?, api.environment.now(), token).await?;
    let bearer = bearer.ok_or(BearerError::Invalid)?;
    request_context::note_application(bearer.app);
    count_application(api, bearer.app, &bearer.limits).await?;
    if !bearer.scopes.contains(&scope) {
        return Err(BearerError::Scope(scope));
    }
    if !bearer.features.contains(&scope.feature()) {
        return Err(BearerError::Feature(scope));
    }
    Ok(bearer)
}

/// The token of a request, in either spelling of the header; different tokens are refused.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Result<&str, BearerError> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter().chain(headers.get_all(AUTHORISATION_HEADER));
    let value = sent.next().ok_or(BearerError::Missing)?;
    if sent.any(|other| other != value) {
        return Err(BearerError::Invalid);
    }
    let (scheme, token) =
        value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or(BearerError::Invalid)?;
    let token = token.trim();
    let right = scheme.eq_ignore_ascii_case("bearer") && (1..=MAX_TOKEN_BYTES).contains(&token.len());
    right.then_some(token).ok_or(BearerError::Invalid)
}
