//! Signs webhooks with a key of this server, so that a receiver can verify them without a shared secret
//! (docs/adr/0006-age-verification.md).

use crate::vault::{UnsealError, Vault};
use aws_lc_rs::{encoding::AsDer as _, rsa::KeySize};
use base::{Environment, Secret, SignedDuration, Timestamp};
use db::{AuditEvent, Db, DbError, Durability, FromRow, Json, ReadTx, sql};
use rsa::{
    RsaPrivateKey,
    pkcs8::DecodePrivateKey as _,
    pss::BlindedSigningKey,
    rand_core,
    signature::{RandomizedSigner as _, SignatureEncoding as _},
    traits::PublicKeyParts as _,
};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The longest salt that a key of 2,048 bits and SHA-256 leave room for, bytes (RFC 8017, section 9.1.1).
const PSS_SALT_BYTES: usize = 2048 / 8 - 32 - 2;

/// Signs webhooks with the newest key. The first is generated when it is needed; all are stored sealed, and every node uses
/// the same.
#[derive(Debug)]
pub(super) struct WebhookSigner {
    db: Db,
    environment: Arc<dyn Environment>,
    vault: Vault,
    key: Mutex<Option<Arc<WebhookSigningKey>>>,
}

/// A key that webhooks are signed with.
#[derive(Debug)]
pub(super) struct WebhookSigningKey {
    /// Its id, `kid` in its public half.
    pub(super) id: String,
    key: BlindedSigningKey<Sha256>,
}

/// How long a key is published after another has begun to sign: as long as a message can be replayed.
pub const WEBHOOK_KEY_OVERLAP: SignedDuration = SignedDuration::from_hours(31 * 24);
/// Keys that are published, at most.
const MAX_PUBLISHED_KEYS: i64 = 8;

#[derive(FromRow)]
struct SigningKeyRow {
    id: String,
    sealed: Vec<u8>,
}

/// Why a webhook cannot be signed.
#[derive(Debug, thiserror::Error)]
pub enum WebhookSigningError {
    /// The stored key does not open.
    #[error(transparent)]
    Damaged(#[from] UnsealError),
    /// The key could not be generated, or cannot be used.
    #[error("the key that signs webhooks cannot be used: {0}")]
    Key(String),
    #[error(transparent)]
    Db(#[from] DbError),
}

/// The public half of a key that signs webhooks, a JSON Web Key (RFC 7517). Rows have it in this form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RsaPublicJwk {
    /// The key type: RSA.
    pub kty: String,
    /// The use of the key: `sig`.
    #[serde(rename = "use")]
    pub purpose: String,
    /// The algorithm: PS256.
    pub alg: String,
    /// The key's id.
    pub kid: String,
    /// The modulus, base64url.
    pub n: String,
    /// The exponent, base64url.
    pub e: String,
}

impl RsaPublicJwk {
    fn of(key: &RsaPrivateKey, id: &str) -> Self {
        let encode =
            |number: &rsa::BigUint| base64_simd::URL_SAFE_NO_PAD.encode_to_string(number.to_bytes_be());
        Self {
            kty: "RSA".to_owned(),
            purpose: "sig".to_owned(),
            alg: "PS256".to_owned(),
            kid: id.to_owned(),
            n: encode(key.n()),
            e: encode(key.e()),
        }
    }
}

/// The environment's randomness, in the form that the `rsa` crate takes.
struct EnvironmentRng<'a>(&'a dyn Environment);

impl rand_core::RngCore for EnvironmentRng<'_> {
    fn next_u32(&mut self) -> u32 {
        rand_core::impls::next_u32_via_fill(self)
    }

    fn next_u64(&mut self) -> u64 {
        rand_core::impls::next_u64_via_fill(self)
    }

    fn fill_bytes(&mut self, to: &mut [u8]) {
        self.0.fill_random(to);
    }

    fn try_fill_bytes(&mut self, to: &mut [u8]) -> Result<(), rand_core::Error> {
        self.0.fill_random(to);
        Ok(())
    }
}

impl rand_core::CryptoRng for EnvironmentRng<'_> {}

