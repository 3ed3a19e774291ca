//! The bearer guard (RFC 6750): who holds a token, and what it opens.

use crate::{Api, wire::Noted};
use axum::http::{Extensions, HeaderMap, HeaderName, header};
use db::DbError;
use domain::tenancy::tokens::{self, Bearer, Scope};

use super::Allowance;

/// The spelling that one vendor's documents use, and clients therefore send.
const BRITISH: HeaderName = HeaderName::from_static("authorisation");
/// Tokens of ours have 52 characters; longer ones are not looked up.
const LONGEST: usize = 512;

/// Why a bearer may not pass. Each interface says so in its own words.
#[derive(Debug)]
pub(crate) enum NoBearer {
    /// No token came.
    Missing,
    /// It is unknown, has expired, or its application is not served.
    Invalid,
    /// It does not open this.
    Scope(Scope),
    /// The application may not use the interface.
    Feature(Scope),
    /// The application has used up what the operator allows it.
    TooMany(Allowance),
    /// The database did not answer.
    Db(DbError),
}

/// Tells who holds the token of a request, which must open `scope`.
pub(crate) async fn authenticate(
    api: &Api,
    headers: &HeaderMap,
    extensions: &Extensions,
    scope: Scope,
) -> Result<Bearer, NoBearer> {
    let token = token(headers)?;
    let held = match api.db.read().await {
        Ok(mut view) => tokens::bearer(&mut view, api.world.now(), token).await,
        Err(error) => Err(error),
    };
    let bearer = held.map_err(NoBearer::Db)?.ok_or(NoBearer::Invalid)?;
    let noted = extensions.get::<Noted>();
    if let Some(noted) = noted {
        noted.caller(bearer.app);
    }
    if let Some(rate) = &api.rate {
        let taken = rate.take(&bearer.app);
        if let Some(noted) = noted {
            noted.allowance(taken.unwrap_or_else(|empty| empty));
        }
        taken.map_err(NoBearer::TooMany)?;
    }
    if !bearer.scopes.contains(&scope) {
        return Err(NoBearer::Scope(scope));
    }
    if !bearer.features.contains(&scope.feature()) {
        return Err(NoBearer::Feature(scope));
    }
    Ok(bearer)
}

/// The one token of a request, in either spelling of the header.
pub(crate) fn token(headers: &HeaderMap) -> Result<&str, NoBearer> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter().chain(headers.get_all(BRITISH));
    let value = sent.next().ok_or(NoBearer::Missing)?;
    if sent.any(|other| other != value) {
        return Err(NoBearer::Invalid);
    }
    let (scheme, token) =
        value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or(NoBearer::Invalid)?;
    let token = token.trim();
    let right = scheme.eq_ignore_ascii_case("bearer") && (1..=LONGEST).contains(&token.len());
    right.then_some(token).ok_or(NoBearer::Invalid)
}
