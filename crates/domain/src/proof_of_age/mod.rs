//! Proof of age from a scanned code. It is answered at once if the scan suffices, and later if its issuer must be asked
//! first (docs/adr/0004-proof-of-age.md).

mod assessment;
pub mod issuer;
mod issuer_queries;
pub mod qr_image;
mod record;
mod request;
mod trust_store;
mod trusted_issuers;

pub use assessment::ProofAssessment;
pub use issuer_queries::{RefreshTrust, ResolveProof, SweepProofs};
pub use record::{PROOF_ID_CHARS, ProofFailureDetail, ProofRecord, ProofStatus, ProofTerminal, ProvenAge};
pub use request::{ProofNotificationRequest, ProofQuery, ProofRequest};
pub use trust_store::TrustStoreError;
pub use trusted_issuers::{TrustedIssuerDetails, TrustedKeyKind, TrustedKeyLife};

use crate::{
    delivery::Outbox,
    tenancy::limits::{self, LimitError, LimitReachedError, LimitSettings},
    vault::Vault,
};
use assessment::{IssuerName, ProofDecision, already_used};
use base::{AppId, Environment, SignedDuration, Timestamp};
use credentials::{
    proof::{MAX_SCAN_AGE, ProofCheck, VerifiedProof},
    trust::{TrustedIssuer, VerificationKey},
};
use db::{AuditEvent, Db, DbError, FromRow, Json, WriteTx, sql};
use jobs::NewJob;
use media::fetch::Fetcher;
use std::{path::PathBuf, sync::Arc};
use trust_store::TrustStore;

/// How long a result can be queried.
pub const RESULT_RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How far a terminal's clock may be ahead, and an issuer's clock off.
const MAX_CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(5);

/// Which proofs of age are accepted; the section `[proof]`.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProofOfAgeSettings {
    /// Where this server is reached, without a trailing slash, which is its name as an issuer; no setting of this section.
    #[serde(skip)]
    pub public_url: String,
    /// The file with the trust list: the issuers whose proofs are accepted.
    pub trust_list: Option<PathBuf>,
    /// Where a signed trust list is published (https). It is fetched every hour and merged with the file.
    pub trust_list_url: Option<String>,
    /// The file with the keys that sign the published list, a JWK set. Required with `trust_list_url`: an unsigned list
    /// could come from anyone.
    pub trust_list_keys_file: Option<PathBuf>,
    /// The keys in `trust_list_keys_file`, which whoever wires the server reads.
    #[serde(skip)]
    pub trust_list_keys: Vec<VerificationKey>,
    /// Whether proofs that this server issued are accepted.
    pub trust_own: bool,
    /// The longest time from the issue of a proof to its scan, unless its issuer's entry says otherwise; written in
    /// seconds.
    #[serde(rename = "freshness_seconds", with = "base::settings::seconds")]
    pub freshness: SignedDuration,
    /// The age from which alcohol is sold where this server is used, years.
    pub alcohol_age: u8,
    /// The audience that key-binding tokens must name, if one is agreed with wallets.
    pub audience: Option<String>,
}

impl Default for ProofOfAgeSettings {
    fn default() -> Self {
        Self {
            public_url: "http://127.0.0.1:8080".to_owned(),
            trust_list: None,
            trust_list_url: None,
            trust_list_keys_file: None,
            trust_list_keys: Vec::new(),
            trust_own: true,
            freshness: SignedDuration::from_secs(30),
            alcohol_age: 18,
            audience: None,
        }
    }
}

/// Verifies proofs. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ProofOfAgeService(Arc<ProofOfAgeInner>);

#[derive(Debug)]
struct ProofOfAgeInner {
    db: Db,
    env: Arc<dyn Environment>,
    vault: Vault,
    outbox: Outbox,
    fetcher: Fetcher,
    settings: Arc<ProofOfAgeSettings>,
    limits: LimitSettings,
    trust: TrustStore,
    webhooks: Arc<dyn ProofWebhookFormat>,
}

/// Writes results as the interface sends them to the servers that are notified.
pub trait ProofWebhookFormat: std::fmt::Debug + Send + Sync {
    /// The body of a notification, JSON.
    fn webhook_body(&self, record: &ProofRecord) -> String;
}

