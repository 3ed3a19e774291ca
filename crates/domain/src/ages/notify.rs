//! Webhooks: one for each attempt that ended, signed by this server, so that a receiver knows it without a shared secret
//! (decisions, section 5). The headers of Standard Webhooks stand beside it, as with every delivery.

use super::{
    Ages,
    session::{Outcome, Session},
};
use crate::{
    delivery::{Message, NotQueued, Success, Verb},
    vault::{Damaged, Vault},
};
use aws_lc_rs::{encoding::AsDer as _, rsa::KeySize};
use base::{Uuid, World};
use db::{Db, DbError, FromRow, Json, Read, Tx, sql};
use rsa::{
    RsaPrivateKey,
    pkcs8::DecodePrivateKey as _,
    pss::BlindedSigningKey,
    rand_core,
    signature::{RandomizedSigner as _, SignatureEncoding as _},
    traits::PublicKeyParts as _,
};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::Sha256;
use std::sync::{Arc, OnceLock};

/// The longest salt that a key of 2,048 bits and SHA-256 leave room for, bytes (RFC 8017, section 9.1.1).
const SALT: usize = 2048 / 8 - 32 - 2;

/// Signs webhooks. The key is made when it is first needed, kept sealed, and the same on every node.
#[derive(Clone, Debug)]
pub(super) struct Signer {
    db: Db,
    world: Arc<dyn World>,
    vault: Vault,
    key: Arc<OnceLock<BlindedSigningKey<Sha256>>>,
}

#[derive(FromRow)]
struct Kept {
    id: String,
    sealed: Vec<u8>,
}

/// Why nothing is signed.
#[derive(Debug, thiserror::Error)]
pub enum NotSigned {
    /// The key does not open.
    #[error(transparent)]
    Damaged(#[from] Damaged),
    /// The key is none.
    #[error("the key that signs webhooks cannot be used: {0}")]
    Key(String),
    /// The database did not answer.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// What is told. The order of the members is that of the signature.
#[derive(Serialize)]
struct Notice<'a> {
    method: &'a str,
    result: bool,
    age: Option<i64>,
    session_key: String,
    reference_id: Option<&'a str>,
    id: Uuid,
    timestamp: i64,
    notification_url: &'a str,
    evidence_id: Option<&'a str>,
    state: &'a str,
    check_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence_number: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

/// The world's chance, as the signing crate asks for it.
struct Chance<'a>(&'a dyn World);

impl rand_core::RngCore for Chance<'_> {
    fn next_u32(&mut self) -> u32 {
        rand_core::impls::next_u32_via_fill(self)
    }

    fn next_u64(&mut self) -> u64 {
        rand_core::impls::next_u64_via_fill(self)
    }

    fn fill_bytes(&mut self, to: &mut [u8]) {
        self.0.fill(to);
    }

    fn try_fill_bytes(&mut self, to: &mut [u8]) -> Result<(), rand_core::Error> {
        self.0.fill(to);
        Ok(())
    }
}

impl rand_core::CryptoRng for Chance<'_> {}

impl Signer {
    pub(super) fn new(db: Db, world: Arc<dyn World>, vault: Vault) -> Self {
        Self { db, world, vault, key: Arc::default() }
    }

    /// Reads the key, or makes one, so that what follows has it at hand.
    pub(super) async fn ready(&self) -> Result<(), NotSigned> {
        if self.key.get().is_some() {
            return Ok(());
        }
        let kept = kept(&mut self.db.read().await?).await?;
        let der = match kept {
            Some(kept) => self.vault.open(&place(&kept.id), &kept.sealed)?,
            None => self.make().await?,
        };
        let key = RsaPrivateKey::from_pkcs8_der(&der).map_err(|error| NotSigned::Key(error.to_string()))?;
        let _raced = self.key.set(BlindedSigningKey::new_with_salt_len(key, SALT));
        Ok(())
    }

    /// Makes a key, unless another node was quicker; its PKCS #8 form.
    async fn make(&self) -> Result<Vec<u8>, NotSigned> {
        let failed = |_| NotSigned::Key("none could be made".to_owned());
        let pair = tokio::task::spawn_blocking(|| aws_lc_rs::rsa::KeyPair::generate(KeySize::Rsa2048)).await;
        let pair = pair.map_err(|error| NotSigned::Key(error.to_string()))?.map_err(failed)?;
        let der: aws_lc_rs::encoding::Pkcs8V1Der<'_> = pair.as_der().map_err(failed)?;
        let der = der.as_ref().to_vec();
        let key = RsaPrivateKey::from_pkcs8_der(&der).map_err(|error| NotSigned::Key(error.to_string()))?;
        let id = self.world.uuid().to_string();
        let jwk = public_jwk(&key, &id);
        let mut tx = self.db.write().await?;
        tx.execute(sql!(
            "INSERT INTO webhook_keys (id, sealed, public_jwk, created_at)
             SELECT $1, $2, $3, $4 WHERE NOT EXISTS (SELECT 1 FROM webhook_keys)",
            id.clone(),
            self.vault.seal(&*self.world, &place(&id), &der),
            jwk,
            self.world.now(),
        ))
        .await?;
        tx.commit().await?;
        // Of two nodes that began at once, the older key is everybody's.
        let kept = kept(&mut self.db.read().await?).await?;
        let kept = kept.ok_or_else(|| NotSigned::Key("it was not kept".to_owned()))?;
        Ok(self.vault.open(&place(&kept.id), &kept.sealed)?)
    }

