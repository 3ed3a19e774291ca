//! Proof of age from a code that was scanned: answered at once where what was scanned says everything, and later where
//! an issuer has to be asked (decisions, section 3).

pub mod issuer;
pub mod picture;
mod query;
mod record;
mod resolve;
mod trust;

pub use query::{Asked, AskedNotification, Query};
pub use record::{NotProven, ProofStatus, Proven, Record};
pub use resolve::{RefreshTrust, ResolveProof};
pub use trust::NoTrust;

use crate::{delivery::Outbox, vault::Vault};
use base::{AppId, SignedDuration, Timestamp, World};
use credentials::{
    proof::{self, Presented, Reason, Terms, Verified},
    trust::{Issuer, Jwk, TrustList},
};
use db::{Db, DbError, FromRow, Json, Tx, sql};
use media::fetch::Fetcher;
use record::Outcome;
use std::{path::PathBuf, sync::Arc};
use trust::Trust;

/// How long a result can be asked for.
pub const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How long a scan may be over.
const LONGEST_AGO: SignedDuration = SignedDuration::from_secs(120);
/// How far a till's clock may be ahead, and an issuer's off.
const SKEW: SignedDuration = SignedDuration::from_secs(5);

/// The operator's rules.
#[derive(Clone, Debug)]
pub struct Settings {
    /// This server as an issuer: where it is reached.
    pub public_url: String,
    /// A file with the trust list.
    pub trust_list: Option<PathBuf>,
    /// Where a signed trust list is published.
    pub trust_list_url: Option<String>,
    /// The keys that sign it.
    pub trust_list_keys: Vec<Jwk>,
    /// Whether proofs that this server issued are believed.
    pub trust_own: bool,
    /// From issue to scan.
    pub freshness: SignedDuration,
    /// The age from which alcohol is sold here, years.
    pub alcohol_age: u8,
    /// The audience that key-binding tokens must name, where one is agreed with wallets.
    pub audience: Option<String>,
}

/// Verifies proofs; cheap to clone.
#[derive(Clone, Debug)]
pub struct Proofs(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    world: Arc<dyn World>,
    vault: Vault,
    outbox: Outbox,
    fetcher: Fetcher,
    settings: Arc<Settings>,
    trust: Trust,
    webhooks: Arc<dyn WebhookFormat>,
}

