//! The jobs that ask issuers: for what a verification is waiting for, and for what they publish.

use super::{
    ProofOfAgeService, ProofQuery, ProofRecord,
    assessment::{
        IssuerQuery, KeyRequestPolicy, ProofDecision, already_used, apply_exclusions, failed_decision,
    },
    record::ProofOutcome,
    request::with_result_query,
    reserve_presentation, trust_store,
};
use crate::delivery::{OutboxError, WebhookMessage, WebhookMethod};
use base::{AppId, SignedDuration};
use credentials::{
    proof::{MAX_FETCHED_CHARS, ProofFailureReason, VerifiedProof},
    status::{StatusList, StatusListError},
    trust::{TrustList, TrustedIssuer, VerificationKey},
};
use db::{DbError, FromRow, WriteTx, sql};
use jobs::{Job, JobError, JobIds, JobOutcome, Lane, Lease, RetryPolicy};
use media::fetch::{BufferedResponse, FetchRequest, HeaderValue};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Bytes of a proof that is fetched, at most.
const MAX_PROOF_BYTES: u64 = MAX_FETCHED_CHARS as u64;
/// Bytes of a status list, a key set or a trust list, at most.
const MAX_DOCUMENT_BYTES: u64 = 4 << 20;
/// How long an issuer may take to respond.
const ISSUER_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a key set is used before it is fetched again.
pub(super) const KEY_SET_TTL: SignedDuration = SignedDuration::from_hours(1);
/// How long the signed trust list and key sets are used before they are fetched again.
const TRUST_LIST_REFRESH_INTERVAL: SignedDuration = SignedDuration::from_hours(1);
/// The same after it could not be fetched.
const TRUST_LIST_RETRY_INTERVAL: SignedDuration = SignedDuration::from_mins(5);

/// Asks the issuer for what a verification is waiting for, and completes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolveProof {
    /// The id of the verification.
    pub proof: String,
}

impl Job for ResolveProof {
    const KIND: &'static str = "resolve-proof";
    const LANE: Lane = Lane::Quick;
    /// A terminal is waiting: within a minute there is some answer.
    const RETRY: RetryPolicy = RetryPolicy { waits: &[1, 2, 4, 8, 15, 25, 60, 600], jitter: 0.1 };

    fn ids(&self) -> JobIds<'_> {
        JobIds { proof: Some(&self.proof), ..JobIds::default() }
    }
}

/// Completes verifications whose job is gone, because an operator discarded it, or parked; recurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepProofs {}

impl Job for SweepProofs {
    const KIND: &'static str = "sweep-proofs";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = RetryPolicy::RECURRING;
}

impl SweepProofs {
    const INTERVAL: SignedDuration = SignedDuration::from_secs(30);
}

/// Verifications that a sweep completes, at most; the next one takes the others.
const PROOFS_PER_SWEEP: i64 = 200;

/// After this many attempts the verification is completed without the issuer.
const MAX_RESOLVE_ATTEMPTS: i64 = 7;
/// How long the use of a presentation is remembered, at least, whose verification was completed later than the answer: another
/// verification of the same one may be waiting too, longer than it could be shown.
const LATE_USE_RETENTION: SignedDuration = SignedDuration::from_hours(24);

#[derive(FromRow)]
struct PendingProofRow {
    app_id: AppId,
    sealed: Option<Vec<u8>>,
    #[sqlx(json)]
    record: ProofRecord,
    #[sqlx(json)]
    excluded_providers: Vec<String>,
}

#[derive(FromRow)]
struct ProofIdRow {
    id: String,
}

/// What came of asking an issuer.
enum IssuerReply {
    /// The document was stored: judge again.
    Stored,
    /// The proof itself.
    Proof(String),
    /// The holder or the issuer declined.
    Refused,
    /// No answer for now; why.
    Unavailable(String),
}