    /// Base64 of an RSASSA-PSS signature with SHA-256 and the longest salt (RFC 8017, section 8.1).
    fn sign(&self, message: &[u8]) -> Result<String, NotSigned> {
        let key = self.key.get().ok_or_else(|| NotSigned::Key("it is not at hand yet".to_owned()))?;
        let signature = key.try_sign_with_rng(&mut Chance(&*self.world), message);
        let signature = signature.map_err(|error| NotSigned::Key(error.to_string()))?;
        Ok(base64_simd::STANDARD.encode_to_string(signature.to_bytes()))
    }

    /// The public keys, a JWK set.
    pub(super) async fn key_set(&self) -> Result<Value, NotSigned> {
        #[derive(FromRow)]
        struct Public {
            public_jwk: Json<Value>,
        }
        self.ready().await?;
        let mut view = self.db.read().await?;
        let keys: Vec<Public> = view
            .fetch_all(sql!("SELECT public_jwk FROM webhook_keys ORDER BY created_at, id LIMIT 8"))
            .await?;
        Ok(json!({ "keys": keys.into_iter().map(|key| key.public_jwk.0).collect::<Vec<_>>() }))
    }
}

/// The public half as a JSON Web Key (RFC 7517).
fn public_jwk(key: &RsaPrivateKey, id: &str) -> Value {
    let encode = |number: &rsa::BigUint| base64_simd::URL_SAFE_NO_PAD.encode_to_string(number.to_bytes_be());
    json!({ "kty": "RSA", "use": "sig", "alg": "PS256", "kid": id, "n": encode(key.n()), "e": encode(key.e()) })
}

async fn kept(view: &mut Read) -> Result<Option<Kept>, DbError> {
    view.fetch_optional(sql!("SELECT id, sealed FROM webhook_keys ORDER BY created_at, id LIMIT 1")).await
}

fn place(id: &str) -> Vec<u8> {
    format!("webhook key {id}").into_bytes()
}

impl Ages {
    /// Tells the business what came of an attempt, where it wants to be told.
    pub(super) async fn tell(
        &self,
        tx: &mut Tx,
        session: &mut Session,
        outcome: &Outcome,
    ) -> Result<(), TellError> {
        let Some(url) = session.wanted.notification_url.clone() else { return Ok(()) };
        session.told += 1;
        let mut notice = Notice {
            method: outcome.method.as_str(),
            result: outcome.passed,
            age: outcome.age,
            session_key: session.id.to_string(),
            reference_id: session.wanted.reference_id.as_deref(),
            id: self.0.world.random_uuid(),
            timestamp: outcome.at.as_second(),
            notification_url: &url,
            evidence_id: outcome.evidence_id.as_deref(),
            state: session.state.as_str(),
            check_type: outcome.check_type.as_str(),
            error_code: outcome.error_code.as_deref(),
            sequence_number: None,
            signature: None,
        };
        let signed = serde_json::to_string(&notice).expect("texts and numbers are JSON");
        notice.signature = Some(self.0.signer.sign(signed.as_bytes())?);
        notice.sequence_number = Some(session.told);
        let message = Message {
            url: url.clone(),
            verb: Verb::Post,
            headers: Vec::new(),
            body: serde_json::to_string(&notice).expect("texts and numbers are JSON"),
            verify_tls: true,
            success: Success::Only200,
        };
        match self.0.outbox.post(tx, &*self.0.world, session.app, "ages.result", &message).await {
            Ok(_) => Ok(()),
            Err(NotQueued::Db(error)) => Err(error.into()),
            Err(NotQueued::Refused(refused)) => {
                // It was allowed when the session was made; the operator has changed his mind since.
                tracing::warn!(session.id = %session.id, "a webhook is not sent: {refused}");
                Ok(())
            }
        }
    }
}

/// Why nothing is told.
#[derive(Debug, thiserror::Error)]
pub enum TellError {
    /// It cannot be signed.
    #[error(transparent)]
    NotSigned(#[from] NotSigned),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}
