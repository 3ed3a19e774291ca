//! Exchanging a signed assertion for a token (RFC 6749, section 4.4; RFC 7523, section 2.2).

use super::{ACCESS_TOKEN_LIFETIME, IssuedAccessToken, MAX_LIVE_TOKENS, TokenScope, hash};
use crate::tenancy::{
    Feature, OrganisationStatus, applications,
    calling_application::{self, CallingApplication, CallingApplicationError},
    public_keys::{self, PublicKeyAlgorithm},
};
use base::{Environment, SignedDuration, Timestamp};
use db::{Db, DbError, ReadTx, sql};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use std::borrow::Cow;

/// How far ahead an assertion may expire.
const MAX_ASSERTION_LIFETIME: SignedDuration = SignedDuration::from_mins(30);
/// By how much clocks may differ.
const MAX_CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(60);
/// Longer assertions are refused unread.
const MAX_ASSERTION_BYTES: usize = 16 << 10;

const GRANT_TYPE: &str = "client_credentials";
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ASSERTION_ALGORITHMS: [Algorithm; 4] =
    [Algorithm::PS384, Algorithm::PS256, Algorithm::RS256, Algorithm::ES256];

/// The form fields of a token request, as sent.
#[derive(Clone, Debug, Default)]
pub struct TokenRequest<'a> {
    /// `client_credentials`.
    pub grant_type: Option<Cow<'a, str>>,
    /// The URN of RFC 7523, section 2.2.
    pub client_assertion_type: Option<Cow<'a, str>>,
    /// The signed JWT.
    pub client_assertion: Option<Cow<'a, str>>,
    /// Scopes, separated by spaces. `None` or empty: all scopes of the interfaces that the application may use.
    pub scope: Option<Cow<'a, str>>,
}

