//! Bearer tokens: got for a signed assertion (RFC 6749 section 4.4, RFC 7523 section 2.2), or made by hand.

use super::{
    Feature, OrganisationStatus, TenancyError,
    application_status::ApplicationStatus,
    applications,
    calling_application::{self, CallingApplicationError},
    ensure_found,
    public_keys::{self, PublicKeyAlgorithm},
    validate_name,
};
use crate::wire_enum::wire_enum;
use aws_lc_rs::digest;
use base::{AccessTokenId, AppId, Environment, Id as _, Secret, SignedDuration, Timestamp};
use db::{Db, DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How long a token lives that was got for an assertion.
pub const ACCESS_TOKEN_LIFETIME: SignedDuration = SignedDuration::from_mins(45);
/// Live tokens of one application.
pub const MAX_LIVE_TOKENS: i64 = 200;
/// How far ahead an assertion may expire.
const MAX_ASSERTION_LIFETIME: SignedDuration = SignedDuration::from_mins(30);
/// How far clocks may differ.
const MAX_CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(60);
/// Assertions are small; longer ones are not looked at.
const MAX_ASSERTION_BYTES: usize = 16 << 10;

const GRANT_TYPE: &str = "client_credentials";
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ASSERTION_ALGORITHMS: [Algorithm; 4] =
    [Algorithm::PS384, Algorithm::PS256, Algorithm::RS256, Algorithm::ES256];

wire_enum! {
    /// What a token opens.
    pub enum TokenScope {
        /// Document verification sessions.
        IdvSessions => "idv:sessions",
        /// Creating age sessions.
        AvsSessionsCreate => "avs:sessions:create",
        /// Verifying proofs of age.
        PoaVerify => "poa:verify",
    }
}

impl TokenScope {
    /// Every scope.
    pub const ALL: [Self; 3] = [Self::IdvSessions, Self::AvsSessionsCreate, Self::PoaVerify];

    /// The interface it belongs to.
    pub const fn feature(self) -> Feature {
        match self {
            Self::IdvSessions => Feature::Identity,
            Self::AvsSessionsCreate => Feature::Ages,
            Self::PoaVerify => Feature::ProofOfAge,
        }
    }
}

/// The form of a token request, as it was sent.
#[derive(Clone, Debug, Default)]
pub struct TokenRequest<'a> {
    /// `client_credentials`.
    pub grant_type: Option<Cow<'a, str>>,
    /// The URN of RFC 7523.
    pub client_assertion_type: Option<Cow<'a, str>>,
    /// The signed JWT.
    pub client_assertion: Option<Cow<'a, str>>,
    /// Scopes, separated by blanks. Without: all that the application's interfaces have.
    pub scope: Option<Cow<'a, str>>,
}

/// A token, shown once.
#[derive(Debug)]
pub struct IssuedAccessToken {
    /// The token.
    pub token: Secret<String>,
    /// What it opens.
    pub scopes: Vec<TokenScope>,
    /// When it stops to; never, where it was made by hand without an end.
    pub expires_at: Option<Timestamp>,
}

