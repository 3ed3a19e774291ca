//! What has to be asked of issuers, as jobs.

use super::{
    IssuerQuery, KeyRequestPolicy, ProofDecision, ProofOfAgeService, ProofRecord, already_used,
    apply_exclusions, failed_decision,
    record::{ProofOutcome, ProofStatus},
    reserve_presentation, trust_store,
};
use crate::delivery::{OutboxError, WebhookMethod};
use base::{AppId, SignedDuration};
use credentials::{
    proof::{ProofFailureReason, VerifiedProof},
    status::StatusList,
    trust::{TrustList, TrustedIssuer},
};
use db::{FromRow, sql};
use jobs::{Job, JobError, JobIds, JobOutcome as Ran, Lane, Lease, RetryPolicy};
use media::fetch::{BufferedResponse, FetchRequest, HeaderValue};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The most bytes of a proof that an issuer is asked for.
const MAX_PROOF_BYTES: u64 = 64 << 10;
/// The most bytes of a status list, a key set or a trust list.
const MAX_DOCUMENT_BYTES: u64 = 4 << 20;
/// How long an issuer may take.
const ISSUER_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a key set is used before it is fetched anew.
pub(super) const KEY_SET_TTL: SignedDuration = SignedDuration::from_hours(1);
/// How long a signed trust list is used before it is fetched anew.
const TRUST_LIST_REFRESH_INTERVAL: SignedDuration = SignedDuration::from_hours(1);

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
    const RETRY: RetryPolicy = RetryPolicy { waits: &[1, 2, 4, 8, 15, 25, 60, 600], jitter: 0.1 };

    fn ids(&self) -> JobIds<'_> {
        JobIds { proof: Some(&self.proof), ..JobIds::default() }
    }
}

/// After this many attempts the answer is that there is none.
const MAX_RESOLVE_ATTEMPTS: i64 = 7;

#[derive(FromRow)]
struct PendingProofRow {
    app_id: AppId,
    sealed: Option<Vec<u8>>,
    #[sqlx(json)]
    record: ProofRecord,
    #[sqlx(json)]
    excluded_providers: Vec<String>,
}

/// What came of asking.
enum IssuerReply {
    /// It was asked and kept: judge again.
    Stored,
    /// The proof itself.
    Proof(String),
    /// The holder or issuer said no.
    Refused,
    /// Not now.
    Unavailable(String),
}

impl ProofOfAgeService {
    /// Runs a [`ResolveProof`].
    pub async fn resolve(&self, job: &ResolveProof, lease: &Lease) -> Result<Ran, JobError> {
        let pending: Option<PendingProofRow> = self
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
            let lost = unverifiable(&pending.record, "what was scanned does not open any more");
            return self.complete(job, lease, pending, None, lost).await;
        };
        let notification = query.notification.clone();
        let end = |judged| self.complete(job, lease, pending, notification, judged);

