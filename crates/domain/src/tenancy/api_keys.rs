//! API keys: random, shown once, stored as a hash.

use super::{TenancyError, application_status::ApplicationStatus, applications, ensure_found, validate_name};
use aws_lc_rs::digest;
use base::{ApiKeyId, AppId, Environment, Id as _, Secret, Timestamp};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};

/// An API key as its operator sees it; the key itself is shown only when it is made.
#[derive(Clone, Debug, FromRow, serde::Serialize)]
pub struct ApiKey {
    /// Its id.
    pub id: ApiKeyId,
    /// Its name, 1 to 200 characters.
    pub name: String,
    /// What it may do; empty means everything its application may.
    #[sqlx(json)]
    pub scopes: Vec<String>,
    /// When it was made.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    /// Whether it still opens anything.
    pub revoked: bool,
}

/// What is stored of a key: SHA-256. The key has 256 random bits, so a slow hash would protect nothing more.
pub fn hash(key: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, key.as_bytes()).as_ref().to_vec()
}

/// Makes a key. The answer is the only place where it can ever be read.
pub async fn create(
    tx: &mut WriteTx,
    world: &dyn Environment,
    app: AppId,
    called: &str,
    scopes: &[String],
) -> Result<(ApiKeyId, Secret<String>), TenancyError> {
    applications::ensure_exists(tx, app).await?;
    let mut chance = [0; 32];
    world.fill_random(&mut chance);
    let key = format!("assay_{}", base64_simd::URL_SAFE_NO_PAD.encode_to_string(chance));
    let id = ApiKeyId::new(world);
    tx.execute(sql!(
        "INSERT INTO api_keys (id, app_id, name, hash, scopes, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        id,
        app,
        validate_name(called)?,
        hash(&key),
        serde_json::Value::from(scopes),
        world.now(),
    ))
    .await?;
    Ok((id, Secret::new(key)))
}

/// The keys of an application, newest first.
pub async fn list(view: &mut ReadTx, app: AppId) -> Result<Vec<ApiKey>, TenancyError> {
    Ok(view
        .fetch_all(sql!(
            "SELECT id, name, scopes, created_at, revoked_at IS NOT NULL AS revoked FROM api_keys
              WHERE app_id = $1 ORDER BY created_at DESC, id DESC",
            app,
        ))
        .await?)
}

/// Stops a key from opening anything, at once.
pub async fn revoke(
    tx: &mut WriteTx,
    world: &dyn Environment,
    app: AppId,
    key: ApiKeyId,
) -> Result<(), TenancyError> {
    let rows = tx
        .execute(sql!(
            "UPDATE api_keys SET revoked_at = $3 WHERE app_id = $1 AND id = $2 AND revoked_at IS NULL",
            app,
            key,
            world.now(),
        ))
        .await?;
    ensure_found(rows, format_args!("API key {key} in use by application {app}"))
}

/// Replaces a key by a new one of the same name and scopes; the old one stops at once.
pub async fn rotate(
    tx: &mut WriteTx,
    world: &dyn Environment,
    app: AppId,
    key: ApiKeyId,
) -> Result<(ApiKeyId, Secret<String>), TenancyError> {
    let old = list(tx, app).await?.into_iter().find(|old| old.id == key && !old.revoked);
    let old =
        old.ok_or_else(|| TenancyError::NotFound(format!("API key {key} in use by application {app}")))?;
    revoke(tx, world, app, key).await?;
    create(tx, world, app, &old.name, &old.scopes).await
}

/// Who holds a key, as far as that says whether they may call.
#[derive(Clone, Debug, FromRow)]
pub struct ApiKeyPrincipal {
    /// The application.
    #[sqlx(rename = "app_id")]
    pub app: AppId,
    /// What the key may do; empty means everything its application may.
    #[sqlx(json)]
    pub scopes: Vec<String>,
    /// How the application stands.
    #[sqlx(flatten)]
    pub status: ApplicationStatus,
}

/// Who holds this key; nobody where it is unknown or was revoked.
pub async fn authenticate(view: &mut ReadTx, key: &str) -> Result<Option<ApiKeyPrincipal>, DbError> {
    view.fetch_optional(sql!(
        "SELECT k.app_id, k.scopes, a.state, a.features, o.status AS org_status FROM api_keys k
           JOIN applications a ON a.id = k.app_id
           LEFT JOIN organisations o ON o.id = a.organisation_id
          WHERE k.hash = $1 AND k.revoked_at IS NULL",
        hash(key),
    ))
    .await
}
