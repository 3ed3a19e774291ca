//! What has to be asked of issuers, as jobs.

use super::{
    Asking, Judged, Proofs, Question, Record, already_used, exclude, failed,
    record::{Outcome, ProofStatus},
    reserve, trust,
};
use crate::delivery::{NotQueued, Verb};
use base::{AppId, SignedDuration};
use credentials::{
    proof::{Reason, Verified},
    status::StatusList,
    trust::{Issuer, TrustList},
};
use db::{FromRow, sql};
use jobs::{Failure, Job, Lane, Lease, Outcome as Ran, Retry};
use media::fetch::{Answered, Call, HeaderValue};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The most bytes of a proof that an issuer is asked for.
const PROOF_BYTES: u64 = 64 << 10;
/// The most bytes of a status list, a key set or a trust list.
const DOCUMENT_BYTES: u64 = 4 << 20;
/// How long an issuer may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long a key set is used before it is fetched anew.
pub(super) const KEYS_FRESH: SignedDuration = SignedDuration::from_hours(1);
/// How long a signed trust list is used before it is fetched anew.
const LIST_EVERY: SignedDuration = SignedDuration::from_hours(1);

/// Asks what a verification waits for, and ends it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolveProof {
    /// The verification.
    pub proof: String,
}

impl Job for ResolveProof {
    const KIND: &'static str = "resolve-proof";
    const LANE: Lane = Lane::Quick;
    /// A till waits: within a minute there is an answer, of whatever kind.
    const RETRY: Retry = Retry { waits: &[1, 2, 4, 8, 15, 25, 60, 600], jitter: 0.1 };
}

/// After this many attempts the answer is that there is none.
const ATTEMPTS: i64 = 7;

#[derive(FromRow)]
struct Pending {
    app_id: AppId,
    sealed: Option<Vec<u8>>,
    #[sqlx(json)]
    record: Record,
    #[sqlx(json)]
    excluded_providers: Vec<String>,
}

/// What came of asking.
enum Heard {
    /// It was asked and kept: judge again.
    Again,
    /// The proof itself.
    Proof(String),
    /// The holder or issuer said no.
    Refused,
    /// Not now.
    Nothing(String),
}

impl Proofs {
    /// Runs a [`ResolveProof`].
    pub async fn resolve(&self, job: &ResolveProof, lease: &Lease) -> Result<Ran, Failure> {
        let pending: Option<Pending> = self
            .0
            .db
            .read()
            .await?
            .fetch_optional(sql!(
                "SELECT p.app_id, p.sealed, p.record, a.excluded_providers
                   FROM proofs p JOIN applications a ON a.id = p.app_id
                  WHERE p.id = $1 AND p.status = 'PENDING'",
                job.proof.clone(),
            ))
            .await?;
        // Decided already: whoever did so died before the job was gone.
        let Some(pending) = pending else { return Ok(Ran::Done) };
        let query = pending.sealed.as_deref().and_then(|sealed| self.unseal(&job.proof, sealed));
        let Some(query) = query else {
            let lost = unable(&pending.record, "what was scanned does not open any more");
            return self.end(job, lease, pending, None, lost).await;
        };
        let notification = query.notification.clone();
        let end = |judged| self.end(job, lease, pending, notification, judged);

        // A till scanned in time, and is not held to its clock again: what an issuer takes to answer is no fault of the
        // holder's.
        let mut query = query;
        let mut asked = 0;
        loop {
            let list = self.0.trust.list(&self.0.db, &*self.0.world).await?;
            let judged =
                self.look_at(&query, &list, query.scanned_at, self.0.world.now(), Asking::Patiently).await?;
            let (question, verified) = match judged {
                Judged::Ask { question, verified, .. } => (question, verified),
                decided => return end(decided).await,
            };
            asked += 1;
            let heard = if asked > 3 {
                Heard::Nothing("the issuer's answers lead in a circle".to_owned())
            } else {
                self.ask(&list, &question).await?
            };
            match heard {
                Heard::Again => self.0.trust.refresh().await,
                Heard::Proof(value) => {
                    query.value = value;
                    query.scanned_at = self.0.world.now();
                }
                Heard::Refused => {
                    let words = "the holder or the issuer declined";
                    return end(failed(None, Reason::UserDidNotConsent, words)).await;
                }
                Heard::Nothing(error) if lease.attempts < ATTEMPTS => {
                    return Err(Failure { error, not_before: None, hopeless: false });
                }
                Heard::Nothing(_) => return end(without(&list, &question, verified)).await,
            }
        }
    }

