//! The secrets that deliveries are signed with (Standard Webhooks, `v1`: HMAC-SHA256 over `id.timestamp.body`).

use crate::{tenancy::applications, vault::Vault};
use aws_lc_rs::hmac;
use base::{AppId, Environment, Secret, SignedDuration, Timestamp, Uuid};
use db::{AuditEvent, DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};

/// How long the previous secret still signs beside a new one, by default.
pub const DEFAULT_ROTATION_OVERLAP: SignedDuration = SignedDuration::from_hours(24);

/// A signing secret: 32 random bytes.
#[derive(Clone, Debug)]
pub struct WebhookSecret(Secret<Vec<u8>>);

impl WebhookSecret {
    /// The form that receivers configure: `whsec_` and the bytes in base64.
    pub fn reveal(&self) -> Secret<String> {
        Secret::new(format!("whsec_{}", base64_simd::STANDARD.encode_to_string(self.0.expose())))
    }

    fn sign(&self, id: &str, seconds: &str, body: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.0.expose());
        let mut mac = hmac::Context::with_key(&key);
        for part in [id.as_bytes(), b".", seconds.as_bytes(), b".", body] {
            mac.update(part);
        }
        format!("v1,{}", base64_simd::STANDARD.encode_to_string(mac.sign()))
    }
}

/// The three headers of an attempt, with one signature per secret.
pub(super) fn signature_headers(
    secrets: &[WebhookSecret],
    id: &str,
    now: Timestamp,
    body: &[u8],
) -> [(&'static str, String); 3] {
    let seconds = now.as_second().to_string();
    let signatures: Vec<_> = secrets.iter().map(|secret| secret.sign(id, &seconds, body)).collect();
    [
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", seconds),
        ("webhook-signature", signatures.join(" ")),
    ]
}

#[derive(FromRow)]
struct WebhookSecretRow {
    id: Uuid,
    sealed: Vec<u8>,
}

/// What a secret is sealed with in addition.
pub(crate) fn webhook_secret_aad(id: Uuid) -> Vec<u8> {
    format!("webhook secret {id}").into_bytes()
}

/// The secrets of an application that still sign, newest first.
pub async fn list_active(
    view: &mut ReadTx,
    vault: &Vault,
    now: Timestamp,
    app: AppId,
) -> Result<Vec<WebhookSecret>, DbError> {
    let rows: Vec<WebhookSecretRow> = view
        .fetch_all(sql!(
            "SELECT id, sealed FROM webhook_secrets WHERE app_id = $1 AND (retires_at > $2 OR retires_at IS NULL)
              ORDER BY created_at DESC, id DESC LIMIT 8",
            app,
            now,
        ))
        .await?;
    let opened = rows.into_iter().filter_map(|row| {
        let opened = vault.open(&webhook_secret_aad(row.id), &row.sealed);
        opened
            .inspect_err(|error| {
                tracing::error!(
                    error = error as &dyn std::error::Error,
                    secret = %row.id,
                    "a webhook secret cannot be used"
                );
            })
            .ok()
    });
    Ok(opened.map(|bytes| WebhookSecret(Secret::new(bytes))).collect())
}

/// A secret that still signs, without the secret.
#[derive(Clone, Debug, FromRow)]
pub struct WebhookSecretRecord {
    pub id: Uuid,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    /// Until when it signs beside a newer one; `None` for the newest.
    pub retires_at: Option<DbTimestamp>,
}

/// The secrets of an application that still sign, newest first, without the secrets. There is none before the first message.
pub async fn list_records(
    view: &mut ReadTx,
    now: Timestamp,
    app: AppId,
) -> Result<Vec<WebhookSecretRecord>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, created_at, retires_at FROM webhook_secrets
          WHERE app_id = $1 AND (retires_at > $2 OR retires_at IS NULL) ORDER BY created_at DESC, id DESC LIMIT 8",
        app,
        now,
    ))
    .await
}

/// Creates a new secret. The previous ones still sign until `overlap` has passed, so that receivers can switch without
/// rejecting a message.
pub async fn rotate(
    tx: &mut WriteTx,
    vault: &Vault,
    env: &dyn Environment,
    app: AppId,
    overlap: SignedDuration,
) -> Result<WebhookSecret, DbError> {
    let now = env.now();
    // Whoever else makes one at this moment waits, so that it is retired too.
    applications::lock(tx, app).await?;
    tx.execute(sql!(
        "UPDATE webhook_secrets SET retires_at = $2 WHERE app_id = $1 AND (retires_at > $2 OR retires_at IS NULL)",
        app,
        now + overlap,
    ))
    .await?;
    tx.audit(AuditEvent::new("webhook-secret.rotate").app(app));
    insert(tx, vault, env, app).await
}

