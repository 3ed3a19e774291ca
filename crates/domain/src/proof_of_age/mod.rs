//! Proof of age from a code that was scanned: answered at once where what was scanned says everything, and later where
//! an issuer has to be asked (docs/adr/0004-proof-of-age.md).

pub mod issuer;
pub mod qr_image;
mod record;
mod request;
mod resolve;
mod trust_store;

pub use record::{ProofFailureDetail, ProofRecord, ProofStatus, ProvenAge};
pub use request::{ProofNotificationRequest, ProofQuery, ProofRequest};
pub use resolve::{RefreshTrust, ResolveProof};
pub use trust_store::TrustStoreError;

use crate::{delivery::Outbox, vault::Vault};
use base::{AppId, Environment, SignedDuration, Timestamp};
use credentials::{
    proof::{self, ProofFailureReason, ScannedValue, VerificationTerms, VerifiedProof},
    trust::{TrustList, TrustedIssuer, VerificationKey},
};
use db::{Db, DbError, FromRow, Json, WriteTx, sql};
use media::fetch::Fetcher;
use record::ProofOutcome;
use std::{path::PathBuf, sync::Arc};
use trust_store::TrustStore;

/// How long a result can be asked for.
pub const RESULT_RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How long a scan may be over.
const MAX_SCAN_AGE: SignedDuration = SignedDuration::from_secs(120);
/// How far a till's clock may be ahead, and an issuer's off.
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

/// Verifies proofs; cheap to clone.
#[derive(Clone, Debug)]
pub struct ProofOfAgeService(Arc<ProofOfAgeInner>);

#[derive(Debug)]
struct ProofOfAgeInner {
    db: Db,
    world: Arc<dyn Environment>,
    vault: Vault,
    outbox: Outbox,
    fetcher: Fetcher,
    settings: Arc<ProofOfAgeSettings>,
    trust: TrustStore,
    webhooks: Arc<dyn ProofWebhookFormat>,
}