/// Why a query was not answered.
#[derive(Debug, thiserror::Error)]
pub enum ProofOfAgeError {
    /// There is no usable trust list.
    #[error(transparent)]
    Trust(#[from] TrustStoreError),
    /// The notification cannot be queued.
    #[error(transparent)]
    NotQueued(#[from] crate::delivery::OutboxError),
    /// The application has as many waiting jobs as it may.
    #[error(transparent)]
    LimitReached(#[from] LimitReachedError),
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<LimitError> for ProofOfAgeError {
    fn from(error: LimitError) -> Self {
        match error {
            LimitError::Reached(reached) => reached.into(),
            LimitError::Db(error) => error.into(),
        }
    }
}

#[derive(FromRow)]
struct ProofRow {
    record: Json<ProofRecord>,
}

impl ProofOfAgeService {
    /// A service under the operator's `settings`.
    #[expect(clippy::too_many_arguments, reason = "each is a part of the server, and there is one call")]
    pub fn new(
        db: Db,
        env: Arc<dyn Environment>,
        vault: Vault,
        outbox: Outbox,
        fetcher: Fetcher,
        settings: ProofOfAgeSettings,
        limits: LimitSettings,
        webhooks: Arc<dyn ProofWebhookFormat>,
    ) -> Self {
        let settings = Arc::new(settings);
        let trust = TrustStore::new(settings.clone());
        Self(Arc::new(ProofOfAgeInner { db, env, vault, outbox, fetcher, settings, limits, trust, webhooks }))
    }

    /// The outbox that notifications are queued in.
    pub fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    /// Stores an assessment in a transaction that the caller commits: the result, the use of the proof and the job for
    /// what must be done later take effect together or not at all.
    pub async fn store(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        query: &ProofQuery,
        assessment: ProofAssessment,
    ) -> Result<ProofRecord, ProofOfAgeError> {
        let now = self.0.env.now();
        let id = ProofRecord::random_id(&*self.0.env);
        let (record, is_pending) = match assessment.0 {
            ProofDecision::Decided { provider, outcome } => {
                (ProofRecord::decided(id, now, provider, outcome), false)
            }
            ProofDecision::Valid(verified) => {
                let outcome = if reserve_presentation(tx, &verified, &id, now, MAX_SCAN_AGE).await? {
                    self.proven_outcome(&verified)
                } else {
                    already_used()
                };
                (ProofRecord::decided(id, now, Some(verified.provider.clone()), outcome), false)
            }
            ProofDecision::NeedsIssuer { issuer: IssuerName { provider, .. }, verified, .. } => {
                let provider = Some(provider);
                let fresh = match &verified {
                    Some(verified) => reserve_presentation(tx, verified, &id, now, MAX_SCAN_AGE).await?,
                    None => true,
                };
                if fresh {
                    (ProofRecord::pending(id, now, provider), true)
                } else {
                    (ProofRecord::decided(id, now, provider, already_used()), false)
                }
            }
        };
        let terminal = ProofTerminal { id: query.terminal_id.clone(), store_id: query.store_id.clone() };
        let record = ProofRecord { terminal: Some(terminal), ..record };
        let sealed = is_pending.then(|| self.seal(&record.id, query));
        tx.execute(sql!(
            "INSERT INTO proofs (id, app_id, terminal_id, store_id, status, record, sealed, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            record.id.clone(),
            app,
            query.terminal_id.clone(),
            query.store_id.clone(),
            record.status,
            serde_json::to_value(&record).expect("a record serialises to JSON"),
            sealed,
            now,
            now + RESULT_RETENTION,
        ))
        .await?;
        if is_pending {
            let job = ResolveProof { proof: record.id.clone() };
            limits::ensure_queueing_allowed(tx, &self.0.limits, app).await?;
            jobs::enqueue(tx, NewJob::new(&*self.0.env, &job).of_application(app)).await?;
        }
        count_result(&record);
        Ok(record)
    }

    /// The issuers that this server trusts, for operators.
    pub async fn trusted_issuers(&self) -> Result<Vec<TrustedIssuerSummary>, ProofOfAgeError> {
        let list = self.0.trust.snapshot(&self.0.db, &*self.0.env).await?.list;
        let entry = |issuer: &TrustedIssuer| TrustedIssuerSummary {
            id: issuer.id().to_owned(),
            provider: issuer.provider().to_owned(),
            formats: issuer.formats().iter().map(|format| format.as_str()).collect(),
        };
        Ok(list.issuers().map(entry).collect())
    }

    /// A verification of an application. `None` if it is unknown, expired or another application's.
    pub async fn find(&self, app: AppId, id: &str) -> Result<Option<ProofRecord>, DbError> {
        let row: Option<ProofRow> = self
            .0
            .db
            .read_once()
            .await?
            .fetch_optional(sql!(
                "SELECT record FROM proofs WHERE id = $1 AND app_id = $2 AND expires_at > $3",
                id,
                app,
                self.0.env.now(),
            ))
            .await?;
        Ok(row.map(|row| row.record.0))
    }

    fn seal(&self, id: &str, query: &ProofQuery) -> Vec<u8> {
        let plain = serde_json::to_vec(query).expect("a query serialises to JSON");
        self.0.vault.seal(&*self.0.env, &aad(id), &plain)
    }

    fn unseal(&self, id: &str, sealed: &[u8]) -> Option<ProofQuery> {
        serde_json::from_slice(&self.0.vault.open(&aad(id), sealed).ok()?).ok()
    }
}

/// An issuer on the trust list.
#[derive(Clone, Debug, serde::Serialize)]
pub struct TrustedIssuerSummary {
    /// As proofs name it.
    pub id: String,
    /// As results name it.
    pub provider: String,
    /// The formats in which its proofs are accepted.
    pub formats: Vec<&'static str>,
}

fn aad(id: &str) -> Vec<u8> {
    format!("pending proof {id}").into_bytes()
}

/// Records the use of a proof. True if it is the first use, or was recorded by this same verification. A use whose time is over
/// does not count, whether or not it has been deleted.
///
/// The use of a presentation that counts once is remembered for `at_least` from now on: verifications of the same one may be
/// under way, however long ago the scans were.
async fn reserve_presentation(
    tx: &mut WriteTx,
    verified: &VerifiedProof,
    id: &str,
    now: Timestamp,
    at_least: SignedDuration,
) -> Result<bool, DbError> {
    // A credential that anybody can copy has neither: its holder has no other one, and shows the same again.
    let counts_once = verified.holder_bound || verified.checks.contains(&ProofCheck::Fresh);
    let until = verified.replay_key_until;
    let until = if counts_once { until.max(now + at_least) } else { until };
    let rows = tx
        .execute(sql!(
            "INSERT INTO used_presentations (use_key, proof_id, expires_at) VALUES ($1, $2, $3)
             ON CONFLICT (use_key) DO UPDATE SET proof_id = excluded.proof_id, expires_at = excluded.expires_at
              WHERE used_presentations.proof_id = excluded.proof_id OR used_presentations.expires_at <= $4",
            verified.replay_key.to_vec(),
            id,
            until,
            now,
        ))
        .await?;
    Ok(rows == 1)
}

fn count_result(record: &ProofRecord) {
    let reason = record.failure.as_ref().map_or("", |failure| failure.reason.as_str()).to_owned();
    metrics::counter!("assay_proofs_total", "status" => record.status.as_str(), "reason" => reason)
        .increment(1);
}

/// Sets the providers whose proofs an application does not accept: ids or provider names of the trust list.
pub async fn set_excluded_providers(
    tx: &mut WriteTx,
    app: AppId,
    providers: &[String],
) -> Result<(), crate::tenancy::TenancyError> {
    let rows = tx
        .execute(sql!(
            "UPDATE applications SET excluded_providers = $2 WHERE id = $1",
            app,
            serde_json::Value::from(providers),
        ))
        .await?;
    tx.audit(AuditEvent::new("application.exclude-providers").app(app).detail("providers", providers));
    if rows == 1 { Ok(()) } else { Err(crate::tenancy::TenancyError::NotFound(format!("application {app}"))) }
}

/// Deletes expired results, uses, grants, issuers' documents and keys of this server, at most 20,000 of each at a time;
/// returns how many, without the documents and keys.
pub async fn purge(db: &Db, env: &dyn Environment) -> Result<u64, DbError> {
    let (mut tx, now) = (db.write().await?, env.now());
    let proofs = tx
        .execute(sql!(
            "DELETE FROM proofs WHERE id IN (SELECT id FROM proofs WHERE expires_at <= $1 LIMIT 20000)",
            now,
        ))
        .await?;
    let uses = tx
        .execute(sql!(
            "DELETE FROM used_presentations WHERE use_key IN
                (SELECT use_key FROM used_presentations WHERE expires_at <= $1 LIMIT 20000)",
            now,
        ))
        .await?;
    let grants = tx
        .execute(sql!(
            "DELETE FROM holder_grants WHERE id IN (SELECT id FROM holder_grants WHERE expires_at <= $1 LIMIT 20000)",
            now,
        ))
        .await?;
    // A stale key set is still better than none; it is deleted when it has not been fetched for a month.
    tx.execute(sql!("DELETE FROM issuer_documents WHERE fresh_until <= $1", now - RESULT_RETENTION)).await?;
    issuer::purge_retired_keys(&mut tx, now).await?;
    tx.commit().await?;
    Ok(proofs + uses + grants)
}