impl ProofOfAgeService {
    /// Runs a [`ResolveProof`].
    pub async fn resolve(&self, job: &ResolveProof, lease: &Lease) -> Result<JobOutcome, JobError> {
        // Already completed: by a sweep while the job was parked, or by a run that died before its job was deleted.
        let Some(pending) = self.pending(&job.proof).await? else { return Ok(JobOutcome::Done) };
        let query = pending.sealed.as_deref().and_then(|sealed| self.unseal(&job.proof, sealed));
        let Some(query) = query else {
            let failed = unverifiable(&pending.record, "what was scanned cannot be decrypted any more");
            return self.complete(job, lease, pending, None, failed).await;
        };
        let notification = query.notification.clone();
        let complete = |decision| self.complete(job, lease, pending, notification, decision);

        // The scan was in time and its time is not checked again: the holder is not to blame for the issuer's delay.
        let mut query = query;
        let mut requests = 0;
        loop {
            let mut trust = self.0.trust.snapshot(&self.0.db, &*self.0.env).await?;
            let decision = self
                .assess_scan(
                    &query,
                    &mut trust,
                    query.scanned_at,
                    self.0.env.now(),
                    KeyRequestPolicy::UntilAnswered,
                )
                .await?;
            let (question, verified) = match decision {
                ProofDecision::NeedsIssuer { question, verified, .. } => (question, verified),
                decided => return complete(decided).await,
            };
            requests += 1;
            let reply = if requests > 3 {
                IssuerReply::Unavailable("the issuer's responses lead in a circle".to_owned())
            } else {
                self.query_issuer(&trust.list, &question).await?
            };
            match reply {
                IssuerReply::Stored => {}
                IssuerReply::Proof(value) => {
                    query.value = value;
                    query.is_fetched = true;
                    query.scanned_at = self.0.env.now();
                    // Later attempts judge this proof, as of now: the issuer may hand it out once, and it grows old.
                    self.replace_query(&job.proof, &query).await?;
                }
                IssuerReply::Refused => {
                    let message = "the holder or the issuer declined";
                    let reason = ProofFailureReason::UserDidNotConsent;
                    return complete(failed_decision(None, reason, message)).await;
                }
                IssuerReply::Unavailable(error) if lease.attempts < MAX_RESOLVE_ATTEMPTS => {
                    return Err(JobError { error, not_before: None, permanent: false });
                }
                IssuerReply::Unavailable(_) => {
                    return complete(decide_without_issuer(&trust.list, &question, verified)).await;
                }
            }
        }
    }

    /// Stores what a pending verification judges from now on.
    async fn replace_query(&self, proof: &str, query: &ProofQuery) -> Result<(), JobError> {
        let sealed = self.seal(proof, query);
        let mut tx = self.0.db.write().await?;
        tx.execute(
            sql!("UPDATE proofs SET sealed = $2 WHERE id = $1 AND status = 'PENDING'", proof, sealed,),
        )
        .await?;
        Ok(tx.commit().await?)
    }

    /// Asks an issuer, and stores what it published.
    async fn query_issuer(&self, list: &TrustList, question: &IssuerQuery) -> Result<IssuerReply, JobError> {
        match question {
            IssuerQuery::Keys { url } => self.query_keys(url).await,
            IssuerQuery::Status { issuer, uri } => self.query_status(list, issuer, uri).await,
            IssuerQuery::Reference { url } => Ok(self.query_proof(url).await),
        }
    }

    async fn query_proof(&self, url: &str) -> IssuerReply {
        let accept = "text/plain, application/jwt, application/cwt";
        let response = match self.fetch(url, accept, MAX_PROOF_BYTES).await {
            Ok(response) => response,
            Err(error) => return IssuerReply::Unavailable(error),
        };
        match response.status {
            200 => match String::from_utf8(response.body) {
                Ok(text) if !text.trim().is_empty() => IssuerReply::Proof(text.trim().to_owned()),
                _ => IssuerReply::Unavailable("the issuer's response is not text".to_owned()),
            },
            403 | 410 => IssuerReply::Refused,
            // 202: the holder has not consented yet.
            status => IssuerReply::Unavailable(format!("the issuer responded with {status}")),
        }
    }