    /// Asks, and keeps what was answered.
    async fn ask(&self, list: &TrustList, question: &Question) -> Result<Heard, Failure> {
        let now = self.0.world.now();
        let (url, accept, bytes) = match question {
            Question::Keys { url } => (url, "application/jwk-set+json, application/json", DOCUMENT_BYTES),
            Question::Status { uri, .. } => {
                (uri, "application/statuslist+jwt, application/statuslist+cwt", DOCUMENT_BYTES)
            }
            Question::Reference { url } => (url, "text/plain, application/jwt, application/cwt", PROOF_BYTES),
        };
        let answered = match self.fetch(url, accept, bytes).await {
            Ok(answered) => answered,
            Err(error) => {
                if let Question::Keys { url } = question {
                    self.note_asked(url).await?;
                }
                return Ok(Heard::Nothing(error));
            }
        };
        let content_type = answered.headers.get("content-type").and_then(|value| value.to_str().ok());
        match question {
            Question::Reference { .. } => Ok(match answered.status {
                200 => match String::from_utf8(answered.body) {
                    Ok(text) if !text.trim().is_empty() => Heard::Proof(text.trim().to_owned()),
                    _ => Heard::Nothing("the issuer's answer is no text".to_owned()),
                },
                403 | 410 => Heard::Refused,
                // 202: the holder has not consented yet.
                status => Heard::Nothing(format!("the issuer answered {status}")),
            }),
            Question::Keys { url } => {
                if answered.status != 200 {
                    self.note_asked(url).await?;
                    return Ok(Heard::Nothing(format!(
                        "the issuer's keys were answered with {}",
                        answered.status
                    )));
                }
                let mut tx = self.0.db.write().await?;
                trust::keep(&mut tx, url, content_type, &answered.body, now, KEYS_FRESH).await?;
                tx.commit().await?;
                Ok(Heard::Again)
            }
            Question::Status { issuer, uri } => {
                let parsed = list
                    .issuer(issuer)
                    .filter(|_| answered.status == 200)
                    .map(|issuer| StatusList::parse(&answered.body, content_type, issuer, uri, now));
                let list = match parsed {
                    Some(Ok(list)) => list,
                    Some(Err(error)) => return Ok(Heard::Nothing(format!("the status list: {error}"))),
                    None => {
                        return Ok(Heard::Nothing(format!(
                            "the status list was answered with {}",
                            answered.status
                        )));
                    }
                };
                let fresh = list.fresh_until(now).duration_since(now);
                let mut tx = self.0.db.write().await?;
                trust::keep(&mut tx, uri, content_type, &answered.body, now, fresh).await?;
                tx.commit().await?;
                Ok(Heard::Again)
            }
        }
    }

    /// Remembers that an issuer was asked for its keys in vain, so that it is not asked again at once.
    async fn note_asked(&self, url: &str) -> Result<(), Failure> {
        let mut tx = self.0.db.write().await?;
        trust::note_asked(&mut tx, url, self.0.world.now()).await?;
        Ok(tx.commit().await?)
    }

    async fn fetch(&self, url: &str, accept: &'static str, most: u64) -> Result<Answered, String> {
        let mut call = Call { timeout: PATIENCE, ..Call::get(most) };
        call.headers.insert("accept", HeaderValue::from_static(accept));
        self.0.fetcher.call(url, call).await.map_err(|error| error.to_string())
    }