/// How results look to the servers that are told of them; the interface says so.
pub trait WebhookFormat: std::fmt::Debug + Send + Sync {
    /// The body of a notification, JSON.
    fn result(&self, record: &Record) -> String;
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// No trust list.
    #[error(transparent)]
    Trust(#[from] NoTrust),
    /// The notification cannot be queued.
    #[error(transparent)]
    NotQueued(#[from] crate::delivery::NotQueued),
    /// The database did not answer.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// What a look at a query says before anything is stored.
#[derive(Debug)]
enum Judged {
    /// It is decided.
    Final { provider: Option<String>, outcome: Outcome },
    /// It holds as far as what was scanned goes.
    Holds(Box<Verified>),
    /// It cannot be decided without asking.
    Ask { issuer: Named, question: Question, verified: Option<Box<Verified>> },
}

/// How an issuer is asked for keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asking {
    /// Not when it was asked a moment ago: a new query must not make calls that others made in vain.
    Once,
    /// Again until it answers: a query that waits for it.
    Patiently,
}

/// An issuer, as the trust list names it.
#[derive(Clone, Debug)]
struct Named {
    id: String,
    provider: String,
}

impl Named {
    fn of(issuer: &Issuer) -> Self {
        Self { id: issuer.id().to_owned(), provider: issuer.provider().to_owned() }
    }
}

/// What has to be asked before a proof can be judged.
#[derive(Clone, Debug)]
enum Question {
    /// The issuer's keys: one signed that is not listed.
    Keys { url: String },
    /// The status list that the proof names.
    Status { issuer: String, uri: String },
    /// The proof itself, at an address of its issuer.
    Reference { url: String },
}

#[derive(FromRow)]
struct Excluded {
    #[sqlx(json)]
    excluded_providers: Vec<String>,
}

#[derive(FromRow)]
struct Kept {
    record: Json<Record>,
}

impl Proofs {
    /// A verifier that keeps to `settings`.
    pub fn new(
        db: Db,
        world: Arc<dyn World>,
        vault: Vault,
        outbox: Outbox,
        fetcher: Fetcher,
        settings: Settings,
        webhooks: Arc<dyn WebhookFormat>,
    ) -> Self {
        let settings = Arc::new(settings);
        let trust = Trust::new(settings.clone());
        Self(Arc::new(Inner { db, world, vault, outbox, fetcher, settings, trust, webhooks }))
    }

    /// Where notifications go through.
    pub fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    /// Judges a query: everything but what needs a transaction, so that nobody's write waits for signatures.
    pub async fn judge(&self, app: AppId, query: &Query) -> Result<Judgement, NoAnswer> {
        let now = self.0.world.now();
        if let Some(failed) = out_of_time(query.scanned_at, now) {
            return Ok(Judgement(failed));
        }
        let list = self.0.trust.list(&self.0.db, &*self.0.world).await?;
        let excluded: Option<Excluded> = self
            .0
            .db
            .read()
            .await?
            .fetch_optional(sql!("SELECT excluded_providers FROM applications WHERE id = $1", app))
            .await?;
        let excluded = excluded.map(|row| row.excluded_providers).unwrap_or_default();
        Ok(Judgement(exclude(self.look_at(query, &list, now, now, Asking::Once).await?, &excluded)))
    }

    /// Stores what was judged, within a transaction that the caller commits: the result, the use of the proof and
    /// whatever has to be done later count together or not at all.
    pub async fn store(
        &self,
        tx: &mut Tx,
        app: AppId,
        query: &Query,
        judgement: Judgement,
    ) -> Result<Record, NoAnswer> {
        let now = self.0.world.now();
        let id = Record::fresh_id(&*self.0.world);
        let (record, asked) = match judgement.0 {
            Judged::Final { provider, outcome } => (Record::of(id, now, provider, outcome), false),
            Judged::Holds(verified) => {
                let outcome =
                    if reserve(tx, &verified, &id).await? { self.proven(&verified) } else { already_used() };
                (Record::of(id, now, Some(verified.provider.clone()), outcome), false)
            }
            Judged::Ask { issuer: Named { provider, .. }, verified, .. } => {
                let provider = Some(provider);
                let fresh = match &verified {
                    Some(verified) => reserve(tx, verified, &id).await?,
                    None => true,
                };
                if fresh {
                    (Record::pending(id, now, provider), true)
                } else {
                    (Record::of(id, now, provider, already_used()), false)
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
            now + KEPT,
        ))
        .await?;
        if asked {
            jobs::enqueue(tx, &*self.0.world, &ResolveProof { proof: record.id.clone() }).await?;
        }
        count(&record);
        Ok(record)
    }

    /// Whom this server believes, for operators.
    pub async fn believed(&self) -> Result<Vec<Believed>, NoAnswer> {
        let list = self.0.trust.list(&self.0.db, &*self.0.world).await?;
        let entry = |issuer: &Issuer| Believed {
            id: issuer.id().to_owned(),
            provider: issuer.provider().to_owned(),
            formats: issuer.formats().iter().map(|format| format.as_str()).collect(),
        };
        Ok(list.issuers().map(entry).collect())
    }

    /// A verification of an application; nothing where it is another's, unknown or forgotten.
    pub async fn find(&self, app: AppId, id: &str) -> Result<Option<Record>, DbError> {
        let kept: Option<Kept> = self
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
    async fn look_at(
        &self,
        query: &Query,
        list: &TrustList,
        at: Timestamp,
        now: Timestamp,
        asking: Asking,
    ) -> Result<Judged, NoAnswer> {
        let presented = match proof::read(&query.value) {
            Ok(presented) => presented,
            Err(unsupported) => return Ok(failed(None, Reason::UnsupportedPayload, unsupported.to_string())),
        };
        match presented {
            Presented::Request(what) => Ok(failed(
                None,
                Reason::UnsupportedPayload,
                format!("this is {what}: a request to a wallet, and no proof"),
            )),
            Presented::Engagement => Ok(failed(
                None,
                Reason::UnsupportedPayload,
                "this is an ISO 18013-5 device engagement and carries no credential; a terminal that speaks to the \
                 device can send its DeviceResponse",
            )),
            Presented::Reference(url) => Ok(match list.issuer_of_reference(&url) {
                Some(issuer) => Judged::Ask {
                    issuer: Named::of(issuer),
                    question: Question::Reference { url },
                    verified: None,
                },
                None => failed(None, Reason::UnknownProvider, "no listed issuer has this host"),
            }),
            Presented::Proof(proof) => {
                let terms = Terms {
                    now: at,
                    scanned_at: query.scanned_at,
                    freshness: self.0.settings.freshness,
                    skew: SKEW,
                    audience: self.0.settings.audience.clone(),
                };
                self.weigh(list.verify(&proof, &terms), list, now, asking).await
            }
        }
    }

    async fn weigh(
        &self,
        verified: Result<Verified, proof::Failed>,
        list: &TrustList,
        now: Timestamp,
        asking: Asking,
    ) -> Result<Judged, NoAnswer> {
        let verified = match verified {
            Ok(verified) => verified,
            Err(no) => {
                let issuer = no.keys_of.as_deref().and_then(|id| list.issuer(id));
                return Ok(match issuer.and_then(|issuer| Some((issuer, issuer.key_set_url()?))) {
                    // Whoever makes keys up cannot make us ask for them again and again.
                    Some((issuer, url)) if !trust::was_asked(&self.0.db, url, now, asking).await? => {
                        Judged::Ask {
                            issuer: Named::of(issuer),
                            question: Question::Keys { url: url.to_owned() },
                            verified: None,
                        }
                    }
                    _ => failed(no.provider, no.reason, no.detail),
                });
            }
        };
        let (Some(issuer), Some(reference)) = (list.issuer(&verified.issuer), &verified.status) else {
            return Ok(Judged::Holds(Box::new(verified)));
        };
        let known = self.0.trust.status_list(&self.0.db, now, issuer, &reference.uri).await?;
        let Some(known) = known else {
            let question = Question::Status { issuer: verified.issuer.clone(), uri: reference.uri.clone() };
            let issuer = Named::of(issuer);
            return Ok(Judged::Ask { issuer, question, verified: Some(Box::new(verified)) });
        };
        Ok(match known.of(reference.index) {
            Some(status) => match verified.judge(status) {
                Ok(verified) => Judged::Holds(Box::new(verified)),
                Err(no) => failed(no.provider, no.reason, no.detail),
            },
            None if issuer.accepts_unavailable_status() => Judged::Holds(Box::new(verified)),
            None => failed(
                Some(verified.provider),
                Reason::Revoked,
                "the issuer's status list has no such entry, so nothing says that the credential is valid",
            ),
        })
    }

    fn proven(&self, verified: &Verified) -> Outcome {
        Outcome::Proven {
            age_over: verified.age_over,
            valid_for_alcohol: verified.valid_for_alcohol && verified.age_over >= self.0.settings.alcohol_age,
            checks: verified.checks.clone(),
        }
    }

    fn seal(&self, id: &str, query: &Query) -> Vec<u8> {
        let plain = serde_json::to_vec(query).expect("a query of our own is JSON");
        self.0.vault.seal(&*self.0.world, &place(id), &plain)
    }

    fn unseal(&self, id: &str, sealed: &[u8]) -> Option<Query> {
        serde_json::from_slice(&self.0.vault.open(&place(id), sealed).ok()?).ok()
    }
}

/// An issuer that is believed.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Believed {
    /// Its id, as proofs name it.
    pub id: String,
    /// How results call it.
    pub provider: String,
    /// What it is believed in.
    pub formats: Vec<&'static str>,
}

/// What was judged of a query, for [`Proofs::store`].
#[derive(Debug)]
pub struct Judgement(Judged);

fn place(id: &str) -> Vec<u8> {
    format!("pending proof {id}").into_bytes()
}

fn failed(provider: Option<String>, reason: Reason, detail: impl Into<String>) -> Judged {
    Judged::Final { provider, outcome: Outcome::NotProven { reason, detail: detail.into() } }
}

/// What a till says about its scan must be near to our own clock.
fn out_of_time(scanned_at: Timestamp, now: Timestamp) -> Option<Judged> {
    let no = |words| Some(failed(None, Reason::PresentationExpired, words));
    if scanned_at.duration_since(now) > SKEW {
        return no("scanned_at is in the future: set the till's clock");
    }
    if now.duration_since(scanned_at) > LONGEST_AGO {
        return no("the scan is over for more than 120 seconds");
    }
    None
}

fn already_used() -> Outcome {
    let detail = "this code was shown before; the holder shows a new one every 30 seconds".to_owned();
    Outcome::NotProven { reason: Reason::PresentationAlreadyUsed, detail }
}

/// A provider that the application does not take fails, whatever its proof is worth.
fn exclude(judged: Judged, excluded: &[String]) -> Judged {
    let (id, provider) = match &judged {
        Judged::Final { .. } => return judged,
        Judged::Holds(verified) => (&verified.issuer, &verified.provider),
        Judged::Ask { issuer, .. } => (&issuer.id, &issuer.provider),
    };
    if excluded.contains(id) || excluded.contains(provider) {
        let words = "the application takes no proofs of this provider";
        return failed(Some(provider.clone()), Reason::ExcludedProvider, words);
    }
    judged
}

/// Notes the use of a proof; whether it is the first, or the one that this verification had noted already.
async fn reserve(tx: &mut Tx, verified: &Verified, id: &str) -> Result<bool, DbError> {
    let rows = tx
        .execute(sql!(
            "INSERT INTO used_presentations (use_key, proof_id, expires_at) VALUES ($1, $2, $3)
             ON CONFLICT (use_key) DO UPDATE SET expires_at = excluded.expires_at
              WHERE used_presentations.proof_id = excluded.proof_id",
            verified.use_key.to_vec(),
            id,
            verified.until,
        ))
        .await?;
    Ok(rows == 1)
}

fn count(record: &Record) {
    let reason = record.failure.as_ref().map_or("", |failure| failure.reason.as_str()).to_owned();
    metrics::counter!("assay_proofs_total", "status" => record.status.as_str(), "reason" => reason)
        .increment(1);
}

/// The providers whose proofs an application does not take: ids or names of the trust list.
pub async fn exclude_providers(
    tx: &mut Tx,
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
    if rows == 1 { Ok(()) } else { Err(crate::tenancy::TenancyError::Missing(format!("application {app}"))) }
}

/// Forgets results, uses and issuers' documents whose time is over, at most 20,000 of each at a time; how many.
pub async fn purge(db: &Db, world: &dyn World) -> Result<u64, DbError> {
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
    tx.execute(sql!("DELETE FROM issuer_documents WHERE fresh_until <= $1", now - KEPT)).await?;
    tx.commit().await?;
    Ok(proofs + uses + grants)
}
