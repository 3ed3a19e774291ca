//! Webhooks: one for each attempt that ended, signed by this server, so that a receiver knows it without a shared secret
//! (docs/adr/0006-age-verification.md). The headers of Standard Webhooks stand beside it, as with every delivery.

use super::{
    AgeVerificationService,
    session::{AgeAttemptOutcome, AgeSession},
    types::{AgeCheckType, AgeMethod, AgeSessionStatus},
};
use crate::{
    delivery::{OutboxError, SuccessCriterion, WebhookMessage, WebhookMethod},
    vault::{UnsealError, Vault},
};
use aws_lc_rs::{encoding::AsDer as _, rsa::KeySize};
use base::{AgeSessionId, Environment, Timestamp, Uuid};
use db::{Db, DbError, FromRow, Json, ReadTx, WriteTx, sql};
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

/// Signs webhooks. The key is made when it is first needed, kept sealed, and the same on every node.
#[derive(Clone, Debug)]
pub(super) struct WebhookSigner {
    db: Db,
    world: Arc<dyn Environment>,
    vault: Vault,
    key: Arc<OnceLock<BlindedSigningKey<Sha256>>>,
}

#[derive(FromRow)]
struct SigningKeyRow {
    id: String,
    sealed: Vec<u8>,
}

/// Why nothing is signed.
#[derive(Debug, thiserror::Error)]
pub enum WebhookSigningError {
    /// The key does not open.
    #[error(transparent)]
    Damaged(#[from] UnsealError),
    /// The key is none.
    #[error("the key that signs webhooks cannot be used: {0}")]
    Key(String),
    /// The database did not answer.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// What came of an attempt, as it is told.
#[derive(Clone, Debug)]
pub struct AgeResultNotice<'a> {
    /// The id of this message.
    pub id: Uuid,
    /// Whose attempt it was.
    pub session: AgeSessionId,
    /// At what.
    pub method: AgeMethod,
    /// Whether the age is as asked.
    pub passed: bool,
    /// The age where it was asked for, else the threshold, years.
    pub age: Option<i64>,
    /// The relying party's own word for the session.
    pub reference_id: Option<&'a str>,
    /// When the attempt ended.
    pub at: Timestamp,
    /// Where it is told.
    pub notification_url: &'a str,
    /// Under what the method knows its evidence.
    pub evidence_id: Option<&'a str>,
    /// The state of the session from then on.
    pub state: AgeSessionStatus,
    /// What the result rests on.
    pub check_type: AgeCheckType,
    /// Why it did not pass.
    pub error_code: Option<&'a str>,
}

/// What is added to a notice once it is signed.
#[derive(Clone, Debug)]
pub struct AgeResultSignature {
    /// Which of the session's messages it is, from 1.
    pub sequence_number: i64,
    /// Base64 of the signature.
    pub signature: String,
}

/// How results look to the servers that are told of them; the interface says so.
pub trait AgeWebhookFormat: std::fmt::Debug + Send + Sync {
    /// The body of a message, compact JSON. What is signed has no signature yet; with it the same members stand in the same
    /// order, and what it adds comes after them.
    fn result_body(&self, notice: &AgeResultNotice<'_>, signature: Option<&AgeResultSignature>) -> String;
}

/// The public half of an RSA key that signs, a JSON Web Key (RFC 7517). Rows have it in this form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RsaPublicJwk {
    /// The key type: RSA.
    pub kty: String,
    /// What it is for: signatures.
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

/// The world's chance, as the signing crate asks for it.
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
    pub(super) fn new(db: Db, world: Arc<dyn Environment>, vault: Vault) -> Self {
        Self { db, world, vault, key: Arc::default() }
    }

    /// Reads the key, or makes one, so that what follows has it at hand.
    pub(super) async fn ensure_key(&self) -> Result<(), WebhookSigningError> {
        if self.key.get().is_some() {
            return Ok(());
        }
        let kept = load_signing_key(&mut self.db.read().await?).await?;
        let der = match kept {
            Some(kept) => self.vault.open(&signing_key_aad(&kept.id), &kept.sealed)?,
            None => self.generate_key().await?,
        };
        let key = RsaPrivateKey::from_pkcs8_der(&der)
            .map_err(|error| WebhookSigningError::Key(error.to_string()))?;
        let _raced = self.key.set(BlindedSigningKey::new_with_salt_len(key, PSS_SALT_BYTES));
        Ok(())
    }