    /// Ends a verification: its result, its notification and the job count together.
    async fn end(
        &self,
        job: &ResolveProof,
        lease: &Lease,
        pending: Pending,
        notification: Option<crate::delivery::Message>,
        judged: Judged,
    ) -> Result<Ran, Failure> {
        let now = self.0.world.now();
        let mut tx = self.0.db.write().await?;
        let (provider, outcome) = match exclude(judged, &pending.excluded_providers) {
            Judged::Final { provider, outcome } => (provider.or(pending.record.provider), outcome),
            Judged::Holds(verified) => {
                let first = reserve(&mut tx, &verified, &job.proof).await?;
                let outcome = if first { self.proven(&verified) } else { already_used() };
                (Some(verified.provider.clone()), outcome)
            }
            Judged::Ask { issuer, .. } => {
                let detail = "the issuer could not be asked".to_owned();
                (
                    Some(issuer.provider),
                    Outcome::NotProven { reason: Reason::UnableToVerifySignature, detail },
                )
            }
        };
        let record = Record::of(job.proof.clone(), now, provider, outcome);
        let json = serde_json::to_value(&record).expect("a record of our own is JSON");
        let rows = tx
            .execute(sql!(
                "UPDATE proofs SET status = $2, record = $3, sealed = NULL WHERE id = $1 AND status = 'PENDING'",
                job.proof.clone(),
                record.status,
                json,
            ))
            .await?;
        if rows == 1
            && let Some(mut message) = notification
        {
            match message.verb {
                Verb::Post => message.body = self.0.webhooks.result(&record),
                Verb::Get => message.url = with_query(&message.url, &record),
            }
            let posted =
                self.0.outbox.post(&mut tx, &*self.0.world, pending.app_id, "proof.result", &message).await;
            if let Err(NotQueued::Refused(refused)) = &posted {
                // The operator has closed the address meanwhile; the result can still be asked for.
                tracing::warn!(proof = job.proof, "a notification is not sent: {refused}");
            } else {
                posted?;
            }
        }
        lease.finish(&mut tx).await?;
        tx.commit().await?;
        super::count(&record);
        Ok(Ran::Done)
    }
}

fn unable(record: &Record, words: &str) -> Judged {
    failed(record.provider.clone(), Reason::UnableToVerifySignature, words)
}

/// What is decided where an issuer could not be asked: its entry says whether its word is then enough.
fn without(list: &TrustList, question: &Question, verified: Option<Box<Verified>>) -> Judged {
    let provider = verified.as_ref().map(|verified| verified.provider.clone());
    if let (Question::Status { issuer, .. }, Some(verified)) = (question, verified) {
        // Its checks then lack NOT_REVOKED.
        if list.issuer(issuer).is_some_and(Issuer::accepts_unavailable_status) {
            return Judged::Holds(verified);
        }
        return failed(
            provider,
            Reason::Revoked,
            "the issuer's status list cannot be had, so it may be revoked",
        );
    }
    failed(provider, Reason::UnableToVerifySignature, "the issuer could not be asked")
}

/// The address with `id` and `status` in its query.
fn with_query(url: &str, record: &Record) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    let status: ProofStatus = record.status;
    format!("{url}{separator}id={}&status={status}", record.id)
}

/// Fetches what trust depends on and is published: a signed trust list, key sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshTrust {}

impl Job for RefreshTrust {
    const KIND: &'static str = "refresh-trust";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: Retry =
        Retry { waits: &[30, 60, 300, 600, 1800, 3600, 3600, 3600, 3600, 3600], jitter: 0.1 };
}

impl Proofs {
    /// Runs a [`RefreshTrust`].
    pub async fn refresh_trust(&self) -> Result<Ran, Failure> {
        let (now, settings) = (self.0.world.now(), &self.0.settings);
        if let Some(url) = &settings.trust_list_url {
            let failed = |error| Failure { error, not_before: None, hopeless: false };
            let answered = self.fetch(url, "application/jwt", DOCUMENT_BYTES).await.map_err(failed)?;
            if answered.status != 200 {
                return Err(failed(format!("the trust list was answered with {}", answered.status)));
            }
            let text = String::from_utf8_lossy(&answered.body);
            TrustList::parse_signed(text.trim(), &settings.trust_list_keys)?;
            let mut tx = self.0.db.write().await?;
            trust::keep(&mut tx, url, None, &answered.body, now, LIST_EVERY * 24).await?;
            tx.commit().await?;
            self.0.trust.refresh().await;
        }
        let list = self.0.trust.list(&self.0.db, &*self.0.world).await?;
        for url in list.issuers().filter_map(Issuer::key_set_url) {
            if let Heard::Nothing(error) = self.ask(&list, &Question::Keys { url: url.to_owned() }).await? {
                tracing::warn!(url, "an issuer's keys stay as they are: {error}");
            }
        }
        Ok(Ran::Again(now + LIST_EVERY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that an older build queued must still be understood.
    #[test]
    fn old_payloads_still_parse() {
        let job: ResolveProof = serde_json::from_str(r#"{"proof":"AAAAAAAAAAAAAAAAAAAAAA"}"#).unwrap();
        assert_eq!(job.proof.len(), 22);
        assert_eq!(serde_json::from_str::<RefreshTrust>("{}").unwrap(), RefreshTrust {});
    }
}
