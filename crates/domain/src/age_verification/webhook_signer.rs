//! Signs webhooks with a key of this server, so that a receiver can verify them without a shared secret
//! (docs/adr/0006-age-verification.md).

use crate::vault::{UnsealError, Vault};
use aws_lc_rs::{encoding::AsDer as _, rsa::KeySize};
use base::Environment;
use db::{Db, DbError, FromRow, Json, ReadTx, sql};
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
use std::sync::{Arc, OnceLock};

/// The longest salt that a key of 2,048 bits and SHA-256 leave room for, bytes (RFC 8017, section 9.1.1).
const PSS_SALT_BYTES: usize = 2048 / 8 - 32 - 2;

/// Signs webhooks. The key is generated when it is first needed, stored sealed, and the same on every node.
#[derive(Debug)]
pub(super) struct WebhookSigner {
    db: Db,
    environment: Arc<dyn Environment>,
    vault: Vault,
    key: OnceLock<BlindedSigningKey<Sha256>>,
}

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
        Self { db, environment, vault, key: OnceLock::new() }
    }

    /// Loads the key, or generates one. To be called before a transaction is begun in which something is signed.
    pub(super) async fn ensure_key(&self) -> Result<(), WebhookSigningError> {
        if self.key.get().is_some() {
            return Ok(());
        }
        let stored = load_signing_key(&mut self.db.read().await?).await?;
        let der = match stored {
            Some(row) => self.vault.open(&signing_key_aad(&row.id), &row.sealed)?,
            None => self.generate_key().await?,
        };
        let key = RsaPrivateKey::from_pkcs8_der(&der)
            .map_err(|error| WebhookSigningError::Key(error.to_string()))?;
        // A task that was faster has set the same key.
        let _already_set = self.key.set(BlindedSigningKey::new_with_salt_len(key, PSS_SALT_BYTES));
        Ok(())
    }

    /// Generates and stores a key, unless another node was faster. Returns the stored key in PKCS #8 form.
    async fn generate_key(&self) -> Result<Vec<u8>, WebhookSigningError> {
        let failed = |_| WebhookSigningError::Key("it could not be generated".to_owned());
        let pair = tokio::task::spawn_blocking(|| aws_lc_rs::rsa::KeyPair::generate(KeySize::Rsa2048)).await;
        let pair = pair.map_err(|error| WebhookSigningError::Key(error.to_string()))?.map_err(failed)?;
        let der: aws_lc_rs::encoding::Pkcs8V1Der<'_> = pair.as_der().map_err(failed)?;
        let der = der.as_ref().to_vec();
        let key = RsaPrivateKey::from_pkcs8_der(&der)
            .map_err(|error| WebhookSigningError::Key(error.to_string()))?;
        let id = self.environment.uuid_v7().to_string();
        let jwk = serde_json::to_value(RsaPublicJwk::of(&key, &id)).expect("a key of texts is JSON");
        let mut tx = self.db.write().await?;
        tx.execute(sql!(
            "INSERT INTO webhook_keys (id, sealed, public_jwk, created_at)
             SELECT $1, $2, $3, $4 WHERE NOT EXISTS (SELECT 1 FROM webhook_keys)",
            id.clone(),
            self.vault.seal(&*self.environment, &signing_key_aad(&id), &der),
            jwk,
            self.environment.now(),
        ))
        .await?;
        tx.commit().await?;
        // If two nodes generated a key at once, all nodes use the older one.
        let stored = load_signing_key(&mut self.db.read().await?).await?;
        let stored = stored.ok_or_else(|| WebhookSigningError::Key("it was not stored".to_owned()))?;
        Ok(self.vault.open(&signing_key_aad(&stored.id), &stored.sealed)?)
    }

    /// Base64 of an RSASSA-PSS signature with SHA-256 and the longest salt (RFC 8017, section 8.1). Fails unless
    /// [`Self::ensure_key`] was called before.
    pub(super) fn sign(&self, message: &[u8]) -> Result<String, WebhookSigningError> {
        let key =
            self.key.get().ok_or_else(|| WebhookSigningError::Key("it is not loaded yet".to_owned()))?;
        let signature = key.try_sign_with_rng(&mut EnvironmentRng(&*self.environment), message);
        let signature = signature.map_err(|error| WebhookSigningError::Key(error.to_string()))?;
        Ok(base64_simd::STANDARD.encode_to_string(signature.to_bytes()))
    }

    /// The public keys, the oldest first.
    pub(super) async fn public_keys(&self) -> Result<Vec<RsaPublicJwk>, WebhookSigningError> {
        #[derive(FromRow)]
        struct PublicKeyRow {
            public_jwk: Json<RsaPublicJwk>,
        }
        self.ensure_key().await?;
        let mut db = self.db.read().await?;
        let keys: Vec<PublicKeyRow> =
            db.fetch_all(sql!("SELECT public_jwk FROM webhook_keys ORDER BY created_at, id LIMIT 8")).await?;
        Ok(keys.into_iter().map(|key| key.public_jwk.0).collect())
    }
}

async fn load_signing_key(db: &mut ReadTx) -> Result<Option<SigningKeyRow>, DbError> {
    db.fetch_optional(sql!("SELECT id, sealed FROM webhook_keys ORDER BY created_at, id LIMIT 1")).await
}

fn signing_key_aad(id: &str) -> Vec<u8> {
    format!("webhook key {id}").into_bytes()
}