    async fn query_keys(&self, url: &str) -> Result<IssuerReply, JobError> {
        let now = self.0.env.now();
        let accept = "application/jwk-set+json, application/json";
        let error = match self.fetch(url, accept, MAX_DOCUMENT_BYTES).await {
            Ok(response) if response.status == 200 => match VerificationKey::parse_set(&response.body) {
                Ok(_) => {
                    let content_type = content_type_of(&response);
                    let mut tx = self.0.db.write().await?;
                    trust_store::store_document(&mut tx, url, content_type, &response.body, now, KEY_SET_TTL)
                        .await?;
                    tx.commit().await?;
                    self.0.trust.invalidate().await;
                    return Ok(IssuerReply::Stored);
                }
                // An error page, say, must not take the place of the keys that were fetched before.
                Err(error) => format!("the issuer's response is no key set: {error}"),
            },
            Ok(response) => format!("the issuer responded with {} instead of its keys", response.status),
            Err(error) => error,
        };
        self.note_key_request(url).await?;
        Ok(IssuerReply::Unavailable(error))
    }

    async fn query_status(&self, list: &TrustList, issuer: &str, uri: &str) -> Result<IssuerReply, JobError> {
        let now = self.0.env.now();
        let accept = "application/statuslist+jwt, application/statuslist+cwt";
        let response = match self.fetch(uri, accept, MAX_DOCUMENT_BYTES).await {
            Ok(response) => response,
            Err(error) => return Ok(IssuerReply::Unavailable(error)),
        };
        let content_type = content_type_of(&response);
        let parse = |list: &TrustList| {
            let issuer = list.issuer(issuer).filter(|_| response.status == 200)?;
            Some(StatusList::parse(&response.body, content_type, issuer, uri, now))
        };
        let mut parsed = parse(list);
        // It may be signed with a new key that no proof has named yet.
        if matches!(parsed, Some(Err(StatusListError::NotSigned(_))))
            && self.refetch_keys(list, issuer).await?
        {
            let trust = self.0.trust.snapshot(&self.0.db, &*self.0.env).await?;
            parsed = parse(&trust.list);
        }
        let status_list = match parsed {
            Some(Ok(status_list)) => status_list,
            Some(Err(error)) => {
                return Ok(IssuerReply::Unavailable(format!("the status list: {error}")));
            }
            None => {
                return Ok(IssuerReply::Unavailable(format!(
                    "the issuer responded with {} instead of the status list",
                    response.status
                )));
            }
        };
        let ttl = status_list.fresh_until(now).duration_since(now);
        let mut tx = self.0.db.write().await?;
        trust_store::store_document(&mut tx, uri, content_type, &response.body, now, ttl).await?;
        tx.commit().await?;
        Ok(IssuerReply::Stored)
    }

    /// Fetches the keys of an issuer anew, unless they were fetched within the last minute. Returns whether it did.
    async fn refetch_keys(&self, list: &TrustList, issuer: &str) -> Result<bool, JobError> {
        let Some(url) = list.issuer(issuer).and_then(TrustedIssuer::key_set_url) else { return Ok(false) };
        // A verification waits for them, so a failed request does not count.
        let (now, policy) = (self.0.env.now(), KeyRequestPolicy::UntilAnswered);
        if trust_store::was_recently_requested(&self.0.db, url, now, policy).await? {
            return Ok(false);
        }
        Ok(matches!(self.query_keys(url).await?, IssuerReply::Stored))
    }

    /// Records that an issuer was asked for its keys without success, so that new queries do not ask it again at once.
    async fn note_key_request(&self, url: &str) -> Result<(), JobError> {
        let mut tx = self.0.db.write().await?;
        trust_store::note_key_request(&mut tx, url, self.0.env.now()).await?;
        Ok(tx.commit().await?)
    }

    async fn fetch(
        &self,
        url: &str,
        accept: &'static str,
        max_bytes: u64,
    ) -> Result<BufferedResponse, String> {
        let mut request = FetchRequest { timeout: ISSUER_TIMEOUT, ..FetchRequest::get(max_bytes) };
        request.headers.insert("accept", HeaderValue::from_static(accept));
        self.0.fetcher.call(url, request).await.map_err(|error| error.to_string())
    }

    /// Completes a verification: its result, its notification and the end of the job take effect together.
    async fn complete(
        &self,
        job: &ResolveProof,
        lease: &Lease,
        pending: PendingProofRow,
        notification: Option<WebhookMessage>,
        decision: ProofDecision,
    ) -> Result<JobOutcome, JobError> {
        let mut tx = self.0.db.write().await?;
        let written = self.write_result(&mut tx, &job.proof, pending, notification, decision).await?;
        lease.finish(&mut tx).await?;
        tx.commit().await?;
        written.iter().for_each(super::count_result);
        Ok(JobOutcome::Done)
    }