        // A till scanned in time, and is not held to its clock again: what an issuer takes to answer is no fault of the
        // holder's.
        let mut query = query;
        let mut asked = 0;
        loop {
            let list = self.0.trust.list(&self.0.db, &*self.0.world).await?;
            let judged = self
                .assess_scan(
                    &query,
                    &list,
                    query.scanned_at,
                    self.0.world.now(),
                    KeyRequestPolicy::UntilAnswered,
                )
                .await?;
            let (question, verified) = match judged {
                ProofDecision::NeedsIssuer { question, verified, .. } => (question, verified),
                decided => return end(decided).await,
            };
            asked += 1;
            let heard = if asked > 3 {
                IssuerReply::Unavailable("the issuer's answers lead in a circle".to_owned())
            } else {
                self.query_issuer(&list, &question).await?
            };
            match heard {
                IssuerReply::Stored => self.0.trust.invalidate().await,
                IssuerReply::Proof(value) => {
                    query.value = value;
                    query.scanned_at = self.0.world.now();
                }
                IssuerReply::Refused => {
                    let words = "the holder or the issuer declined";
                    return end(failed_decision(None, ProofFailureReason::UserDidNotConsent, words)).await;
                }
                IssuerReply::Unavailable(error) if lease.attempts < MAX_RESOLVE_ATTEMPTS => {
                    return Err(JobError { error, not_before: None, permanent: false });
                }
                IssuerReply::Unavailable(_) => {
                    return end(decide_without_issuer(&list, &question, verified)).await;
                }
            }
        }
    }

    /// Asks, and keeps what was answered.
    async fn query_issuer(&self, list: &TrustList, question: &IssuerQuery) -> Result<IssuerReply, JobError> {
        let now = self.0.world.now();
        let (url, accept, bytes) = match question {
            IssuerQuery::Keys { url } => {
                (url, "application/jwk-set+json, application/json", MAX_DOCUMENT_BYTES)
            }
            IssuerQuery::Status { uri, .. } => {
                (uri, "application/statuslist+jwt, application/statuslist+cwt", MAX_DOCUMENT_BYTES)
            }
            IssuerQuery::Reference { url } => {
                (url, "text/plain, application/jwt, application/cwt", MAX_PROOF_BYTES)
            }
        };
        let answered = match self.fetch(url, accept, bytes).await {
            Ok(answered) => answered,
            Err(error) => {
                if let IssuerQuery::Keys { url } = question {
                    self.note_key_request(url).await?;
                }
                return Ok(IssuerReply::Unavailable(error));
            }
        };
        let content_type = answered.headers.get("content-type").and_then(|value| value.to_str().ok());
        match question {
            IssuerQuery::Reference { .. } => Ok(match answered.status {
                200 => match String::from_utf8(answered.body) {
                    Ok(text) if !text.trim().is_empty() => IssuerReply::Proof(text.trim().to_owned()),
                    _ => IssuerReply::Unavailable("the issuer's answer is no text".to_owned()),
                },
                403 | 410 => IssuerReply::Refused,
                // 202: the holder has not consented yet.
                status => IssuerReply::Unavailable(format!("the issuer answered {status}")),
            }),
            IssuerQuery::Keys { url } => {
                if answered.status != 200 {
                    self.note_key_request(url).await?;
                    return Ok(IssuerReply::Unavailable(format!(
                        "the issuer's keys were answered with {}",
                        answered.status
                    )));
                }
                let mut tx = self.0.db.write().await?;
                trust_store::store_document(&mut tx, url, content_type, &answered.body, now, KEY_SET_TTL)
                    .await?;
                tx.commit().await?;
                Ok(IssuerReply::Stored)
            }
            IssuerQuery::Status { issuer, uri } => {
                let parsed = list
                    .issuer(issuer)
                    .filter(|_| answered.status == 200)
                    .map(|issuer| StatusList::parse(&answered.body, content_type, issuer, uri, now));
                let list = match parsed {
                    Some(Ok(list)) => list,
                    Some(Err(error)) => {
                        return Ok(IssuerReply::Unavailable(format!("the status list: {error}")));
                    }
                    None => {
                        return Ok(IssuerReply::Unavailable(format!(
                            "the status list was answered with {}",
                            answered.status
                        )));
                    }
                };
                let fresh = list.fresh_until(now).duration_since(now);
                let mut tx = self.0.db.write().await?;
                trust_store::store_document(&mut tx, uri, content_type, &answered.body, now, fresh).await?;
                tx.commit().await?;
                Ok(IssuerReply::Stored)
            }
        }
    }

    /// Remembers that an issuer was asked for its keys in vain, so that it is not asked again at once.
    async fn note_key_request(&self, url: &str) -> Result<(), JobError> {
        let mut tx = self.0.db.write().await?;
        trust_store::note_key_request(&mut tx, url, self.0.world.now()).await?;
        Ok(tx.commit().await?)
    }

    async fn fetch(&self, url: &str, accept: &'static str, most: u64) -> Result<BufferedResponse, String> {
        let mut call = FetchRequest { timeout: ISSUER_TIMEOUT, ..FetchRequest::get(most) };
        call.headers.insert("accept", HeaderValue::from_static(accept));
        self.0.fetcher.call(url, call).await.map_err(|error| error.to_string())
    }

    /// Ends a verification: its result, its notification and the job count together.
    async fn complete(
        &self,
        job: &ResolveProof,
        lease: &Lease,
        pending: PendingProofRow,
        notification: Option<crate::delivery::WebhookMessage>,
        judged: ProofDecision,
    ) -> Result<Ran, JobError> {
        let now = self.0.world.now();
        let mut tx = self.0.db.write().await?;
        let (provider, outcome) = match apply_exclusions(judged, &pending.excluded_providers) {
            ProofDecision::Decided { provider, outcome } => (provider.or(pending.record.provider), outcome),
            ProofDecision::Valid(verified) => {
                let first = reserve_presentation(&mut tx, &verified, &job.proof).await?;
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
        let record = ProofRecord::decided(job.proof.clone(), now, provider, outcome);
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
                WebhookMethod::Post => message.body = self.0.webhooks.webhook_body(&record),
                WebhookMethod::Get => message.url = with_result_query(&message.url, &record),
            }
            let posted = self
                .0
                .outbox
                .enqueue(&mut tx, &*self.0.world, pending.app_id, "proof.result", &message)
                .await;
            if let Err(OutboxError::Refused(refused)) = &posted {
                // The operator has closed the address meanwhile; the result can still be asked for.
                tracing::warn!(error = refused as &dyn std::error::Error, "a notification is not sent");
            } else {
                posted?;
            }
        }
        lease.finish(&mut tx).await?;
        tx.commit().await?;
        super::count_result(&record);
        Ok(Ran::Done)
    }
}

