//! This server as an issuer of proofs: codes for immediate use, and batches of credentials for the holder's page.
//!
//! A holder gets a code that their page redeems for credentials. The page generates a key pair for each credential, so
//! that two presentations have nothing in common by which a terminal could tell that one person showed both.

use super::ProofOfAgeSettings;
use crate::{
    jwk::{Jwk, JwkSet},
    tenancy::{Feature, TenancyError, application_status},
    vault::{UnsealError, Vault},
};
use aws_lc_rs::digest;
use base::{AppId, Environment, Secret, SignedDuration, Timestamp};
use credentials::{
    issue::{self, AgeAttestation, HolderKey, IssuingKey},
    trust::TrustList,
};
use db::{AuditEvent, Db, DbError, FromRow, Json, ReadTx, WriteTx, sql};
use std::sync::Arc;

/// This server's provider name in results.
pub const OWN_PROVIDER: &str = "ASSAY";
/// How long a batch is used. Its credentials expire at the end of the hour, so that their expiry identifies nobody.
pub const BATCH_LIFETIME: SignedDuration = SignedDuration::from_hours(1);
/// Credentials in a batch, at most: one for every 30 seconds of an hour.
pub const MAX_BATCH_CREDENTIALS: usize = 120;
/// How long a code for immediate use is valid.
pub const CODE_LIFETIME: SignedDuration = SignedDuration::from_secs(60);
/// A new key signs only after this time, when every process has it in its trust list; until then the previous one
/// signs.
pub(crate) const KEY_ACTIVATION_DELAY: SignedDuration = SignedDuration::from_secs(30);
/// How long a retired key still verifies: by then everything that it signed has expired.
pub(crate) const RETIRED_KEY_RETENTION: SignedDuration = SignedDuration::from_hours(3);

/// Issues proofs. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ProofIssuer {
    db: Db,
    env: Arc<dyn Environment>,
    vault: Vault,
    settings: Arc<ProofOfAgeSettings>,
}