    /// Runs a [`SweepProofs`].
    pub async fn sweep(&self, _: SweepProofs) -> Result<JobOutcome, JobError> {
        // A verification is written with its job, and completed in the transaction that deletes it.
        let given_up: Vec<ProofIdRow> = self
            .0
            .db
            .read_once()
            .await?
            .fetch_all(sql!(
                "SELECT id FROM proofs
                  WHERE status = 'PENDING'
                    AND id NOT IN (SELECT payload ->> 'proof' FROM jobs
                                    WHERE kind = 'resolve-proof' AND state <> 'PARKED') LIMIT $1",
                PROOFS_PER_SWEEP,
            ))
            .await?;
        for ProofIdRow { id } in given_up {
            let Some(pending) = self.pending(&id).await? else { continue };
            let query = pending.sealed.as_deref().and_then(|sealed| self.unseal(&id, sealed));
            let decision = unverifiable(&pending.record, "the server gave up asking the issuer");
            let mut tx = self.0.db.write().await?;
            let notification = query.and_then(|query| query.notification);
            let written = self.write_result(&mut tx, &id, pending, notification, decision).await?;
            tx.commit().await?;
            written.iter().for_each(super::count_result);
        }
        Ok(JobOutcome::Again(self.0.env.now() + SweepProofs::INTERVAL))
    }

    /// A verification that has no result yet.
    async fn pending(&self, id: &str) -> Result<Option<PendingProofRow>, DbError> {
        let mut view = self.0.db.read_once().await?;
        view.fetch_optional(sql!(
            "SELECT p.app_id, p.sealed, p.record, a.excluded_providers
               FROM proofs p JOIN applications a ON a.id = p.app_id
              WHERE p.id = $1 AND p.status = 'PENDING'",
            id,
        ))
        .await
    }

    /// Writes the result of a verification, and queues its notification; `None` if another one was written meanwhile.
    async fn write_result(
        &self,
        tx: &mut WriteTx,
        id: &str,
        pending: PendingProofRow,
        notification: Option<WebhookMessage>,
        decision: ProofDecision,
    ) -> Result<Option<ProofRecord>, JobError> {
        let now = self.0.env.now();
        let (provider, outcome) = match apply_exclusions(decision, &pending.excluded_providers) {
            ProofDecision::Decided { provider, outcome } => (provider.or(pending.record.provider), outcome),
            ProofDecision::Valid(verified) => {
                let first = reserve_presentation(tx, &verified, id, now, LATE_USE_RETENTION).await?;
                let outcome = if first { self.proven_outcome(&verified) } else { already_used() };
                (Some(verified.provider.clone()), outcome)
            }
            ProofDecision::NeedsIssuer { issuer, .. } => {
                let detail = "the issuer could not be asked".to_owned();
                (
                    Some(issuer.provider),
                    ProofOutcome::NotProven { reason: ProofFailureReason::UnableToVerifySignature, detail },
                )
            }
        };
        let record = ProofRecord {
            terminal: pending.record.terminal,
            ..ProofRecord::decided(id.to_owned(), now, provider, outcome)
        };
        let json = serde_json::to_value(&record).expect("a record serialises to JSON");
        let rows = tx
            .execute(sql!(
                "UPDATE proofs SET status = $2, record = $3, sealed = NULL WHERE id = $1 AND status = 'PENDING'",
                id,
                record.status,
                json,
            ))
            .await?;
        if rows == 0 {
            return Ok(None);
        }
        if let Some(mut message) = notification {
            match message.verb {
                WebhookMethod::Post => message.body = self.0.webhooks.webhook_body(&record),
                WebhookMethod::Get => {
                    message.url = with_result_query(&message.url, &record.id, record.status);
                }
            }
            let queued =
                self.0.outbox.enqueue(tx, &*self.0.env, pending.app_id, "proof.result", &message).await;
            if let Err(OutboxError::Refused(refused)) = &queued {
                // The operator has since forbidden the address; the result can still be queried.
                tracing::warn!(error = refused as &dyn std::error::Error, "a notification is not sent");
            } else {
                queued?;
            }
        }
        Ok(Some(record))
    }
}

