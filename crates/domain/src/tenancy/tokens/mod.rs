//! Bearer tokens: issued for a signed assertion, or by an operator.

mod assertion;

use super::{
    Feature, TenancyError, application_status::ApplicationStatus, applications, ensure_found,
    limits::ApplicationLimits, validate_name,
};
use crate::wire_enum::wire_enum;
use aws_lc_rs::digest;
use base::{AccessTokenId, AppId, Environment, Id as _, Secret, SignedDuration, Timestamp};
use db::{AuditEvent, Db, DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};
use serde::Serialize;

pub use assertion::{TokenExchangeError, TokenRequest, exchange_assertion};

/// Lifetime of a token that was issued for an assertion.
pub const ACCESS_TOKEN_LIFETIME: SignedDuration = SignedDuration::from_mins(45);
/// Live tokens of one application, at most.
pub const MAX_LIVE_TOKENS: i64 = 200;

wire_enum! {
    /// What a token may be used for.
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
    pub const ALL: [Self; 3] = [Self::IdvSessions, Self::AvsSessionsCreate, Self::PoaVerify];

    /// The interface that the scope belongs to.
    pub const fn feature(self) -> Feature {
        match self {
            Self::IdvSessions => Feature::Identity,
            Self::AvsSessionsCreate => Feature::Ages,
            Self::PoaVerify => Feature::ProofOfAge,
        }
    }
}

/// A new token, shown once.
#[derive(Debug)]
pub struct IssuedAccessToken {
    pub id: AccessTokenId,
    pub token: Secret<String>,
    pub scopes: Vec<TokenScope>,
    /// `None`: never, which only an operator can grant.
    pub expires_at: Option<Timestamp>,
}

/// Inserts a token, unless the application has too many live ones. The caller holds the application's lock.
async fn insert(
    tx: &mut WriteTx,
    env: &dyn Environment,
    app: AppId,
    name: Option<&str>,
    scopes: Vec<TokenScope>,
    expires_at: Option<Timestamp>,
) -> Result<IssuedAccessToken, TokenExchangeError> {
    #[derive(FromRow)]
    struct LiveTokens {
        tokens: i64,
        first: Option<DbTimestamp>,
    }
    let now = env.now();
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
    let mut random = [0; 32];
    env.fill_random(&mut random);
    let token = format!("assay_at_{}", base64_simd::URL_SAFE_NO_PAD.encode_to_string(random));
    let id = AccessTokenId::new(env);
    tx.execute(sql!(
        "INSERT INTO access_tokens (id, app_id, hash, scopes, name, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        id,
        app,
        hash(&token),
        scopes.iter().map(|scope| scope.as_str()).collect::<serde_json::Value>(),
        name,
        now,
        expires_at,
    ))
    .await?;
    Ok(IssuedAccessToken { id, token: Secret::new(token), scopes, expires_at })
}

/// SHA-256, which is all that is stored of a token. It has 256 random bits, so a slow hash would add no protection.
fn hash(token: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, token.as_bytes()).as_ref().to_vec()
}

/// Issues a token on behalf of an operator, for a client that cannot sign. Without `expires_at` it never expires.
pub async fn create(
    tx: &mut WriteTx,
    env: &dyn Environment,
    app: AppId,
    name: &str,
    scopes: Vec<TokenScope>,
    expires_at: Option<Timestamp>,
) -> Result<IssuedAccessToken, CreateTokenError> {
    applications::lock(tx, app).await?;
    applications::ensure_exists(tx, app).await?;
    let issued = insert(tx, env, app, Some(validate_name(name)?), scopes, expires_at).await?;
    tx.audit(AuditEvent::new("access-token.create").app(app).target(issued.id).detail("name", name));
    Ok(issued)
}

/// Why an operator's token was not issued.
#[derive(Debug, thiserror::Error)]
pub enum CreateTokenError {
    /// The name is not allowed, or there is no such application.
    #[error(transparent)]
    Tenancy(#[from] TenancyError),
    /// The application has too many live tokens.
    #[error(transparent)]
    Token(#[from] TokenExchangeError),
}

impl From<DbError> for CreateTokenError {
    fn from(error: DbError) -> Self {
        Self::Tenancy(error.into())
    }
}

/// A live token as operators see it.
#[derive(Debug, Serialize, FromRow)]
pub struct AccessTokenRecord {
    pub id: AccessTokenId,
    /// `None`: it was issued for an assertion.
    pub name: Option<String>,
    #[sqlx(json)]
    pub scopes: Vec<TokenScope>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    /// `None`: never.
    #[serde(serialize_with = "db::serialize_optional_timestamp")]
    pub expires_at: Option<DbTimestamp>,
}

/// The live tokens of an application, newest first, at most 200.
pub async fn list(view: &mut ReadTx, now: Timestamp, app: AppId) -> Result<Vec<AccessTokenRecord>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, name, scopes, created_at, expires_at FROM access_tokens
          WHERE app_id = $1 AND (expires_at > $2 OR expires_at IS NULL) ORDER BY created_at DESC, id DESC LIMIT 200",
        app,
        now,
    ))
    .await
}

/// Revokes a token, with immediate effect.
pub async fn revoke(tx: &mut WriteTx, app: AppId, id: AccessTokenId) -> Result<(), TenancyError> {
    let rows = tx.execute(sql!("DELETE FROM access_tokens WHERE app_id = $1 AND id = $2", app, id)).await?;
    tx.audit(AuditEvent::new("access-token.revoke").app(app).target(id));
    ensure_found(rows, format_args!("access token {id} of application {app}"))
}

/// Who calls with a bearer token, and what they may do.
#[derive(Clone, Debug)]
pub struct BearerPrincipal {
    pub app: AppId,
    pub scopes: Vec<TokenScope>,
    /// The interfaces that the application may use.
    pub features: Vec<Feature>,
    /// The application's limits that an operator has set.
    pub limits: ApplicationLimits,
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

/// Who calls with this token. `None` if it is unknown or expired, or its application is not served.
pub async fn authenticate(
    view: &mut ReadTx,
    now: Timestamp,
    token: &str,
) -> Result<Option<BearerPrincipal>, DbError> {
    let row: Option<AccessTokenRow> = view
        .fetch_optional(sql!(
            "SELECT t.app_id, t.scopes, t.expires_at, a.state, a.features, o.status AS org_status,
                    a.calls_per_minute, a.burst, a.running_jobs, a.waiting_jobs, a.live_streams, a.stored_bytes
               FROM access_tokens t JOIN applications a ON a.id = t.app_id
               LEFT JOIN organisations o ON o.id = a.organisation_id
              WHERE t.hash = $1",
            hash(token),
        ))
        .await?;
    let is_valid =
        |row: &AccessTokenRow| row.expires_at.is_none_or(|at| at.0 > now) && row.status.is_served();
    let bearer = |row: AccessTokenRow| BearerPrincipal {
        app: row.app_id,
        scopes: row.scopes,
        limits: row.status.limits,
        features: row.status.features,
    };
    Ok(row.filter(is_valid).map(bearer))
}

/// Deletes expired tokens and assertions, at most 20,000 of each at a time; returns how many.
pub async fn purge(db: &Db, env: &dyn Environment) -> Result<u64, DbError> {
    let (mut tx, now) = (db.write().await?, env.now());
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