    /// Makes a key, unless another node was quicker; its PKCS #8 form.
    async fn generate_key(&self) -> Result<Vec<u8>, WebhookSigningError> {
        let failed = |_| WebhookSigningError::Key("none could be made".to_owned());
        let pair = tokio::task::spawn_blocking(|| aws_lc_rs::rsa::KeyPair::generate(KeySize::Rsa2048)).await;
        let pair = pair.map_err(|error| WebhookSigningError::Key(error.to_string()))?.map_err(failed)?;
        let der: aws_lc_rs::encoding::Pkcs8V1Der<'_> = pair.as_der().map_err(failed)?;
        let der = der.as_ref().to_vec();
        let key = RsaPrivateKey::from_pkcs8_der(&der)
            .map_err(|error| WebhookSigningError::Key(error.to_string()))?;
        let id = self.world.uuid_v7().to_string();
        let jwk = serde_json::to_value(RsaPublicJwk::of(&key, &id)).expect("a key of texts is JSON");
        let mut tx = self.db.write().await?;
        tx.execute(sql!(
            "INSERT INTO webhook_keys (id, sealed, public_jwk, created_at)
             SELECT $1, $2, $3, $4 WHERE NOT EXISTS (SELECT 1 FROM webhook_keys)",
            id.clone(),
            self.vault.seal(&*self.world, &signing_key_aad(&id), &der),
            jwk,
            self.world.now(),
        ))
        .await?;
        tx.commit().await?;
        // Of two nodes that began at once, the older key is everybody's.
        let kept = load_signing_key(&mut self.db.read().await?).await?;
        let kept = kept.ok_or_else(|| WebhookSigningError::Key("it was not kept".to_owned()))?;
        Ok(self.vault.open(&signing_key_aad(&kept.id), &kept.sealed)?)
    }

    /// Base64 of an RSASSA-PSS signature with SHA-256 and the longest salt (RFC 8017, section 8.1).
    fn sign(&self, message: &[u8]) -> Result<String, WebhookSigningError> {
        let key =
            self.key.get().ok_or_else(|| WebhookSigningError::Key("it is not at hand yet".to_owned()))?;
        let signature = key.try_sign_with_rng(&mut EnvironmentRng(&*self.world), message);
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
        let mut view = self.db.read().await?;
        let keys: Vec<PublicKeyRow> = view
            .fetch_all(sql!("SELECT public_jwk FROM webhook_keys ORDER BY created_at, id LIMIT 8"))
            .await?;
        Ok(keys.into_iter().map(|key| key.public_jwk.0).collect())
    }
}

async fn load_signing_key(view: &mut ReadTx) -> Result<Option<SigningKeyRow>, DbError> {
    view.fetch_optional(sql!("SELECT id, sealed FROM webhook_keys ORDER BY created_at, id LIMIT 1")).await
}

fn signing_key_aad(id: &str) -> Vec<u8> {
    format!("webhook key {id}").into_bytes()
}

impl AgeVerificationService {
    /// Tells the business what came of an attempt, where it wants to be told.
    pub(super) async fn notify_relying_party(
        &self,
        tx: &mut WriteTx,
        session: &mut AgeSession,
        outcome: &AgeAttemptOutcome,
    ) -> Result<(), AgeNotificationError> {
        let Some(url) = session.wanted.notification_url.clone() else { return Ok(()) };
        session.told += 1;
        let notice = AgeResultNotice {
            id: self.0.world.uuid_v4(),
            session: session.id,
            method: outcome.method,
            passed: outcome.passed,
            age: outcome.age,
            reference_id: session.wanted.reference_id.as_deref(),
            at: outcome.at,
            notification_url: &url,
            evidence_id: outcome.evidence_id.as_deref(),
            state: session.state,
            check_type: outcome.check_type,
            error_code: outcome.error_code.as_deref(),
        };
        let signature = self.0.signer.sign(self.0.webhooks.result_body(&notice, None).as_bytes())?;
        let signature = AgeResultSignature { sequence_number: session.told, signature };
        let body = self.0.webhooks.result_body(&notice, Some(&signature));
        let message = WebhookMessage {
            url: url.clone(),
            verb: WebhookMethod::Post,
            headers: Vec::new(),
            body,
            verify_tls: true,
            success: SuccessCriterion::Only200,
        };
        match self.0.outbox.enqueue(tx, &*self.0.world, session.app, "ages.result", &message).await {
            Ok(_) => Ok(()),
            Err(OutboxError::Db(error)) => Err(error.into()),
            Err(OutboxError::Refused(refused)) => {
                // It was allowed when the session was made; the operator has changed their mind since.
                tracing::warn!(
                    error = &refused as &dyn std::error::Error,
                    session.id = %session.id,
                    "a webhook is not sent"
                );
                Ok(())
            }
        }
    }
}

/// Why nothing is told.
#[derive(Debug, thiserror::Error)]
pub enum AgeNotificationError {
    /// It cannot be signed.
    #[error(transparent)]
    Signing(#[from] WebhookSigningError),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}