impl WebhookSigner {
    pub(super) fn new(db: Db, environment: Arc<dyn Environment>, vault: Vault) -> Self {
        Self { db, environment, vault, key: Mutex::new(None) }
    }

    /// Loads the newest key, or generates the first. To be called before a transaction is begun in which something is signed.
    pub(super) async fn ensure_key(&self) -> Result<(), WebhookSigningError> {
        let mut stored = load_newest_key(&mut self.db.read().await?).await?;
        if stored.is_none() {
            self.add_key(None).await?;
            stored = load_newest_key(&mut self.db.read().await?).await?;
        }
        let newest = stored.ok_or_else(|| WebhookSigningError::Key("it was not stored".to_owned()))?;
        if self.loaded().is_ok_and(|loaded| loaded.id == newest.id) {
            return Ok(());
        }
        let der = Secret::new(self.vault.open(&webhook_key_aad(&newest.id), &newest.sealed)?);
        let key = RsaPrivateKey::from_pkcs8_der(der.expose())
            .map_err(|error| WebhookSigningError::Key(error.to_string()))?;
        let key = BlindedSigningKey::new_with_salt_len(key, PSS_SALT_BYTES);
        *self.lock_key() = Some(Arc::new(WebhookSigningKey { id: newest.id, key }));
        Ok(())
    }

    /// Generates a key, which signs from now on, and returns its id. The former keys are published for `overlap` more; with
    /// none of it, they are deleted.
    pub(super) async fn rotate(&self, overlap: SignedDuration) -> Result<String, WebhookSigningError> {
        self.add_key(Some(overlap)).await
    }

    /// Generates and stores a key, and returns its id. Without `overlap` it is to be the first: another node may be faster.
    async fn add_key(&self, overlap: Option<SignedDuration>) -> Result<String, WebhookSigningError> {
        let failed = |_| WebhookSigningError::Key("it could not be generated".to_owned());
        let pair = tokio::task::spawn_blocking(|| aws_lc_rs::rsa::KeyPair::generate(KeySize::Rsa2048)).await;
        let pair = pair.map_err(|error| WebhookSigningError::Key(error.to_string()))?.map_err(failed)?;
        let der: aws_lc_rs::encoding::Pkcs8V1Der<'_> = pair.as_der().map_err(failed)?;
        let der = Secret::new(der.as_ref().to_vec());
        let key = RsaPrivateKey::from_pkcs8_der(der.expose())
            .map_err(|error| WebhookSigningError::Key(error.to_string()))?;
        let id = self.environment.uuid_v7().to_string();
        let jwk = serde_json::to_value(RsaPublicJwk::of(&key, &id)).expect("a key of texts is JSON");
        let now = self.environment.now();
        let mut tx = self.db.write().await?;
        match overlap {
            Some(overlap) if overlap.is_positive() => {
                // Only the public half is needed any more.
                tx.execute(sql!(
                    "UPDATE webhook_keys SET retires_at = $1, sealed = $2 WHERE retires_at IS NULL",
                    now + overlap,
                    Vec::<u8>::new(),
                ))
                .await?;
            }
            Some(_) => {
                tx.execute(sql!("DELETE FROM webhook_keys")).await?;
            }
            None => {}
        }
        if overlap.is_some() {
            tx.audit(AuditEvent::new("age-webhook-key.rotate").target(&id));
        }
        // If two nodes generate the first key, or rotate, at once, both keys are published, and the newest signs.
        tx.execute(sql!(
            "INSERT INTO webhook_keys (id, sealed, public_jwk, created_at)
             SELECT $1, $2, $3, $4 WHERE $5 OR NOT EXISTS (SELECT 1 FROM webhook_keys WHERE retires_at IS NULL)",
            id.clone(),
            self.vault.seal(&*self.environment, &webhook_key_aad(&id), der.expose()),
            jwk,
            now,
            overlap.is_some(),
        ))
        .await?;
        tx.commit().await?;
        Ok(id)
    }

    /// The key that [`Self::ensure_key`] has loaded.
    pub(super) fn loaded(&self) -> Result<Arc<WebhookSigningKey>, WebhookSigningError> {
        self.lock_key().clone().ok_or_else(|| WebhookSigningError::Key("it is not loaded yet".to_owned()))
    }