/// Why no token was issued; the names are the error codes of RFC 6749, section 5.2.
#[derive(Debug, thiserror::Error)]
pub enum TokenExchangeError {
    /// A parameter is missing or given twice.
    #[error("{0}")]
    InvalidRequest(&'static str),
    /// The client could not be authenticated.
    #[error("{0}")]
    InvalidClient(&'static str),
    /// The client was authenticated, but is not served.
    #[error("{0}")]
    UnauthorizedClient(&'static str),
    /// Any grant type but `client_credentials`.
    #[error("grant_type must be client_credentials")]
    UnsupportedGrantType,
    /// A scope is unknown, or not open to the application.
    #[error("{0}")]
    InvalidScope(String),
    /// The application has [`MAX_LIVE_TOKENS`] live tokens.
    #[error(
        "the application has {MAX_LIVE_TOKENS} live tokens, the most it may have; use those until they expire"
    )]
    TooMany {
        /// When the first of them expires; `None` if none ever does.
        until: Option<Timestamp>,
    },
    #[error(transparent)]
    Db(#[from] DbError),
}

#[derive(Deserialize)]
struct AssertionClaims {
    iss: Option<String>,
    sub: Option<String>,
    #[serde(default)]
    aud: AudienceClaim,
    jti: Option<String>,
    exp: Option<f64>,
    nbf: Option<f64>,
    iat: Option<f64>,
}

#[derive(Default, Deserialize)]
#[serde(untagged)]
enum AudienceClaim {
    One(String),
    Many(Vec<String>),
    #[default]
    None,
}

impl AudienceClaim {
    fn includes_any(&self, endpoints: &[String]) -> bool {
        let listed = |name: &String| endpoints.contains(name);
        match self {
            Self::One(name) => listed(name),
            Self::Many(names) => names.iter().any(listed),
            Self::None => false,
        }
    }
}

/// Issues a token for an assertion. `endpoints` are the addresses of the token endpoint; the assertion's audience must
/// be one of them.
///
/// An unknown application, a wrong key and a wrong signature get the same refusal: before the client is authenticated,
/// it must not learn which applications exist.
pub async fn exchange_assertion(
    db: &Db,
    env: &dyn Environment,
    endpoints: &[String],
    request: &TokenRequest<'_>,
) -> Result<IssuedAccessToken, TokenExchangeError> {
    match request.grant_type.as_deref() {
        None => return Err(TokenExchangeError::InvalidRequest("grant_type is missing")),
        Some(GRANT_TYPE) => {}
        Some(_) => return Err(TokenExchangeError::UnsupportedGrantType),
    }
    if request.client_assertion_type.as_deref() != Some(ASSERTION_TYPE) {
        return Err(TokenExchangeError::InvalidRequest(
            "client_assertion_type is missing or not the one for JWT",
        ));
    }
    let assertion = request.client_assertion.as_deref().filter(|text| !text.is_empty());
    let assertion = assertion.ok_or(TokenExchangeError::InvalidRequest("client_assertion is missing"))?;
    if assertion.len() > MAX_ASSERTION_BYTES {
        return Err(TokenExchangeError::InvalidRequest("client_assertion has more than 16384 characters"));
    }
    let header = jsonwebtoken::decode_header(assertion).map_err(|_| {
        TokenExchangeError::InvalidClient("client_assertion: not a JWT, or its alg is unknown")
    })?;
    if !ASSERTION_ALGORITHMS.contains(&header.alg) {
        return Err(TokenExchangeError::InvalidClient(
            "client_assertion: alg must be PS384, PS256, RS256 or ES256",
        ));
    }
    // Only to know whose keys to try: none of the claims is trusted before the signature is verified.
    let claimed: AssertionClaims =
        decode_claims(assertion).ok_or(TokenExchangeError::InvalidClient("client_assertion: no claims"))?;
    let id = claimed.iss.as_deref().and_then(|issuer| issuer.strip_prefix("sdk:"));
    let caller = find_client(&mut db.read().await?, id).await?;
    let signer = caller.keys.iter().find(|key| is_signed(assertion, header.alg, &key.der));
    let signer = signer.ok_or_else(unknown_client)?;
    let now = env.now();
    let (jti, until) = check_claims(&claimed, now, endpoints)?;
    // What is refused in any case is refused before anything is written.
    scopes_to_grant(&caller, request)?;

    let mut tx = db.write().await?;
    applications::lock(&mut tx, caller.app).await?;
    // Whoever revokes a key takes the same lock, and deletes the tokens that were issued until then. So a key that was revoked
    // while its signature was being verified is found to be so now.
    let current = find_client(&mut tx, id).await?;
    if !current.keys.iter().any(|key| key.der == signer.der) {
        return Err(unknown_client());
    }
    let scopes = scopes_to_grant(&current, request)?;
    let fresh = tx
        .execute(sql!(
            "INSERT INTO used_assertions (app_id, hash, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            caller.app,
            hash(jti),
            until,
        ))
        .await?;
    if fresh == 0 {
        return Err(TokenExchangeError::InvalidClient("client_assertion: its jti was used before"));
    }
    let issued =
        super::insert(&mut tx, env, caller.app, None, scopes, Some(now + ACCESS_TOKEN_LIFETIME)).await?;
    tx.commit().await?;
    Ok(issued)
}

/// The application that an assertion names, if it may call.
async fn find_client(view: &mut ReadTx, id: Option<&str>) -> Result<CallingApplication, TokenExchangeError> {
    calling_application::identify(view, id).await.map_err(|error| match error {
        CallingApplicationError::Db(error) => error.into(),
        _ => unknown_client(),
    })
}

fn unknown_client() -> TokenExchangeError {
    TokenExchangeError::InvalidClient("client_assertion: unknown issuer, or no key of it made this signature")
}

/// What an authenticated client is granted, if it is served.
fn scopes_to_grant(
    caller: &CallingApplication,
    request: &TokenRequest<'_>,
) -> Result<Vec<TokenScope>, TokenExchangeError> {
    if caller.org_status != OrganisationStatus::Active {
        return Err(TokenExchangeError::UnauthorizedClient("the organisation is suspended"));
    }
    grantable_scopes(request.scope.as_deref(), &caller.features)
}

/// The checks of RFC 7523, section 3, that follow the signature's. Returns the assertion's id, and until when it must
/// be remembered.
fn check_claims<'a>(
    claims: &'a AssertionClaims,
    now: Timestamp,
    endpoints: &[String],
) -> Result<(&'a str, Timestamp), TokenExchangeError> {
    let refuse = |message| Err(TokenExchangeError::InvalidClient(message));
    let timestamp = |seconds: f64| Timestamp::from_second(seconds as i64).ok();
    if claims.sub.is_none() || claims.sub != claims.iss {
        return refuse("client_assertion: sub must be the same as iss");
    }
    if !claims.aud.includes_any(endpoints) {
        return refuse("client_assertion: aud must be the address of this endpoint");
    }
    let Some(jti) = claims.jti.as_deref().filter(|jti| (16..=128).contains(&jti.len())) else {
        return refuse("client_assertion: jti must have 16 to 128 bytes");
    };
    let Some(expires) = claims.exp.and_then(timestamp) else {
        return refuse("client_assertion: exp is missing");
    };
    if expires <= now {
        return refuse("client_assertion: it has expired");
    }
    if expires.duration_since(now) > MAX_ASSERTION_LIFETIME + MAX_CLOCK_SKEW {
        return refuse("client_assertion: exp must be at most 30 minutes ahead");
    }
    let early = |claim: Option<f64>| {
        claim.and_then(timestamp).is_some_and(|at| at.duration_since(now) > MAX_CLOCK_SKEW)
    };
    if early(claims.nbf) || early(claims.iat) {
        return refuse("client_assertion: nbf or iat is in the future");
    }
    Ok((jti, expires + MAX_CLOCK_SKEW))
}

fn decode_claims<T: serde::de::DeserializeOwned>(jwt: &str) -> Option<T> {
    let payload = jwt.split('.').nth(1)?;
    serde_json::from_slice(&base64_simd::URL_SAFE_NO_PAD.decode_to_vec(payload).ok()?).ok()
}

fn is_signed(assertion: &str, algorithm: Algorithm, der: &[u8]) -> bool {
    // The kind of the key decides which algorithms it may be used with, whatever the header says.
    let Ok(kind) = public_keys::public_key_algorithm(der) else { return false };
    let key = match (kind, algorithm == Algorithm::ES256) {
        (PublicKeyAlgorithm::Rsa, false) => DecodingKey::from_rsa_der(der),
        (PublicKeyAlgorithm::P256, true) => DecodingKey::from_ec_der(der),
        _ => return false,
    };
    let mut validation = Validation::new(algorithm);
    // `check_claims` checks the claims, by our own clock and with our own messages.
    validation.validate_exp = false;
    validation.validate_aud = false;
    validation.required_spec_claims.clear();
    jsonwebtoken::decode::<serde_json::Value>(assertion, &key, &validation).is_ok()
}

/// The requested scopes, or without a request all that the application may use.
fn grantable_scopes(
    requested: Option<&str>,
    features: &[Feature],
) -> Result<Vec<TokenScope>, TokenExchangeError> {
    let is_allowed = |scope: &TokenScope| features.contains(&scope.feature());
    let mut names = requested.unwrap_or_default().split_ascii_whitespace().peekable();
    if names.peek().is_none() {
        return Ok(TokenScope::ALL.into_iter().filter(is_allowed).collect());
    }
    let mut scopes = Vec::new();
    for name in names {
        let scope = name.parse::<TokenScope>().map_err(|_| {
            TokenExchangeError::InvalidScope(format!("a scope is one of {}", TokenScope::VARIANTS.join(", ")))
        })?;
        if !is_allowed(&scope) {
            return Err(TokenExchangeError::InvalidScope(format!("the application may not use {scope}")));
        }
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    Ok(scopes)
}
