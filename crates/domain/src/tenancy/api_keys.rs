//! API keys: random, shown once, stored as a hash.

use super::{TenancyError, application_status::ApplicationStatus, applications, ensure_found, validate_name};
use aws_lc_rs::digest;
use base::{ApiKeyId, AppId, Environment, Id as _, Secret, SignedDuration, Timestamp};
use db::{AuditEvent, Db, DbError, DbTimestamp, Durability, FromRow, ReadTx, WriteTx, sql};

/// An API key as operators see it; the key itself is shown only when it is created.
#[derive(Clone, Debug, FromRow, serde::Serialize)]
pub struct ApiKey {
    pub id: ApiKeyId,
    /// 1 to 200 characters.
    pub name: String,
    /// What it may do; empty: everything that its application may.
    #[sqlx(json)]
    pub scopes: Vec<String>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    pub revoked: bool,
    /// Until when it works; `None`: until it is revoked.
    #[serde(serialize_with = "db::serialize_optional_timestamp")]
    pub expires_at: Option<DbTimestamp>,
    /// When it was used last, to the hour; `None`: not yet.
    #[serde(serialize_with = "db::serialize_optional_timestamp")]
    pub last_used_at: Option<DbTimestamp>,
}

/// The use of a key is written at most this often.
const USE_INTERVAL: SignedDuration = SignedDuration::from_hours(1);

/// SHA-256, which is all that is stored of a key. The key has 256 random bits, so a slow hash would add no protection.
pub fn hash(key: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, key.as_bytes()).as_ref().to_vec()
}

/// Creates a key. The return value is the only place where the key can ever be read.
pub async fn create(
    tx: &mut WriteTx,
    env: &dyn Environment,
    app: AppId,
    name: &str,
    scopes: &[String],
) -> Result<(ApiKeyId, Secret<String>), TenancyError> {
    create_until(tx, env, app, name, scopes, None).await
}

/// The same for a key that works until a time; `None`: until it is revoked.
pub async fn create_until(
    tx: &mut WriteTx,
    env: &dyn Environment,
    app: AppId,
    name: &str,
    scopes: &[String],
    expires_at: Option<Timestamp>,
) -> Result<(ApiKeyId, Secret<String>), TenancyError> {
    let key = generate(env);
    let new = NewApiKey {
        app,
        name: name.to_owned(),
        hash: hash(key.expose()),
        scopes: scopes.to_vec(),
        expires_at,
    };
    Ok((insert(tx, env, &new).await?, key))
}

/// A key that is to be stored.
#[derive(Clone, Debug)]
pub struct NewApiKey {
    pub app: AppId,
    pub name: String,
    /// [`hash`] of the key.
    pub hash: Vec<u8>,
    pub scopes: Vec<String>,
    pub expires_at: Option<Timestamp>,
}

/// A new key, which works once its hash is stored.
pub fn generate(env: &dyn Environment) -> Secret<String> {
    let mut random = [0; 32];
    env.fill_random(&mut random);
    Secret::new(format!("assay_{}", base64_simd::URL_SAFE_NO_PAD.encode_to_string(random)))
}

/// Checks what is known of a key before it is stored, so that nobody is asked to approve what cannot be done.
pub async fn validate(view: &mut ReadTx, app: AppId, name: &str) -> Result<(), TenancyError> {
    applications::ensure_exists(view, app).await?;
    validate_name(name).map(drop)
}

/// Stores a key.
pub async fn insert(
    tx: &mut WriteTx,
    env: &dyn Environment,
    new: &NewApiKey,
) -> Result<ApiKeyId, TenancyError> {
    let NewApiKey { app, name, hash, scopes, expires_at } = new;
    let (app, name, expires_at) = (*app, name.as_str(), *expires_at);
    applications::ensure_exists(tx, app).await?;
    let id = ApiKeyId::new(env);
    tx.execute(sql!(
        "INSERT INTO api_keys (id, app_id, name, hash, scopes, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        id,
        app,
        validate_name(name)?,
        hash.clone(),
        serde_json::Value::from(scopes.as_slice()),
        env.now(),
        expires_at,
    ))
    .await?;
    let event = AuditEvent::new("api-key.create").app(app).target(id).detail("name", name);
    let event = event.detail("scopes", scopes.as_slice());
    tx.audit(match expires_at {
        Some(at) => event.detail("expires_at", at.to_string()),
        None => event,
    });
    Ok(id)
}