/// Why nothing was issued.
#[derive(Debug, thiserror::Error)]
pub enum ProofIssueError {
    /// No age threshold, more than eight, or one outside 1 to 120 years.
    #[error("1 to 8 age thresholds are needed, each from 1 to 120 years")]
    Age,
    #[error("the code is unknown, used up or expired; ask for a new one")]
    Code,
    /// The application that gives the code is not served, or may not use proofs of age. The code works again once it may.
    #[error("the application is not served at present, or may not use proof-of-age")]
    ApplicationNotServed,
    /// Too many keys, or none; how many.
    #[error("a batch has 1 to {MAX_BATCH_CREDENTIALS} keys, this one {0}")]
    Keys(usize),
    /// The key at this index is malformed.
    #[error("keys[{0}] is not base64url of an uncompressed P-256 point (65 bytes)")]
    Key(usize),
    /// The signing key cannot be unsealed.
    #[error(transparent)]
    Damaged(#[from] UnsealError),
    /// The signing key is not usable, or the proof cannot be issued.
    #[error(transparent)]
    Issue(#[from] issue::IssueError),
    #[error(transparent)]
    Tenancy(#[from] TenancyError),
    #[error(transparent)]
    Db(#[from] DbError),
}

#[derive(FromRow)]
struct IssuingKeyRow {
    id: String,
    sealed: Vec<u8>,
}

#[derive(FromRow)]
struct PublicJwkRow {
    public_jwk: Json<Jwk>,
}

/// What a code is redeemed for.
#[derive(Debug)]
pub struct CredentialBatch {
    /// One credential for each key, in their order.
    pub credentials: Vec<Vec<u8>>,
    /// Until when the page uses them.
    pub expires_at: Timestamp,
    /// For how many more batches the code can be redeemed.
    pub batches_left: i64,
}

/// The public keys for a batch.
#[derive(Debug)]
pub struct HolderKeys(Vec<HolderKey>);

impl HolderKeys {
    /// Base64url of uncompressed P-256 points, 1 to [`MAX_BATCH_CREDENTIALS`].
    pub fn parse(keys: &[String]) -> Result<Self, ProofIssueError> {
        if !(1..=MAX_BATCH_CREDENTIALS).contains(&keys.len()) {
            return Err(ProofIssueError::Keys(keys.len()));
        }
        let parsed = keys
            .iter()
            .enumerate()
            .map(|(index, key)| parse_holder_key(key).ok_or(ProofIssueError::Key(index)));
        parsed.collect::<Result<_, _>>().map(Self)
    }
}

impl ProofIssuer {
    /// An issuer whose id is `settings.public_url`.
    pub fn new(db: Db, env: Arc<dyn Environment>, vault: Vault, settings: ProofOfAgeSettings) -> Self {
        Self { db, env, vault, settings: Arc::new(settings) }
    }

    /// The server's public URL, which is also its id as an issuer.
    pub fn address(&self) -> &str {
        &self.settings.public_url
    }

    /// Issues an online proof, as the text of a QR code, that is to be scanned within the next 30 seconds.
    pub async fn issue_code(&self, age_over: &[u8]) -> Result<String, ProofIssueError> {
        let ages = normalise_thresholds(age_over)?;
        let mut tx = self.db.write().await?;
        let key = self.signing_key(&mut tx).await?;
        tx.commit().await?;
        let attestation = AgeAttestation {
            issuer: self.settings.public_url.clone(),
            age_over: ages,
            holder: None,
            status: None,
            lifetime: CODE_LIFETIME,
        };
        Ok(issue::issue_code(&key, &attestation, self.env.now(), self.random_id())?)
    }

    /// Creates a code that the holder's page redeems for up to `batches` batches until `expires_at`. It is shown only
    /// now. Refused with [`ProofIssueError::ApplicationNotServed`] if the application could not have it redeemed.
    pub async fn create_holder_grant(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        age_over: &[u8],
        batches: u16,
        expires_at: Timestamp,
    ) -> Result<Secret<String>, ProofIssueError> {
        let ages = normalise_thresholds(age_over)?;
        let status = application_status::find(tx, app).await?;
        let status = status.ok_or_else(|| TenancyError::NotFound(format!("application {app}")))?;
        if !status.allows(Feature::ProofOfAge) {
            return Err(ProofIssueError::ApplicationNotServed);
        }
        let mut random = [0; 16];
        self.env.fill_random(&mut random);
        let code = base64_simd::URL_SAFE_NO_PAD.encode_to_string(random);
        tx.execute(sql!(
            "INSERT INTO holder_grants (id, app_id, hash, age_over, batches, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            self.env.uuid_v7(),
            app,
            hash(&code),
            serde_json::json!(ages),
            i64::from(batches.max(1)),
            self.env.now(),
            expires_at,
        ))
        .await?;
        tx.audit(AuditEvent::new("holder-grant.create").app(app).detail("batches", batches));
        Ok(Secret::new(code))
    }

    /// The application that gave the holder a code, also one that is used up. Refused with
    /// [`ProofIssueError::ApplicationNotServed`] while the application may not give proofs.
    pub async fn grant_application(&self, code: &str) -> Result<AppId, ProofIssueError> {
        // A stranger with a code that is none has neither their keys read nor the one writer that SQLite has.
        granting_application(&mut self.db.read_once().await?, code, self.env.now()).await
    }

    /// Redeems a code for a batch: one credential for each of the holder's public keys.
    pub async fn redeem(&self, code: &str, keys: &[String]) -> Result<CredentialBatch, ProofIssueError> {
        self.grant_application(code).await?;
        let holders = HolderKeys::parse(keys)?;
        let mut tx = self.db.write().await?;
        let batch = self.redeem_in(&mut tx, code, holders).await?;
        tx.commit().await?;
        Ok(batch)
    }

    /// The same, in a transaction that the caller commits.
    pub async fn redeem_in(
        &self,
        tx: &mut WriteTx,
        code: &str,
        holders: HolderKeys,
    ) -> Result<CredentialBatch, ProofIssueError> {
        #[derive(FromRow)]
        struct HolderGrantRow {
            #[sqlx(json)]
            age_over: Vec<u8>,
            batches: i64,
        }
        let now = self.env.now();
        granting_application(tx, code, now).await?;
        let grant: Option<HolderGrantRow> = tx
            .fetch_optional(sql!(
                "UPDATE holder_grants SET batches = batches - 1
                  WHERE hash = $1 AND batches > 0 AND expires_at > $2
                 RETURNING age_over, batches",
                hash(code),
                now,
            ))
            .await?;
        let grant = grant.ok_or(ProofIssueError::Code)?;
        let key = self.signing_key(tx).await?;
        let credentials = holders.0.into_iter().map(|holder| {
            let attestation = AgeAttestation {
                issuer: self.settings.public_url.clone(),
                age_over: grant.age_over.clone(),
                holder: Some(holder),
                status: None,
                lifetime: BATCH_LIFETIME,
            };
            issue::issue_credential(&key, &attestation, now, self.random_id())
        });
        let credentials = credentials.collect::<Result<Vec<_>, _>>()?;
        Ok(CredentialBatch { credentials, expires_at: now + BATCH_LIFETIME, batches_left: grant.batches })
    }

    /// Revokes a code; returns whether there was one.
    pub async fn revoke_holder_grant(&self, tx: &mut WriteTx, code: &str) -> Result<bool, DbError> {
        let known = tx.execute(sql!("DELETE FROM holder_grants WHERE hash = $1", hash(code))).await? == 1;
        if known {
            tx.audit(AuditEvent::new("holder-grant.revoke"));
        }
        Ok(known)
    }

    /// Creates a signing key if there is none, so that it is trusted before the first proof is issued.
    pub async fn ensure_signing_key(&self) -> Result<(), ProofIssueError> {
        let mut tx = self.db.write().await?;
        self.signing_key(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// Creates a new signing key, and returns its key id. The previous one verifies until everything that it signed has
    /// expired; with `at_once`, it is deleted, and the new one signs at once.
    pub async fn rotate_signing_key(
        &self,
        tx: &mut WriteTx,
        at_once: bool,
    ) -> Result<String, ProofIssueError> {
        if at_once {
            tx.execute(sql!("DELETE FROM issuing_keys")).await?;
        }
        tx.execute(sql!("UPDATE issuing_keys SET retired_at = $1 WHERE retired_at IS NULL", self.env.now()))
            .await?;
        let key = self.insert_signing_key(tx).await?;
        tx.audit(AuditEvent::new("issuing-key.rotate").target(kid(&key)));
        Ok(kid(&key))
    }

    /// The public keys that verify proofs, as a JWK Set.
    pub async fn key_set(&self) -> Result<JwkSet, DbError> {
        let keys = public_keys(&mut self.db.read().await?, self.env.now()).await?;
        Ok(JwkSet { keys })
    }

    async fn signing_key(&self, tx: &mut WriteTx) -> Result<IssuingKey, ProofIssueError> {
        // A process whose clock is ahead may have deleted the private half of a key whose time is not over here.
        let row: Option<IssuingKeyRow> = tx
            .fetch_optional(sql!(
                "SELECT id, sealed FROM issuing_keys
                  WHERE (retired_at > $1 OR retired_at IS NULL) AND length(sealed) > 0
                  ORDER BY CASE WHEN created_at <= $1 THEN 0 ELSE 1 END, created_at DESC, id LIMIT 1",
                self.env.now() - KEY_ACTIVATION_DELAY,
            ))
            .await?;
        match row {
            Some(row) => {
                let pkcs8 = self.vault.open(&issuing_key_aad(&row.id), &row.sealed)?;
                Ok(IssuingKey::from_pkcs8_der(&pkcs8)?)
            }
            None => self.insert_signing_key(tx).await,
        }
    }

    async fn insert_signing_key(&self, tx: &mut WriteTx) -> Result<IssuingKey, ProofIssueError> {
        let key = IssuingKey::generate(&*self.env);
        let id = kid(&key);
        tx.execute(sql!(
            "INSERT INTO issuing_keys (id, sealed, public_jwk, created_at) VALUES ($1, $2, $3, $4)",
            id.clone(),
            self.vault.seal(&*self.env, &issuing_key_aad(&id), key.to_pkcs8_der().expose()),
            key.jwk(),
            self.env.now(),
        ))
        .await?;
        Ok(key)
    }

    fn random_id(&self) -> [u8; 16] {
        let mut id = [0; 16];
        self.env.fill_random(&mut id);
        id
    }
}

/// The application that gave a code, if it may give proofs now.
async fn granting_application(
    view: &mut ReadTx,
    code: &str,
    now: Timestamp,
) -> Result<AppId, ProofIssueError> {
    #[derive(FromRow)]
    struct GrantOwnerRow {
        app_id: AppId,
    }
    let owner: Option<GrantOwnerRow> = view
        .fetch_optional(sql!(
            "SELECT app_id FROM holder_grants WHERE hash = $1 AND expires_at > $2",
            hash(code),
            now,
        ))
        .await?;
    let app = owner.ok_or(ProofIssueError::Code)?.app_id;
    let status = application_status::find(view, app).await?;
    let allowed = status.is_some_and(|status| status.allows(Feature::ProofOfAge));
    if allowed { Ok(app) } else { Err(ProofIssueError::ApplicationNotServed) }
}

/// Deletes keys that verify nothing any more, and the private halves of those that only verify.
pub(super) async fn purge_retired_keys(tx: &mut WriteTx, now: Timestamp) -> Result<(), DbError> {
    tx.execute(sql!("DELETE FROM issuing_keys WHERE retired_at <= $1", now - RETIRED_KEY_RETENTION)).await?;
    tx.execute(sql!(
        "UPDATE issuing_keys SET sealed = $2 WHERE retired_at <= $1 AND length(sealed) > 0",
        now - KEY_ACTIVATION_DELAY,
        Vec::<u8>::new(),
    ))
    .await?;
    Ok(())
}

async fn public_keys(view: &mut ReadTx, now: Timestamp) -> Result<Vec<Jwk>, DbError> {
    let keys: Vec<PublicJwkRow> = view
        .fetch_all(sql!(
            "SELECT public_jwk FROM issuing_keys WHERE (retired_at > $1 OR retired_at IS NULL)
              ORDER BY created_at DESC, id LIMIT 32",
            now - RETIRED_KEY_RETENTION,
        ))
        .await?;
    Ok(keys.into_iter().map(|key| key.public_jwk.0).collect())
}

/// A trust list with this server as its only issuer. Empty while the server has no key.
pub(super) async fn own_trust_list(
    db: &Db,
    now: Timestamp,
    settings: &ProofOfAgeSettings,
) -> Result<TrustList, super::TrustStoreError> {
    let keys = public_keys(&mut db.read().await?, now).await?;
    if keys.is_empty() {
        return Ok(TrustList::default());
    }
    let entry = serde_json::json!({ "issuers": [{
        "id": settings.public_url, "provider": OWN_PROVIDER, "formats": ["cwt"], "keys": keys, "status": "ignored",
    }] });
    Ok(TrustList::parse(entry.to_string().as_bytes())?)
}

fn normalise_thresholds(age_over: &[u8]) -> Result<Vec<u8>, ProofIssueError> {
    let mut ages = age_over.to_vec();
    ages.sort_unstable();
    ages.dedup();
    let valid = !ages.is_empty() && ages.len() <= 8 && ages.iter().all(|age| (1..=120).contains(age));
    valid.then_some(ages).ok_or(ProofIssueError::Age)
}

fn parse_holder_key(key: &str) -> Option<HolderKey> {
    let point = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(key.trim_end_matches('=')).ok()?;
    HolderKey::from_raw(point.as_slice().try_into().ok()?).ok()
}

fn kid(key: &IssuingKey) -> String {
    key.jwk()["kid"].as_str().unwrap_or_default().to_owned()
}

fn hash(code: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, code.as_bytes()).as_ref().to_vec()
}

/// What a signing key is sealed with in addition.
pub(crate) fn issuing_key_aad(id: &str) -> Vec<u8> {
    format!("issuing key {id}").into_bytes()
}