/// How results look to the servers that are told of them; the interface says so.
pub trait ProofWebhookFormat: std::fmt::Debug + Send + Sync {
    /// The body of a notification, JSON.
    fn webhook_body(&self, record: &ProofRecord) -> String;
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ProofOfAgeError {
    /// No trust list.
    #[error(transparent)]
    Trust(#[from] TrustStoreError),
    /// The notification cannot be queued.
    #[error(transparent)]
    NotQueued(#[from] crate::delivery::OutboxError),
    /// The database did not answer.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// What a look at a query says before anything is stored.
#[derive(Debug)]
enum ProofDecision {
    /// It is decided.
    Decided { provider: Option<String>, outcome: ProofOutcome },
    /// It holds as far as what was scanned goes.
    Valid(Box<VerifiedProof>),
    /// It cannot be decided without asking.
    NeedsIssuer { issuer: IssuerName, question: IssuerQuery, verified: Option<Box<VerifiedProof>> },
}

/// How an issuer is asked for keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyRequestPolicy {
    /// Not when it was asked a moment ago: a new query must not make calls that others made in vain.
    RateLimited,
    /// Again until it answers: a query that waits for it.
    UntilAnswered,
}

/// An issuer, as the trust list names it.
#[derive(Clone, Debug)]
struct IssuerName {
    id: String,
    provider: String,
}

impl IssuerName {
    fn of(issuer: &TrustedIssuer) -> Self {
        Self { id: issuer.id().to_owned(), provider: issuer.provider().to_owned() }
    }
}

/// What has to be asked before a proof can be judged.
#[derive(Clone, Debug)]
enum IssuerQuery {
    /// The issuer's keys: one signed that is not listed.
    Keys { url: String },
    /// The status list that the proof names.
    Status { issuer: String, uri: String },
    /// The proof itself, at an address of its issuer.
    Reference { url: String },
}

#[derive(FromRow)]
struct ExcludedProvidersRow {
    #[sqlx(json)]
    excluded_providers: Vec<String>,
}

#[derive(FromRow)]
struct ProofRow {
    record: Json<ProofRecord>,
}

impl ProofOfAgeService {
    /// A verifier that keeps to `settings`.
    pub fn new(
        db: Db,
        world: Arc<dyn Environment>,
        vault: Vault,
        outbox: Outbox,
        fetcher: Fetcher,
        settings: ProofOfAgeSettings,
        webhooks: Arc<dyn ProofWebhookFormat>,
    ) -> Self {
        let settings = Arc::new(settings);
        let trust = TrustStore::new(settings.clone());
        Self(Arc::new(ProofOfAgeInner { db, world, vault, outbox, fetcher, settings, trust, webhooks }))
    }

    /// Where notifications go through.
    pub fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    /// Judges a query: everything but what needs a transaction, so that nobody's write waits for signatures.
    pub async fn assess(&self, app: AppId, query: &ProofQuery) -> Result<ProofAssessment, ProofOfAgeError> {
        let now = self.0.world.now();
        if let Some(failed) = check_scan_time(query.scanned_at, now) {
            return Ok(ProofAssessment(failed));
        }
        let list = self.0.trust.list(&self.0.db, &*self.0.world).await?;
        let excluded: Option<ExcludedProvidersRow> = self
            .0
            .db
            .read()
            .await?
            .fetch_optional(sql!("SELECT excluded_providers FROM applications WHERE id = $1", app))
            .await?;
        let excluded = excluded.map(|row| row.excluded_providers).unwrap_or_default();
        Ok(ProofAssessment(apply_exclusions(
            self.assess_scan(query, &list, now, now, KeyRequestPolicy::RateLimited).await?,
            &excluded,
        )))
    }

    /// Stores what was judged, within a transaction that the caller commits: the result, the use of the proof and
    /// whatever has to be done later count together or not at all.
    pub async fn store(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        query: &ProofQuery,
        judgement: ProofAssessment,
    ) -> Result<ProofRecord, ProofOfAgeError> {
        let now = self.0.world.now();
        let id = ProofRecord::random_id(&*self.0.world);
        let (record, asked) = match judgement.0 {
            ProofDecision::Decided { provider, outcome } => {
                (ProofRecord::decided(id, now, provider, outcome), false)
            }
            ProofDecision::Valid(verified) => {
                let outcome = if reserve_presentation(tx, &verified, &id).await? {
                    self.proven_outcome(&verified)
                } else {
                    already_used()
                };
                (ProofRecord::decided(id, now, Some(verified.provider.clone()), outcome), false)
            }
            ProofDecision::NeedsIssuer { issuer: IssuerName { provider, .. }, verified, .. } => {
                let provider = Some(provider);
                let fresh = match &verified {
                    Some(verified) => reserve_presentation(tx, verified, &id).await?,
                    None => true,
                };
                if fresh {
                    (ProofRecord::pending(id, now, provider), true)
                } else {
                    (ProofRecord::decided(id, now, provider, already_used()), false)
                }
            }
        };
        let sealed = asked.then(|| self.seal(&record.id, query));
        tx.execute(sql!(
            "INSERT INTO proofs (id, app_id, terminal_id, store_id, status, record, sealed, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            record.id.clone(),
            app,
            query.terminal_id.clone(),
            query.store_id.clone(),
            record.status,
            serde_json::to_value(&record).expect("a record of our own is JSON"),
            sealed,
            now,
            now + RESULT_RETENTION,
        ))
        .await?;
        if asked {
            jobs::enqueue(tx, &*self.0.world, &ResolveProof { proof: record.id.clone() }).await?;
        }
        count_result(&record);
        Ok(record)
    }

    /// Whom this server believes, for operators.
    pub async fn trusted_issuers(&self) -> Result<Vec<TrustedIssuerSummary>, ProofOfAgeError> {
        let list = self.0.trust.list(&self.0.db, &*self.0.world).await?;
        let entry = |issuer: &TrustedIssuer| TrustedIssuerSummary {
            id: issuer.id().to_owned(),
            provider: issuer.provider().to_owned(),
            formats: issuer.formats().iter().map(|format| format.as_str()).collect(),
        };
        Ok(list.issuers().map(entry).collect())
    }

    /// A verification of an application; nothing where it is another's, unknown or forgotten.
    pub async fn find(&self, app: AppId, id: &str) -> Result<Option<ProofRecord>, DbError> {
        let kept: Option<ProofRow> = self
            .0
            .db
            .read()
            .await?
            .fetch_optional(sql!(
                "SELECT record FROM proofs WHERE id = $1 AND app_id = $2 AND expires_at > $3",
                id,
                app,
                self.0.world.now(),
            ))
            .await?;
        Ok(kept.map(|kept| kept.record.0))
    }

    /// Looks at what was scanned, as far as it goes by itself and with what is known of its issuer. `at` is the moment that
    /// the proof must be good at.
    async fn assess_scan(
        &self,
        query: &ProofQuery,
        list: &TrustList,
        at: Timestamp,
        now: Timestamp,
        asking: KeyRequestPolicy,
    ) -> Result<ProofDecision, ProofOfAgeError> {
        let presented = match proof::parse_scanned(&query.value) {
            Ok(presented) => presented,
            Err(unsupported) => {
                return Ok(failed_decision(
                    None,
                    ProofFailureReason::UnsupportedPayload,
                    unsupported.to_string(),
                ));
            }
        };
        match presented {
            ScannedValue::Request(what) => Ok(failed_decision(
                None,
                ProofFailureReason::UnsupportedPayload,
                format!("this is {what}: a request to a wallet, and no proof"),
            )),
            ScannedValue::Engagement => Ok(failed_decision(
                None,
                ProofFailureReason::UnsupportedPayload,
                "this is an ISO 18013-5 device engagement and carries no credential; a terminal that speaks to the \
                 device can send its DeviceResponse",
            )),
            ScannedValue::Reference(url) => Ok(match list.issuer_of_reference(&url) {
                Some(issuer) => ProofDecision::NeedsIssuer {
                    issuer: IssuerName::of(issuer),
                    question: IssuerQuery::Reference { url },
                    verified: None,
                },
                None => failed_decision(
                    None,
                    ProofFailureReason::UnknownProvider,
                    "no listed issuer has this host",
                ),
            }),
            ScannedValue::Proof(proof) => {
                let terms = VerificationTerms {
                    now: at,
                    scanned_at: query.scanned_at,
                    freshness: self.0.settings.freshness,
                    skew: MAX_CLOCK_SKEW,
                    audience: self.0.settings.audience.clone(),
                };
                self.assess_verification(list.verify(&proof, &terms), list, now, asking).await
            }
        }
    }

    async fn assess_verification(
        &self,
        verified: Result<VerifiedProof, proof::ProofVerificationError>,
        list: &TrustList,
        now: Timestamp,
        asking: KeyRequestPolicy,
    ) -> Result<ProofDecision, ProofOfAgeError> {
        let verified = match verified {
            Ok(verified) => verified,
            Err(no) => {
                let issuer = no.refetch_keys_of.as_deref().and_then(|id| list.issuer(id));
                return Ok(match issuer.and_then(|issuer| Some((issuer, issuer.key_set_url()?))) {
                    // Whoever makes keys up cannot make us ask for them again and again.
                    Some((issuer, url))
                        if !trust_store::was_recently_requested(&self.0.db, url, now, asking).await? =>
                    {
                        ProofDecision::NeedsIssuer {
                            issuer: IssuerName::of(issuer),
                            question: IssuerQuery::Keys { url: url.to_owned() },
                            verified: None,
                        }
                    }
                    _ => failed_decision(no.provider, no.reason, no.detail),
                });
            }
        };
        let (Some(issuer), Some(reference)) = (list.issuer(&verified.issuer), &verified.status) else {
            return Ok(ProofDecision::Valid(Box::new(verified)));
        };
        let known = self.0.trust.status_list(&self.0.db, now, issuer, &reference.uri).await?;
        let Some(known) = known else {
            let question =
                IssuerQuery::Status { issuer: verified.issuer.clone(), uri: reference.uri.clone() };
            let issuer = IssuerName::of(issuer);
            return Ok(ProofDecision::NeedsIssuer { issuer, question, verified: Some(Box::new(verified)) });
        };
        Ok(match known.status_at(reference.index) {
            Some(status) => match verified.apply_status(status) {
                Ok(verified) => ProofDecision::Valid(Box::new(verified)),
                Err(no) => failed_decision(no.provider, no.reason, no.detail),
            },
            None if issuer.accepts_unavailable_status() => ProofDecision::Valid(Box::new(verified)),
            None => failed_decision(
                Some(verified.provider),
                ProofFailureReason::Revoked,
                "the issuer's status list has no such entry, so nothing says that the credential is valid",
            ),
        })
    }

    fn proven_outcome(&self, verified: &VerifiedProof) -> ProofOutcome {
        ProofOutcome::Proven {
            age_over: verified.age_over,
            valid_for_alcohol: verified.valid_for_alcohol && verified.age_over >= self.0.settings.alcohol_age,
            checks: verified.checks.clone(),
        }
    }

    fn seal(&self, id: &str, query: &ProofQuery) -> Vec<u8> {
        let plain = serde_json::to_vec(query).expect("a query of our own is JSON");
        self.0.vault.seal(&*self.0.world, &aad(id), &plain)
    }

    fn unseal(&self, id: &str, sealed: &[u8]) -> Option<ProofQuery> {
        serde_json::from_slice(&self.0.vault.open(&aad(id), sealed).ok()?).ok()
    }
}

/// An issuer that is believed.
#[derive(Clone, Debug, serde::Serialize)]
pub struct TrustedIssuerSummary {
    /// Its id, as proofs name it.
    pub id: String,
    /// How results call it.
    pub provider: String,
    /// What it is believed in.
    pub formats: Vec<&'static str>,
}

/// What was judged of a query, for [`ProofOfAgeService::store`].
#[derive(Debug)]
pub struct ProofAssessment(ProofDecision);

fn aad(id: &str) -> Vec<u8> {
    format!("pending proof {id}").into_bytes()
}

fn failed_decision(
    provider: Option<String>,
    reason: ProofFailureReason,
    detail: impl Into<String>,
) -> ProofDecision {
    ProofDecision::Decided { provider, outcome: ProofOutcome::NotProven { reason, detail: detail.into() } }
}

/// What a till says about its scan must be near to our own clock.
fn check_scan_time(scanned_at: Timestamp, now: Timestamp) -> Option<ProofDecision> {
    let no = |words| Some(failed_decision(None, ProofFailureReason::PresentationExpired, words));
    if scanned_at.duration_since(now) > MAX_CLOCK_SKEW {
        return no("scanned_at is in the future: set the till's clock");
    }
    if now.duration_since(scanned_at) > MAX_SCAN_AGE {
        return no("the scan is over for more than 120 seconds");
    }
    None
}

fn already_used() -> ProofOutcome {
    let detail = "this code was shown before; the holder shows a new one every 30 seconds".to_owned();
    ProofOutcome::NotProven { reason: ProofFailureReason::PresentationAlreadyUsed, detail }
}

/// A provider that the application does not take fails, whatever its proof is worth.
fn apply_exclusions(judged: ProofDecision, excluded: &[String]) -> ProofDecision {
    let (id, provider) = match &judged {
        ProofDecision::Decided { .. } => return judged,
        ProofDecision::Valid(verified) => (&verified.issuer, &verified.provider),
        ProofDecision::NeedsIssuer { issuer, .. } => (&issuer.id, &issuer.provider),
    };
    if excluded.contains(id) || excluded.contains(provider) {
        let words = "the application takes no proofs of this provider";
        return failed_decision(Some(provider.clone()), ProofFailureReason::ExcludedProvider, words);
    }
    judged
}

/// Notes the use of a proof; whether it is the first, or the one that this verification had noted already.
async fn reserve_presentation(tx: &mut WriteTx, verified: &VerifiedProof, id: &str) -> Result<bool, DbError> {
    let rows = tx
        .execute(sql!(
            "INSERT INTO used_presentations (use_key, proof_id, expires_at) VALUES ($1, $2, $3)
             ON CONFLICT (use_key) DO UPDATE SET expires_at = excluded.expires_at
              WHERE used_presentations.proof_id = excluded.proof_id",
            verified.replay_key.to_vec(),
            id,
            verified.replay_key_until,
        ))
        .await?;
    Ok(rows == 1)
}

fn count_result(record: &ProofRecord) {
    let reason = record.failure.as_ref().map_or("", |failure| failure.reason.as_str()).to_owned();
    metrics::counter!("assay_proofs_total", "status" => record.status.as_str(), "reason" => reason)
        .increment(1);
}

/// The providers whose proofs an application does not take: ids or names of the trust list.
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
    if rows == 1 { Ok(()) } else { Err(crate::tenancy::TenancyError::NotFound(format!("application {app}"))) }
}

/// Forgets results, uses and issuers' documents whose time is over, at most 20,000 of each at a time; how many.
pub async fn purge(db: &Db, world: &dyn Environment) -> Result<u64, DbError> {
    let (mut tx, now) = (db.write().await?, world.now());
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
    // A key set that is no longer fresh is still better than none; it goes when nobody has asked for a month.
    tx.execute(sql!("DELETE FROM issuer_documents WHERE fresh_until <= $1", now - RESULT_RETENTION)).await?;
    tx.commit().await?;
    Ok(proofs + uses + grants)
}
