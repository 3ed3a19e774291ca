//! Judging a query: what was scanned, under the operator's rules, with what is known locally about its issuer.

use super::{
    MAX_CLOCK_SKEW, ProofOfAgeError, ProofOfAgeService, ProofQuery,
    record::ProofOutcome,
    trust_store::{self, TrustSnapshot},
};
use base::{AppId, Timestamp};
use credentials::{
    proof::{
        self, MAX_SCAN_AGE, ProofFailureReason, ScannedValue, TerminalSession, UnsupportedProofError,
        VerificationTerms, VerifiedProof,
    },
    trust::{TrustList, TrustedIssuer},
};
use db::{FromRow, sql};

/// The assessment of a query, for [`ProofOfAgeService::store`].
#[derive(Debug)]
pub struct ProofAssessment(pub(super) ProofDecision);

/// What an assessment came to, before anything is stored.
#[derive(Debug)]
pub(super) enum ProofDecision {
    /// The outcome is known.
    Decided { provider: Option<String>, outcome: ProofOutcome },
    /// The proof is valid, unless it was used before.
    Valid(Box<VerifiedProof>),
    /// The issuer must be asked first. `verified` is set if only the status is missing.
    NeedsIssuer { issuer: IssuerName, question: IssuerQuery, verified: Option<Box<VerifiedProof>> },
}

/// When an issuer may be asked for keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyRequestPolicy {
    /// Not if it was asked within the last minute, successfully or not: new queries must not multiply failing calls.
    RateLimited,
    /// Also after a failed call: for a query that is waiting for the issuer.
    UntilAnswered,
}

/// An issuer's id and provider name in the trust list.
#[derive(Clone, Debug)]
pub(super) struct IssuerName {
    pub(super) id: String,
    pub(super) provider: String,
}

impl IssuerName {
    fn of(issuer: &TrustedIssuer) -> Self {
        Self { id: issuer.id().to_owned(), provider: issuer.provider().to_owned() }
    }
}

/// What must be fetched from an issuer before a proof can be judged.
#[derive(Clone, Debug)]
pub(super) enum IssuerQuery {
    /// The issuer's key set: the proof names a key that is not listed.
    Keys { url: String },
    /// The status list that the proof names.
    Status { issuer: String, uri: String },
    /// The proof itself, from an address of its issuer.
    Reference { url: String },
}

#[derive(FromRow)]
struct ExcludedProvidersRow {
    #[sqlx(json)]
    excluded_providers: Vec<String>,
}

impl ProofOfAgeService {
    /// Judges a query, except for what needs a transaction: so no write waits for signatures to be verified.
    pub async fn assess(&self, app: AppId, query: &ProofQuery) -> Result<ProofAssessment, ProofOfAgeError> {
        let now = self.0.env.now();
        if let Some(failed) = check_scan_time(query.scanned_at, now) {
            return Ok(ProofAssessment(failed));
        }
        let mut trust = self.0.trust.snapshot(&self.0.db, &*self.0.env).await?;
        let excluded: Option<ExcludedProvidersRow> = self
            .0
            .db
            .read_once()
            .await?
            .fetch_optional(sql!("SELECT excluded_providers FROM applications WHERE id = $1", app))
            .await?;
        let excluded = excluded.map(|row| row.excluded_providers).unwrap_or_default();
        Ok(ProofAssessment(apply_exclusions(
            self.assess_scan(query, &mut trust, now, now, KeyRequestPolicy::RateLimited).await?,
            &excluded,
        )))
    }