fn unverifiable(record: &ProofRecord, words: &str) -> ProofDecision {
    failed_decision(record.provider.clone(), ProofFailureReason::UnableToVerifySignature, words)
}

/// What is decided where an issuer could not be asked: its entry says whether its word is then enough.
fn decide_without_issuer(
    list: &TrustList,
    question: &IssuerQuery,
    verified: Option<Box<VerifiedProof>>,
) -> ProofDecision {
    let provider = verified.as_ref().map(|verified| verified.provider.clone());
    if let (IssuerQuery::Status { issuer, .. }, Some(verified)) = (question, verified) {
        // Its checks then lack NOT_REVOKED.
        if list.issuer(issuer).is_some_and(TrustedIssuer::accepts_unavailable_status) {
            return ProofDecision::Valid(verified);
        }
        return failed_decision(
            provider,
            ProofFailureReason::Revoked,
            "the issuer's status list cannot be had, so it may be revoked",
        );
    }
    failed_decision(provider, ProofFailureReason::UnableToVerifySignature, "the issuer could not be asked")
}

/// The address with `id` and `status` in its query.
fn with_result_query(url: &str, record: &ProofRecord) -> String {
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
    const RETRY: RetryPolicy =
        RetryPolicy { waits: &[30, 60, 300, 600, 1800, 3600, 3600, 3600, 3600, 3600], jitter: 0.1 };
}

impl ProofOfAgeService {
    /// Runs a [`RefreshTrust`].
    pub async fn refresh_trust(&self) -> Result<Ran, JobError> {
        let (now, settings) = (self.0.world.now(), &self.0.settings);
        if let Some(url) = &settings.trust_list_url {
            let failed = |error| JobError { error, not_before: None, permanent: false };
            let answered = self.fetch(url, "application/jwt", MAX_DOCUMENT_BYTES).await.map_err(failed)?;
            if answered.status != 200 {
                return Err(failed(format!("the trust list was answered with {}", answered.status)));
            }
            let text = String::from_utf8_lossy(&answered.body);
            TrustList::parse_signed(text.trim(), &settings.trust_list_keys)?;
            let mut tx = self.0.db.write().await?;
            trust_store::store_document(
                &mut tx,
                url,
                None,
                &answered.body,
                now,
                TRUST_LIST_REFRESH_INTERVAL * 24,
            )
            .await?;
            tx.commit().await?;
            self.0.trust.invalidate().await;
        }
        let list = self.0.trust.list(&self.0.db, &*self.0.world).await?;
        for url in list.issuers().filter_map(TrustedIssuer::key_set_url) {
            if let IssuerReply::Unavailable(error) =
                self.query_issuer(&list, &IssuerQuery::Keys { url: url.to_owned() }).await?
            {
                tracing::warn!(error, url, "an issuer's keys stay as they are");
            }
        }
        Ok(Ran::Again(now + TRUST_LIST_REFRESH_INTERVAL))
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