/// The keys of an application, newest first.
pub async fn list(view: &mut ReadTx, app: AppId) -> Result<Vec<ApiKey>, TenancyError> {
    Ok(view
        .fetch_all(sql!(
            "SELECT id, name, scopes, created_at, revoked_at IS NOT NULL AS revoked, expires_at, last_used_at FROM api_keys
              WHERE app_id = $1 ORDER BY created_at DESC, id DESC",
            app,
        ))
        .await?)
}

/// Revokes a key, with immediate effect.
pub async fn revoke(
    tx: &mut WriteTx,
    env: &dyn Environment,
    app: AppId,
    key: ApiKeyId,
) -> Result<(), TenancyError> {
    let rows = tx
        .execute(sql!(
            "UPDATE api_keys SET revoked_at = $3 WHERE app_id = $1 AND id = $2 AND revoked_at IS NULL",
            app,
            key,
            env.now(),
        ))
        .await?;
    tx.audit(AuditEvent::new("api-key.revoke").app(app).target(key));
    ensure_found(rows, format_args!("API key {key} in use by application {app}"))
}

/// Replaces a key with a new one of the same name and scopes; the old one is revoked with immediate effect.
pub async fn rotate(
    tx: &mut WriteTx,
    env: &dyn Environment,
    app: AppId,
    key: ApiKeyId,
) -> Result<(ApiKeyId, Secret<String>), TenancyError> {
    let old = list(tx, app).await?.into_iter().find(|old| old.id == key && !old.revoked);
    let old =
        old.ok_or_else(|| TenancyError::NotFound(format!("API key {key} in use by application {app}")))?;
    revoke(tx, env, app, key).await?;
    create_until(tx, env, app, &old.name, &old.scopes, old.expires_at.map(Timestamp::from)).await
}

/// Who calls with an API key, and what they may do.
#[derive(Clone, Debug, FromRow)]
pub struct ApiKeyPrincipal {
    id: ApiKeyId,
    last_used_at: Option<DbTimestamp>,
    #[sqlx(rename = "app_id")]
    pub app: AppId,
    /// What the key may do; empty: everything that its application may.
    #[sqlx(json)]
    pub scopes: Vec<String>,
    #[sqlx(flatten)]
    pub status: ApplicationStatus,
}

impl ApiKeyPrincipal {
    /// Which key it is, for [`record_use`].
    pub fn key_use(&self) -> ApiKeyUse {
        ApiKeyUse { id: self.id, last_used_at: self.last_used_at.map(Timestamp::from) }
    }
}

/// The use of a key, to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiKeyUse {
    pub id: ApiKeyId,
    /// When it was used before that, as far as it was recorded.
    pub last_used_at: Option<Timestamp>,
}

/// Records when a key was used, at most once an hour. Beside the request, which does not wait for it.
pub fn record_use(db: &Db, env: &dyn Environment, used: ApiKeyUse) {
    let now = env.now();
    if used.last_used_at.is_some_and(|last| now.duration_since(last) < USE_INTERVAL) {
        return;
    }
    let db = db.clone();
    tokio::spawn(async move {
        let recorded = async {
            let mut tx = db.write_with_durability(Durability::Process).await?;
            tx.execute(sql!(
                "UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)",
                used.id,
                now,
                now - USE_INTERVAL,
            ))
            .await?;
            tx.commit().await
        };
        if let Err(error) = recorded.await {
            let error: &dyn std::error::Error = &error;
            tracing::debug!(error, "the use of an API key was not recorded");
        }
    });
}

/// Who calls with this key. `None` if it is unknown, expired or revoked. Whether the application is served is left to the
/// caller.
pub async fn authenticate(
    view: &mut ReadTx,
    env: &dyn Environment,
    key: &str,
) -> Result<Option<ApiKeyPrincipal>, DbError> {
    view.fetch_optional(sql!(
        "SELECT k.id, k.last_used_at, k.app_id, k.scopes, a.state, a.features, o.status AS org_status, a.calls_per_minute, a.burst,
                a.running_jobs, a.waiting_jobs, a.live_streams, a.stored_bytes
           FROM api_keys k
           JOIN applications a ON a.id = k.app_id
           LEFT JOIN organisations o ON o.id = a.organisation_id
          WHERE k.hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)",
        hash(key),
        env.now(),
    ))
    .await
}