    /// Judges what was scanned, with what is known locally about its issuer. `at` is the time at which certificates,
    /// keys and trust list entries must be valid. `trust` is renewed if keys of the issuer were fetched since it was read.
    pub(super) async fn assess_scan(
        &self,
        query: &ProofQuery,
        trust: &mut TrustSnapshot,
        at: Timestamp,
        now: Timestamp,
        key_requests: KeyRequestPolicy,
    ) -> Result<ProofDecision, ProofOfAgeError> {
        let parsed = match &query.session_transcript {
            None if query.is_fetched => proof::parse_fetched(&query.value),
            None => proof::parse_scanned(&query.value),
            Some(transcript) => {
                let key = query.reader_key.as_ref().map(|key| key.expose().as_str());
                // It was validated when it came in.
                TerminalSession::parse(transcript, key)
                    .map_err(|error| UnsupportedProofError { detail: error.to_string(), measured: None })
                    .and_then(|session| proof::parse_device_response(&query.value, session))
                    .map(ScannedValue::Proof)
            }
        };
        let scanned = match parsed {
            Ok(scanned) => scanned,
            Err(unsupported) => {
                return Ok(failed_decision(
                    None,
                    ProofFailureReason::UnsupportedPayload,
                    unsupported.to_string(),
                ));
            }
        };
        match scanned {
            ScannedValue::Request(kind) => Ok(failed_decision(
                None,
                ProofFailureReason::UnsupportedPayload,
                format!("this is {kind}: a request to a wallet, and no proof"),
            )),
            ScannedValue::Engagement => Ok(failed_decision(
                None,
                ProofFailureReason::UnsupportedPayload,
                "this is an ISO 18013-5 device engagement and carries no credential; a terminal that speaks to the \
                 device can send its DeviceResponse as qr.value, with qr.session_transcript",
            )),
            ScannedValue::Reference(url) => Ok(match trust.list.issuer_of_reference(&url) {
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
                let mut verified = trust.list.verify_proof(&proof, &terms);
                let unlisted_key_of =
                    verified.as_ref().err().and_then(|failed| failed.refetch_keys_of.clone());
                // A job or another process may have fetched the key since.
                if let Some(issuer) = unlisted_key_of
                    && let Some(newer) =
                        self.0.trust.with_stored_keys(&self.0.db, &*self.0.env, trust, &issuer).await?
                {
                    *trust = newer;
                    verified = trust.list.verify_proof(&proof, &terms);
                }
                self.assess_verification(verified, &trust.list, now, key_requests).await
            }
        }
    }

    async fn assess_verification(
        &self,
        verified: Result<VerifiedProof, proof::ProofVerificationError>,
        list: &TrustList,
        now: Timestamp,
        key_requests: KeyRequestPolicy,
    ) -> Result<ProofDecision, ProofOfAgeError> {
        let verified = match verified {
            Ok(verified) => verified,
            Err(failed) => {
                let issuer = failed.refetch_keys_of.as_deref().and_then(|id| list.issuer(id));
                return Ok(match issuer.and_then(|issuer| Some((issuer, issuer.key_set_url()?))) {
                    // Proofs that name invented keys must not make us fetch the key set again and again.
                    Some((issuer, url))
                        if !trust_store::was_recently_requested(&self.0.db, url, now, key_requests)
                            .await? =>
                    {
                        ProofDecision::NeedsIssuer {
                            issuer: IssuerName::of(issuer),
                            question: IssuerQuery::Keys { url: url.to_owned() },
                            verified: None,
                        }
                    }
                    _ => failed_decision(failed.provider, failed.reason, failed.detail),
                });
            }
        };
        let (Some(issuer), Some(reference)) = (list.issuer(&verified.issuer), &verified.status) else {
            return Ok(ProofDecision::Valid(Box::new(verified)));
        };
        let status_list = self.0.trust.status_list(&self.0.db, now, issuer, &reference.uri).await?;
        let Some(status_list) = status_list else {
            let question =
                IssuerQuery::Status { issuer: verified.issuer.clone(), uri: reference.uri.clone() };
            let issuer = IssuerName::of(issuer);
            return Ok(ProofDecision::NeedsIssuer { issuer, question, verified: Some(Box::new(verified)) });
        };
        Ok(match status_list.status_at(reference.index) {
            Some(status) => match verified.apply_status(status) {
                Ok(verified) => ProofDecision::Valid(Box::new(verified)),
                Err(failed) => failed_decision(failed.provider, failed.reason, failed.detail),
            },
            None if issuer.accepts_unavailable_status() => ProofDecision::Valid(Box::new(verified)),
            None => failed_decision(
                Some(verified.provider),
                ProofFailureReason::Revoked,
                "the issuer's status list has no such entry, so nothing says that the credential is valid",
            ),
        })
    }

    pub(super) fn proven_outcome(&self, verified: &VerifiedProof) -> ProofOutcome {
        ProofOutcome::Proven {
            age_over: verified.age_over,
            valid_for_alcohol: verified.valid_for_alcohol && verified.age_over >= self.0.settings.alcohol_age,
            checks: verified.checks.clone(),
            holder_bound: verified.holder_bound,
        }
    }
}

pub(super) fn failed_decision(
    provider: Option<String>,
    reason: ProofFailureReason,
    detail: impl Into<String>,
) -> ProofDecision {
    ProofDecision::Decided { provider, outcome: ProofOutcome::NotProven { reason, detail: detail.into() } }
}

/// Refuses a scan whose stated time is not close to our own clock.
fn check_scan_time(scanned_at: Timestamp, now: Timestamp) -> Option<ProofDecision> {
    let refuse =
        |message: String| Some(failed_decision(None, ProofFailureReason::PresentationExpired, message));
    if scanned_at.duration_since(now) > MAX_CLOCK_SKEW {
        return refuse("scanned_at is in the future: set the till's clock".to_owned());
    }
    if now.duration_since(scanned_at) > MAX_SCAN_AGE {
        return refuse(format!("the code was scanned more than {} seconds ago", MAX_SCAN_AGE.as_secs()));
    }
    None
}

pub(super) fn already_used() -> ProofOutcome {
    let detail = "this code was shown before; the holder shows a new one every 30 seconds".to_owned();
    ProofOutcome::NotProven { reason: ProofFailureReason::PresentationAlreadyUsed, detail }
}

/// Turns the decision into a failure if the application excludes the provider.
pub(super) fn apply_exclusions(decision: ProofDecision, excluded: &[String]) -> ProofDecision {
    let (id, provider) = match &decision {
        ProofDecision::Decided { .. } => return decision,
        ProofDecision::Valid(verified) => (&verified.issuer, &verified.provider),
        ProofDecision::NeedsIssuer { issuer, .. } => (&issuer.id, &issuer.provider),
    };
    if excluded.contains(id) || excluded.contains(provider) {
        let message = "the application accepts no proofs of this provider";
        return failed_decision(Some(provider.clone()), ProofFailureReason::ExcludedProvider, message);
    }
    decision
}