async fn insert(
    tx: &mut WriteTx,
    vault: &Vault,
    env: &dyn Environment,
    app: AppId,
) -> Result<WebhookSecret, DbError> {
    let mut bytes = vec![0; 32];
    env.fill_random(&mut bytes);
    let id = env.uuid_v7();
    tx.execute(sql!(
        "INSERT INTO webhook_secrets (id, app_id, sealed, created_at) VALUES ($1, $2, $3, $4)",
        id,
        app,
        vault.seal(env, &webhook_secret_aad(id), &bytes),
        env.now(),
    ))
    .await?;
    Ok(WebhookSecret(Secret::new(bytes)))
}

/// The secrets of an application, newest first. The first one is created when it is first needed.
pub async fn list_or_create(
    tx: &mut WriteTx,
    vault: &Vault,
    env: &dyn Environment,
    app: AppId,
) -> Result<Vec<WebhookSecret>, DbError> {
    let active = list_active(tx, vault, env.now(), app).await?;
    if !active.is_empty() {
        return Ok(active);
    }
    // Makes another process that is about to do the same wait.
    applications::lock(tx, app).await?;
    let mut active = list_active(tx, vault, env.now(), app).await?;
    if active.is_empty() {
        active.push(insert(tx, vault, env, app).await?);
    }
    Ok(active)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenancy::testing::TestApplication;

    #[tokio::test]
    async fn two_secrets_sign_until_the_older_retires() {
        let TestApplication { test, environment: env, vault, app } = TestApplication::open().await;
        let mut tx = test.db.write().await.unwrap();
        let first = list_or_create(&mut tx, &vault, &*env, app).await.unwrap();
        let again = list_or_create(&mut tx, &vault, &*env, app).await.unwrap();
        assert_eq!(first.len(), 1);
        assert_eq!(first[0].reveal(), again[0].reveal(), "created once");

        env.advance(SignedDuration::from_secs(1));
        let second = rotate(&mut tx, &vault, &*env, app, DEFAULT_ROTATION_OVERLAP).await.unwrap();
        let both = list_or_create(&mut tx, &vault, &*env, app).await.unwrap();
        let revealed: Vec<_> = both.iter().map(WebhookSecret::reveal).collect();
        assert_eq!(revealed, [second.reveal(), first[0].reveal()]);
        let [_, _, (_, signatures)] = signature_headers(&both, "id", env.now(), b"{}");
        assert_eq!(signatures.split(' ').filter(|signature| signature.starts_with("v1,")).count(), 2);

        env.advance(DEFAULT_ROTATION_OVERLAP);
        assert_eq!(list_or_create(&mut tx, &vault, &*env, app).await.unwrap().len(), 1);
    }

    /// On PostgreSQL, where neither of two rotations would see, and so retire, what the other one writes.
    #[tokio::test]
    async fn of_two_secrets_that_are_made_at_the_same_time_one_retires() {
        let TestApplication { test, environment: env, vault, app } = TestApplication::open().await;
        let mut tx = test.db.write().await.unwrap();
        list_or_create(&mut tx, &vault, &*env, app).await.unwrap();
        tx.commit().await.unwrap();

        let mut one = test.db.write().await.unwrap();
        rotate(&mut one, &vault, &*env, app, DEFAULT_ROTATION_OVERLAP).await.unwrap();
        let rotating = async {
            let mut tx = test.db.write().await.unwrap();
            rotate(&mut tx, &vault, &*env, app, DEFAULT_ROTATION_OVERLAP).await.unwrap();
            tx.commit().await.unwrap();
        };
        tokio::join!(rotating, async {
            test.wait_until_blocked(1).await;
            one.commit().await.unwrap();
        });
        let mut view = test.db.read().await.unwrap();
        let records = list_records(&mut view, env.now(), app).await.unwrap();
        let staying = records.iter().filter(|record| record.retires_at.is_none()).count();
        assert_eq!((records.len(), staying), (3, 1));
    }
}