    fn lock_key(&self) -> MutexGuard<'_, Option<Arc<WebhookSigningKey>>> {
        self.key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The public keys that messages may be signed with, the oldest first: the last one signs now.
    pub(super) async fn public_keys(&self) -> Result<Vec<RsaPublicJwk>, WebhookSigningError> {
        #[derive(FromRow)]
        struct PublicKeyRow {
            public_jwk: Json<RsaPublicJwk>,
        }
        self.ensure_key().await?;
        let mut db = self.db.read_once().await?;
        let keys: Vec<PublicKeyRow> = db
            .fetch_all(sql!(
                "SELECT public_jwk FROM webhook_keys WHERE retires_at > $1 OR retires_at IS NULL
                  ORDER BY created_at DESC, id DESC LIMIT $2",
                self.environment.now(),
                MAX_PUBLISHED_KEYS,
            ))
            .await?;
        Ok(keys.into_iter().rev().map(|key| key.public_jwk.0).collect())
    }
}

impl WebhookSigningKey {
    /// Base64 of an RSASSA-PSS signature with SHA-256 and the longest salt (RFC 8017, section 8.1).
    pub(super) fn sign(
        &self,
        environment: &dyn Environment,
        message: &[u8],
    ) -> Result<String, WebhookSigningError> {
        let signature = self.key.try_sign_with_rng(&mut EnvironmentRng(environment), message);
        let signature = signature.map_err(|error| WebhookSigningError::Key(error.to_string()))?;
        Ok(base64_simd::STANDARD.encode_to_string(signature.to_bytes()))
    }
}

/// The key that signs.
async fn load_newest_key(db: &mut ReadTx) -> Result<Option<SigningKeyRow>, DbError> {
    db.fetch_optional(sql!(
        "SELECT id, sealed FROM webhook_keys WHERE retires_at IS NULL ORDER BY created_at DESC, id DESC LIMIT 1"
    ))
    .await
}

/// Deletes keys that are no longer published. Returns how many.
pub(super) async fn purge_webhook_keys(db: &Db, now: Timestamp) -> Result<u64, DbError> {
    let mut tx = db.write_with_durability(Durability::Process).await?;
    let keys = tx.execute(sql!("DELETE FROM webhook_keys WHERE retires_at <= $1", now)).await?;
    tx.commit().await?;
    Ok(keys)
}

/// What a key is sealed with in addition.
pub(crate) fn webhook_key_aad(id: &str) -> Vec<u8> {
    format!("webhook key {id}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyring::Keyring;
    use base::TestEnvironment;
    use db::testing::TestDb;

    /// On PostgreSQL, where the second rotation does not see what the first one writes until it has waited for it.
    #[tokio::test]
    async fn each_of_two_keys_that_are_made_at_the_same_time_is_published() {
        let test = TestDb::open().await;
        let environment = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let vault = Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let signer = WebhookSigner::new(test.db.clone(), environment.clone(), vault);
        signer.ensure_key().await.unwrap();
        // Another process rotates: it has retired the former key, and has stored its own.
        let mut other = test.db.write().await.unwrap();
        let retired = environment.now() + WEBHOOK_KEY_OVERLAP;
        for query in [
            sql!("UPDATE webhook_keys SET retires_at = $1 WHERE retires_at IS NULL", retired),
            sql!(
                "INSERT INTO webhook_keys (id, sealed, public_jwk, created_at)
                 SELECT 'other', sealed, public_jwk, created_at FROM webhook_keys"
            ),
        ] {
            assert_eq!(other.execute(query).await.unwrap(), 1);
        }
        environment.advance(SignedDuration::from_secs(1));
        let (rotated, ()) = tokio::join!(signer.rotate(WEBHOOK_KEY_OVERLAP), async {
            test.wait_until_blocked(1).await;
            other.commit().await.unwrap();
        });
        let rotated = rotated.unwrap();
        let newest = signer.public_keys().await.unwrap().pop().unwrap();
        assert_eq!(newest.kid, rotated, "what was made last signs");
        assert_eq!(signer.loaded().unwrap().id, rotated);
    }
}