fn content_type_of(response: &BufferedResponse) -> Option<&str> {
    response.headers.get("content-type").and_then(|value| value.to_str().ok())
}

fn unverifiable(record: &ProofRecord, message: &str) -> ProofDecision {
    failed_decision(record.provider.clone(), ProofFailureReason::UnableToVerifySignature, message)
}

/// The decision if an issuer could not be asked. Its entry in the trust list says whether a missing status is accepted.
fn decide_without_issuer(
    list: &TrustList,
    question: &IssuerQuery,
    verified: Option<Box<VerifiedProof>>,
) -> ProofDecision {
    let provider = verified.as_ref().map(|verified| verified.provider.clone());
    if let (IssuerQuery::Status { issuer, .. }, Some(verified)) = (question, verified) {
        // The checks of the result then lack NOT_REVOKED.
        if list.issuer(issuer).is_some_and(TrustedIssuer::accepts_unavailable_status) {
            return ProofDecision::Valid(verified);
        }
        return failed_decision(
            provider,
            ProofFailureReason::Revoked,
            "the issuer's status list is unavailable, so the credential may be revoked",
        );
    }
    failed_decision(provider, ProofFailureReason::UnableToVerifySignature, "the issuer could not be asked")
}

/// Fetches the signed trust list and the key sets of the issuers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshTrust {}

impl Job for RefreshTrust {
    const KIND: &'static str = "refresh-trust";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy =
        RetryPolicy { waits: &[30, 60, 300, 600, 1800, 3600, 3600, 3600, 3600, 3600], jitter: 0.1 };
}

impl ProofOfAgeService {
    /// Runs a [`RefreshTrust`]. A list that cannot be fetched keeps nobody's keys from being fetched, and is soon tried again.
    pub async fn refresh_trust(&self) -> Result<JobOutcome, JobError> {
        let refreshed = match &self.0.settings.trust_list_url {
            Some(url) => self.refresh_trust_list(url).await,
            None => Ok(()),
        };
        let wait = match &refreshed {
            Ok(()) => TRUST_LIST_REFRESH_INTERVAL,
            Err(JobError { error, .. }) => {
                tracing::warn!(error, "the trust list stays as it is");
                TRUST_LIST_RETRY_INTERVAL
            }
        };
        let list = self.0.trust.snapshot(&self.0.db, &*self.0.env).await?.list;
        for url in list.issuers().filter_map(TrustedIssuer::key_set_url) {
            if let IssuerReply::Unavailable(error) =
                self.query_issuer(&list, &IssuerQuery::Keys { url: url.to_owned() }).await?
            {
                tracing::warn!(error, url, "an issuer's keys stay as they are");
            }
        }
        Ok(JobOutcome::Again(self.0.env.now() + wait))
    }

    /// Fetches the signed list; one that does not verify is not stored.
    async fn refresh_trust_list(&self, url: &str) -> Result<(), JobError> {
        let retry = |error| JobError { error, not_before: None, permanent: false };
        let response = self.fetch(url, "application/jwt", MAX_DOCUMENT_BYTES).await.map_err(retry)?;
        if response.status != 200 {
            return Err(retry(format!("the trust list's server responded with {}", response.status)));
        }
        let text = String::from_utf8_lossy(&response.body);
        TrustList::parse_signed(text.trim(), &self.0.settings.trust_list_keys)?;
        let now = self.0.env.now();
        let mut tx = self.0.db.write().await?;
        let lifetime = TRUST_LIST_REFRESH_INTERVAL * 24;
        trust_store::store_document(&mut tx, url, None, &response.body, now, lifetime).await?;
        tx.commit().await?;
        self.0.trust.invalidate().await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that an older version queued must still be readable.
    #[test]
    fn old_payloads_still_parse() {
        let job: ResolveProof = serde_json::from_str(r#"{"proof":"AAAAAAAAAAAAAAAAAAAAAA"}"#).unwrap();
        assert_eq!(job.proof.len(), 22);
        assert_eq!(serde_json::from_str::<RefreshTrust>("{}").unwrap(), RefreshTrust {});
        assert_eq!(serde_json::from_str::<SweepProofs>("{}").unwrap(), SweepProofs {});
    }
}