/// Why no token was issued, in the words of RFC 6749, section 5.2.
#[derive(Debug, thiserror::Error)]
pub enum TokenExchangeError {
    /// Something is missing or said twice.
    #[error("{0}")]
    InvalidRequest(&'static str),
    /// The client could not be told who it is, or is not let in.
    #[error("{0}")]
    InvalidClient(&'static str),
    /// The client is known, and not served.
    #[error("{0}")]
    UnauthorizedClient(&'static str),
    /// Another grant.
    #[error("the grant is client_credentials")]
    UnsupportedGrantType,
    /// A scope that is unknown or not the application's.
    #[error("{0}")]
    InvalidScope(String),
    /// As many tokens live as may; the first of them expires then.
    #[error(
        "the application has {MAX_LIVE_TOKENS} live tokens, the most it may have; use those until they expire"
    )]
    TooMany {
        /// When there is room again, where that is foreseeable.
        until: Option<Timestamp>,
    },
    /// The database did not answer.
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

/// Gives a token for an assertion. `endpoints` are the addresses under which the token endpoint is reached; an
/// assertion must be meant for one of them.
///
/// The same words refuse an unknown application, a wrong key and a wrong signature: who asks proves first who they are.
pub async fn exchange_assertion(
    db: &Db,
    world: &dyn Environment,
    endpoints: &[String],
    request: &TokenRequest<'_>,
) -> Result<IssuedAccessToken, TokenExchangeError> {
    let unknown = TokenExchangeError::InvalidClient(
        "client_assertion: unknown issuer, or no key of it made this signature",
    );
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
    let header = jsonwebtoken::decode_header(assertion)
        .map_err(|_| TokenExchangeError::InvalidClient("client_assertion: no JWT, or its alg is unknown"))?;
    if !ASSERTION_ALGORITHMS.contains(&header.alg) {
        return Err(TokenExchangeError::InvalidClient(
            "client_assertion: alg is PS384, PS256, RS256 or ES256",
        ));
    }
    // Only to know whose keys to try; nothing of it counts before the signature does.
    let claimed: AssertionClaims =
        decode_claims(assertion).ok_or(TokenExchangeError::InvalidClient("client_assertion: no claims"))?;
    let id = claimed.iss.as_deref().and_then(|issuer| issuer.strip_prefix("sdk:"));
    let found = calling_application::identify(&mut db.read().await?, id).await;
    let caller = match found {
        Ok(caller) => caller,
        Err(CallingApplicationError::Db(error)) => return Err(error.into()),
        Err(_) => return Err(unknown),
    };
    if !caller.keys.iter().any(|der| is_signed(assertion, header.alg, der)) {
        return Err(unknown);
    }
    let now = world.now();
    let (jti, until) = check_claims(&claimed, now, endpoints)?;
    if caller.org_status != OrganisationStatus::Active {
        return Err(TokenExchangeError::UnauthorizedClient("the organisation is suspended"));
    }
    let scopes = grantable_scopes(request.scope.as_deref(), &caller.features)?;

    let mut tx = db.write().await?;
    applications::lock(&mut tx, caller.app).await?;
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
    let issued = insert(&mut tx, world, caller.app, None, scopes, Some(now + ACCESS_TOKEN_LIFETIME)).await?;
    tx.commit().await?;
    Ok(issued)
}

/// The checks of RFC 7523, section 3, after the signature's. The id of the assertion, and until when it must be
/// remembered.
fn check_claims<'a>(
    claims: &'a AssertionClaims,
    now: Timestamp,
    endpoints: &[String],
) -> Result<(&'a str, Timestamp), TokenExchangeError> {
    let refused = |words| Err(TokenExchangeError::InvalidClient(words));
    let moment = |seconds: f64| Timestamp::from_second(seconds as i64).ok();
    if claims.sub.is_none() || claims.sub != claims.iss {
        return refused("client_assertion: sub is the same as iss");
    }
    if !claims.aud.includes_any(endpoints) {
        return refused("client_assertion: aud is the address of this endpoint");
    }
    let Some(jti) = claims.jti.as_deref().filter(|jti| (16..=128).contains(&jti.len())) else {
        return refused("client_assertion: jti has 16 to 128 bytes");
    };
    let Some(expires) = claims.exp.and_then(moment) else {
        return refused("client_assertion: exp is missing");
    };
    if expires <= now {
        return refused("client_assertion: it has expired");
    }
    if expires.duration_since(now) > MAX_ASSERTION_LIFETIME + MAX_CLOCK_SKEW {
        return refused("client_assertion: exp is at most 30 minutes ahead");
    }
    let early =
        |claim: Option<f64>| claim.and_then(moment).is_some_and(|at| at.duration_since(now) > MAX_CLOCK_SKEW);
    if early(claims.nbf) || early(claims.iat) {
        return refused("client_assertion: it is from the future");
    }
    Ok((jti, expires + MAX_CLOCK_SKEW))
}

fn decode_claims<T: serde::de::DeserializeOwned>(jwt: &str) -> Option<T> {
    let payload = jwt.split('.').nth(1)?;
    serde_json::from_slice(&base64_simd::URL_SAFE_NO_PAD.decode_to_vec(payload).ok()?).ok()
}

fn is_signed(assertion: &str, algorithm: Algorithm, der: &[u8]) -> bool {
    // The key's own kind decides what may verify with it: no choice of the sender's makes it another.
    let Ok(kind) = public_keys::public_key_algorithm(der) else { return false };
    let key = match (kind, algorithm == Algorithm::ES256) {
        (PublicKeyAlgorithm::Rsa, false) => DecodingKey::from_rsa_der(der),
        (PublicKeyAlgorithm::P256, true) => DecodingKey::from_ec_der(der),
        _ => return false,
    };
    let mut rules = Validation::new(algorithm);
    // Our own clock and words judge the claims, in `check`.
    rules.validate_exp = false;
    rules.validate_aud = false;
    rules.required_spec_claims.clear();
    jsonwebtoken::decode::<serde_json::Value>(assertion, &key, &rules).is_ok()
}

fn grantable_scopes(
    asked: Option<&str>,
    features: &[Feature],
) -> Result<Vec<TokenScope>, TokenExchangeError> {
    let may = |scope: &TokenScope| features.contains(&scope.feature());
    let mut words = asked.unwrap_or_default().split_ascii_whitespace().peekable();
    if words.peek().is_none() {
        return Ok(TokenScope::ALL.into_iter().filter(may).collect());
    }
    let mut scopes = Vec::new();
    for word in words {
        let known = word.parse::<TokenScope>().ok();
        let scope = known.ok_or_else(|| {
            TokenExchangeError::InvalidScope(format!("a scope is one of {}", TokenScope::VARIANTS.join(", ")))
        })?;
        if !may(&scope) {
            return Err(TokenExchangeError::InvalidScope(format!("the application may not use {scope}")));
        }
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    Ok(scopes)
}

async fn insert(
    tx: &mut WriteTx,
    world: &dyn Environment,
    app: AppId,
    called: Option<&str>,
    scopes: Vec<TokenScope>,
    expires_at: Option<Timestamp>,
) -> Result<IssuedAccessToken, TokenExchangeError> {
    #[derive(FromRow)]
    struct LiveTokens {
        tokens: i64,
        first: Option<DbTimestamp>,
    }
    let now = world.now();
    let live: Option<LiveTokens> = tx
        .fetch_optional(sql!(
            "SELECT count(*) AS tokens, min(expires_at) AS first FROM access_tokens
              WHERE app_id = $1 AND (expires_at > $2 OR expires_at IS NULL)",
            app,
            now,
        ))
        .await?;
    if let Some(live) = live
        && live.tokens >= MAX_LIVE_TOKENS
    {
        return Err(TokenExchangeError::TooMany { until: live.first.map(|at| at.0) });
    }
    let mut chance = [0; 32];
    world.fill_random(&mut chance);
    let token = format!("assay_at_{}", base64_simd::URL_SAFE_NO_PAD.encode_to_string(chance));
    tx.execute(sql!(
        "INSERT INTO access_tokens (id, app_id, hash, scopes, name, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        AccessTokenId::new(world),
        app,
        hash(&token),
        scopes.iter().map(|scope| scope.as_str()).collect::<serde_json::Value>(),
        called,
        now,
        expires_at,
    ))
    .await?;
    Ok(IssuedAccessToken { token: Secret::new(token), scopes, expires_at })
}

/// What is stored of a token: SHA-256. It has 256 random bits, so a slow hash would protect nothing more.
fn hash(token: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, token.as_bytes()).as_ref().to_vec()
}

/// Makes a token by hand, for a client that cannot sign; without an end where `expires_at` is none.
pub async fn create(
    tx: &mut WriteTx,
    world: &dyn Environment,
    app: AppId,
    called: &str,
    scopes: Vec<TokenScope>,
    expires_at: Option<Timestamp>,
) -> Result<IssuedAccessToken, CreateTokenError> {
    applications::lock(tx, app).await?;
    applications::ensure_exists(tx, app).await?;
    Ok(insert(tx, world, app, Some(validate_name(called)?), scopes, expires_at).await?)
}

/// Why no token was made by hand.
#[derive(Debug, thiserror::Error)]
pub enum CreateTokenError {
    /// Name or application.
    #[error(transparent)]
    Tenancy(#[from] TenancyError),
    /// There are too many.
    #[error(transparent)]
    Token(#[from] TokenExchangeError),
}

impl From<DbError> for CreateTokenError {
    fn from(error: DbError) -> Self {
        Self::Tenancy(error.into())
    }
}

/// A live token as its operator sees it.
#[derive(Debug, Serialize, FromRow)]
pub struct AccessTokenRecord {
    /// Its id.
    pub id: AccessTokenId,
    /// Its name, where it was made by hand.
    pub name: Option<String>,
    /// What it opens.
    #[sqlx(json)]
    pub scopes: Vec<TokenScope>,
    /// When it was made.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    /// When it stops opening anything.
    #[serde(serialize_with = "db::serialize_optional_timestamp")]
    pub expires_at: Option<DbTimestamp>,
}

/// The live tokens of an application, newest first.
pub async fn list(view: &mut ReadTx, now: Timestamp, app: AppId) -> Result<Vec<AccessTokenRecord>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, name, scopes, created_at, expires_at FROM access_tokens
          WHERE app_id = $1 AND (expires_at > $2 OR expires_at IS NULL) ORDER BY created_at DESC, id DESC LIMIT 200",
        app,
        now,
    ))
    .await
}

/// Stops a token from opening anything, at once.
pub async fn revoke(tx: &mut WriteTx, app: AppId, id: AccessTokenId) -> Result<(), TenancyError> {
    let rows = tx.execute(sql!("DELETE FROM access_tokens WHERE app_id = $1 AND id = $2", app, id)).await?;
    ensure_found(rows, format_args!("access token {id} of application {app}"))
}

/// Who holds a token.
#[derive(Clone, Debug)]
pub struct BearerPrincipal {
    /// The application.
    pub app: AppId,
    /// What the token opens.
    pub scopes: Vec<TokenScope>,
    /// The interfaces the application may use.
    pub features: Vec<Feature>,
}

#[derive(FromRow)]
struct AccessTokenRow {
    app_id: AppId,
    #[sqlx(json)]
    scopes: Vec<TokenScope>,
    expires_at: Option<DbTimestamp>,
    #[sqlx(flatten)]
    status: ApplicationStatus,
}

/// Who holds this token; nobody where it is unknown, has expired, or its application is not served.
pub async fn authenticate(
    view: &mut ReadTx,
    now: Timestamp,
    token: &str,
) -> Result<Option<BearerPrincipal>, DbError> {
    let row: Option<AccessTokenRow> = view
        .fetch_optional(sql!(
            "SELECT t.app_id, t.scopes, t.expires_at, a.state, a.features, o.status AS org_status
               FROM access_tokens t JOIN applications a ON a.id = t.app_id
               LEFT JOIN organisations o ON o.id = a.organisation_id
              WHERE t.hash = $1",
            hash(token),
        ))
        .await?;
    let served = |row: &AccessTokenRow| row.expires_at.is_none_or(|at| at.0 > now) && row.status.is_served();
    let bearer = |row: AccessTokenRow| BearerPrincipal {
        app: row.app_id,
        scopes: row.scopes,
        features: row.status.features,
    };
    Ok(row.filter(served).map(bearer))
}

/// Forgets tokens and assertions that have expired, at most 20,000 of each at a time; how many.
pub async fn purge(db: &Db, world: &dyn Environment) -> Result<u64, DbError> {
    let (mut tx, now) = (db.write().await?, world.now());
    let tokens = tx
        .execute(sql!(
            "DELETE FROM access_tokens WHERE id IN (SELECT id FROM access_tokens WHERE expires_at < $1 LIMIT 20000)",
            now,
        ))
        .await?;
    let assertions = tx
        .execute(sql!(
            "DELETE FROM used_assertions WHERE (app_id, hash) IN
                (SELECT app_id, hash FROM used_assertions WHERE expires_at < $1 LIMIT 20000)",
            now,
        ))
        .await?;
    tx.commit().await?;
    Ok(tokens + assertions)
}
