//! `digital_id`: a wallet that presents a credential (OpenID4VP 1.0).
//!
//! The page shows an address, as a QR code and as a link, and asks from time to time. What the server must know of a request
//! is sealed into that address, and of the answer nothing is kept but what came of it. The first answer that can be read
//! counts, and no other.
//!
//! Two addresses are made. Who scans the code holds another device, and the answer settles the attempt. Who follows the link
//! is sent back to the page with a code where the answer is as was asked, and the attempt is settled by the browser that
//! began it and brings the code: a link of the page that a stranger was talked into following passes nothing. Any other
//! answer settles the attempt at once, so that nobody has it forgotten by not coming back. Nothing can tell whether somebody
//! was talked into scanning a code, or into following its address.
//!
//! Where the block lets an estimated age do (`age_estimation_allowed`) and the wallet says nothing, the attempt goes on with a
//! photo of the face.

use super::{AttemptContext, AttemptStep, StepOutcome, StepPrompt, TurnInput, not_configured};
use crate::{
    age_verification::{
        AgeSessionError, AgeVerificationService, RelyingPartyProfile,
        attempts::attempt_parts,
        decision,
        session::{AgeMethodVerdict, AgeSession, MethodAttempt},
        types::{AgeFailureReason, AgeMethod, AgeSessionType},
    },
    vault::Vault,
};
use age_methods::{
    AgeAttribute,
    wallet::{
        AgeQuery, PresentationRequest, WalletChoice, WalletFailureReason, WalletFinding, WalletVerifier,
    },
};
use base::{AgeAttemptId, AgeSessionId, Environment, Secret, SignedDuration, Timestamp, Uuid};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tracing::Instrument as _;

/// How often the page asks whether the wallet has answered, milliseconds.
const POLL_INTERVAL_MS: u32 = 1500;
/// What requests and codes are sealed for.
const REQUEST_AAD: &[u8] = b"request to a wallet";
const RESPONSE_CODE_AAD_PREFIX: &str = "answer of a wallet to attempt ";
/// The longest sealed text that is opened.
const MAX_SEALED_CHARS: usize = 1024;

/// How long an answer is judged at most; the issuer is asked meanwhile. What became of one that took longer, nobody knows.
const JUDGING_TIMEOUT: SignedDuration = SignedDuration::from_secs(60);
/// How often a turn of the page may come between an answer and its being written down.
const MAX_COMMIT_ATTEMPTS: usize = 5;

/// How far an attempt is.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct WalletProgress {
    /// Since when a wallet's answer is judged.
    taken: Option<Timestamp>,
    /// Whether a wallet has answered.
    answered: bool,
    /// Whether a photo is asked for instead.
    estimating: bool,
}

impl WalletProgress {
    fn of(attempt: &MethodAttempt) -> Self {
        serde_json::from_value(attempt.held.clone()).unwrap_or_default()
    }

    /// Whether a wallet may answer.
    fn accepts_response(self, now: Timestamp) -> bool {
        !self.answered && self.taken.is_none_or(|taken| now.duration_since(taken) > JUDGING_TIMEOUT)
    }
}

/// The addresses on the page; the same each time it asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WalletLinks {
    url: String,
    links: Vec<String>,
}

/// What a request's address holds.
struct WalletRequestState {
    session: AgeSessionId,
    attempt: AgeAttemptId,
    /// Whether the wallet is on the page's own device.
    same_device: bool,
    /// Whether the request is unsigned.
    unsigned: bool,
    seed: Secret<[u8; 32]>,
}

impl WalletRequestState {
    /// 65 bytes, so that a QR code stays small.
    fn seal(&self, vault: &Vault, world: &dyn Environment) -> String {
        let mut plain = Vec::with_capacity(65);
        for id in [Uuid::from(self.session), Uuid::from(self.attempt)] {
            plain.extend_from_slice(id.as_bytes());
        }
        plain.push(u8::from(self.same_device) | u8::from(self.unsigned) << 1);
        plain.extend_from_slice(self.seed.expose());
        let plain = Secret::new(plain);
        BASE64URL.encode_to_string(vault.seal(world, REQUEST_AAD, plain.expose()))
    }

    fn open(vault: &Vault, sealed: &str) -> Option<Self> {
        let sealed =
            BASE64URL.decode_to_vec(Some(sealed).filter(|text| text.len() <= MAX_SEALED_CHARS)?).ok()?;
        let plain = Secret::new(vault.open(REQUEST_AAD, &sealed).ok()?);
        let (session, rest) = plain.expose().split_first_chunk::<16>()?;
        let (attempt, rest) = rest.split_first_chunk::<16>()?;
        let (flags, seed) = rest.split_first()?;
        Some(Self {
            session: Uuid::from_bytes(*session).into(),
            attempt: Uuid::from_bytes(*attempt).into(),
            same_device: flags & 1 != 0,
            unsigned: flags & 2 != 0,
            seed: Secret::new(seed.try_into().ok()?),
        })
    }
}

/// What came of an answer, as it travels through the browser: no more than the business is told.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum WalletOutcome {
    Over(u8, bool),
    Age(u8),
    Nothing(WalletFailureReason),
    Unavailable,
}

impl WalletOutcome {
    fn of(finding: WalletFinding) -> Self {
        match finding {
            WalletFinding::Over { years, reached: is } => Self::Over(years, is),
            WalletFinding::Age(years) => Self::Age(years),
            WalletFinding::Nothing(why) => Self::Nothing(why),
            WalletFinding::Unavailable(words) => {
                tracing::warn!(method = %AgeMethod::DigitalId, error = words, "a provider cannot be asked");
                Self::Unavailable
            }
        }
    }
}

/// Whether an attempt at a wallet goes on with a photo of the face.
pub(in crate::age_verification) fn is_estimating(attempt: &MethodAttempt) -> bool {
    attempt.method == AgeMethod::DigitalId && WalletProgress::of(attempt).estimating
}

/// What a block asks.
fn age_query(at: AttemptContext<'_>) -> AgeQuery {
    match at.session.wanted.kind {
        AgeSessionType::Over => AgeQuery::Over(at.threshold_years()),
        AgeSessionType::Under => AgeQuery::Under(at.threshold_years()),
        AgeSessionType::Age => AgeQuery::Age,
    }
}

impl AgeVerificationService {
    pub(super) fn open_wallet(&self, at: AttemptContext<'_>) -> StepOutcome {
        let Some(verifier) = &self.providers(at).wallet else { return not_configured() };
        let mut seed = [0; 32];
        self.0.world.fill_random(&mut seed);
        let seed = Secret::new(seed);
        let link = |scheme: &str, unsigned: bool, here: bool| {
            let (session, attempt) = (at.session.id, at.attempt.id);
            let ticket =
                WalletRequestState { session, attempt, same_device: here, unsigned, seed: seed.clone() };
            let sealed = ticket.seal(&self.0.vault, &*self.0.world);
            verifier.link(&self.build_wallet_request(verifier, &ticket, &sealed, at), scheme)
        };
        let schemes = verifier.schemes(age_query(at));
        let Some((scheme, unsigned)) = schemes.first() else {
            return StepOutcome::Finished(AgeMethodVerdict::Undecided { code: AgeFailureReason::AgeNotTold });
        };
        StepOutcome::Prompt(wallet_prompt(WalletLinks {
            url: link(scheme, *unsigned, false),
            links: schemes.iter().map(|(scheme, unsigned)| link(scheme, *unsigned, true)).collect(),
        }))
    }

    fn build_wallet_request(
        &self,
        verifier: &WalletVerifier,
        ticket: &WalletRequestState,
        sealed: &str,
        at: AttemptContext<'_>,
    ) -> PresentationRequest {
        let sandbox = if at.session.sandbox { "/sandbox" } else { "" };
        let address = format!("{}{sandbox}/age/v1/wallet/{sealed}", self.0.settings.public_url);
        verifier.request(&ticket.seed, address, ticket.unsigned, age_query(at))
    }

    pub(super) async fn process_wallet_turn(
        &self,
        at: AttemptContext<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        if is_estimating(at.attempt) {
            let agreed = at.session.consent.is_some_and(|consent| consent.given);
            if input.photo.is_none() {
                return Ok(self.open_estimation(at));
            }
            if !agreed && at.session.requires_consent() {
                return Err(AgeSessionError::ConsentRequired);
            }
            return self.estimate_age(at, held, input).await;
        }
        let shown: Option<WalletLinks> = serde_json::from_value(held).ok();
        let Some(shown) = shown else { return Err(AgeSessionError::StaleContinuation) };
        // Whoever comes back without a code, or with another attempt's, has not been answered for.
        let code = input.returned.as_ref().and_then(|returned| returned.get("response_code"));
        let came = code.and_then(|code| self.open_response_code(at.attempt.id, code));
        Ok(match came {
            Some(came) => self.evaluate_wallet_outcome(at, came),
            None => StepOutcome::Prompt(wallet_prompt(shown)),
        })
    }

    /// What an answer means for the attempt.
    fn evaluate_wallet_outcome(&self, at: AttemptContext<'_>, came: WalletOutcome) -> StepOutcome {
        let known = match came {
            WalletOutcome::Over(years, is) => AgeAttribute::Over { years, reached: is },
            WalletOutcome::Age(years) => AgeAttribute::DateOfBirth(
                self.today().saturating_sub(jiff::Span::new().years(i64::from(years))),
            ),
            WalletOutcome::Nothing(why) if why.is_no_answer() && may_estimate(at) => {
                let kept = Some(json!(WalletProgress { taken: None, answered: true, estimating: true }));
                return match self.open_estimation(at) {
                    StepOutcome::Prompt(ask) => {
                        StepOutcome::Prompt(StepPrompt { attempt_state: kept, ..ask })
                    }
                    other => other,
                };
            }
            WalletOutcome::Nothing(why) => {
                return StepOutcome::Finished(AgeMethodVerdict::Undecided { code: age_failure_reason(why) });
            }
            WalletOutcome::Unavailable => {
                return StepOutcome::Finished(AgeMethodVerdict::Broken {
                    code: AgeFailureReason::ProviderUnavailable,
                });
            }
        };
        let evidence = Some(self.0.world.uuid_v4().to_string());
        StepOutcome::Finished(decision::decide_from_evidence(
            known,
            &at.session.wanted,
            at.block,
            self.today(),
            evidence,
        ))
    }

    /// Whose session a request's address is of.
    pub fn wallet_session_id(&self, sealed: &str) -> Option<AgeSessionId> {
        WalletRequestState::open(&self.0.vault, sealed).map(|ticket| ticket.session)
    }

    /// A request that waits for its answer.
    async fn open_wallet_request(
        &self,
        sealed: &str,
        sandbox: bool,
    ) -> Result<(WalletRequestState, AgeSession, RelyingPartyProfile), AgeSessionError> {
        let ticket =
            WalletRequestState::open(&self.0.vault, sealed).ok_or(AgeSessionError::SessionNotFound)?;
        let (session, business) = self.end_user_session(ticket.session, sandbox).await?;
        if !session.is_live(self.0.world.now()) {
            return Err(AgeSessionError::Expired);
        }
        let begun = session.attempt.as_ref().filter(|begun| begun.id == ticket.attempt);
        let begun = begun
            .filter(|begun| begun.method == AgeMethod::DigitalId)
            .ok_or(AgeSessionError::StaleContinuation)?;
        let waits = WalletProgress::of(begun).accepts_response(self.0.world.now());
        if waits { Ok((ticket, session, business)) } else { Err(AgeSessionError::StaleContinuation) }
    }

    /// The request object that a wallet fetches, a signed JWT; `nonce` is what the wallet wants to see in it.
    pub async fn wallet_request_object(
        &self,
        sealed: &str,
        sandbox: bool,
        nonce: Option<&str>,
    ) -> Result<String, AgeSessionError> {
        let (ticket, session, _) = self.open_wallet_request(sealed, sandbox).await?;
        let (block, attempt) =
            attempt_parts(&session, ticket.attempt).ok_or(AgeSessionError::StaleContinuation)?;
        let at = AttemptContext { session: &session, block, attempt, locale: "" };
        let verifier = self.providers(at).wallet.as_ref().ok_or(AgeSessionError::SessionNotFound)?;
        let request = self.build_wallet_request(verifier, &ticket, sealed, at);
        verifier.request_object(&request, nonce).ok_or(AgeSessionError::SessionNotFound)
    }

    /// Takes what a wallet posts, once. Answers where the wallet sends its holder, where it is on the device that asks.
    pub async fn submit_wallet_response(
        &self,
        sealed: &str,
        sandbox: bool,
        body: &[u8],
    ) -> Result<Option<String>, AgeSessionError> {
        // A connection that breaks takes its call with it, and what was taken must come to something.
        let (ages, sealed, body) = (self.clone(), sealed.to_owned(), body.to_vec());
        let judging = async move { ages.process_wallet_response(&sealed, sandbox, &body).await };
        let judging = tokio::spawn(judging.in_current_span());
        judging.await.unwrap_or_else(|broke| match broke.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(AgeSessionError::InvalidState("the server is stopping".to_owned())),
        })
    }

    async fn process_wallet_response(
        &self,
        sealed: &str,
        sandbox: bool,
        body: &[u8],
    ) -> Result<Option<String>, AgeSessionError> {
        self.0.signer.ensure_key().await?;
        let (ticket, session, _) = self.open_wallet_request(sealed, sandbox).await?;
        let (block, attempt) =
            attempt_parts(&session, ticket.attempt).ok_or(AgeSessionError::StaleContinuation)?;
        let at = AttemptContext { session: &session, block, attempt, locale: "" };
        let verifier = self.providers(at).wallet.as_ref().ok_or(AgeSessionError::SessionNotFound)?;
        let request = self.build_wallet_request(verifier, &ticket, sealed, at);
        // What nobody can read was not made for this request, so the wallet may still answer.
        let posted = verifier.read_response(&request, body);
        let posted =
            posted.map_err(|unreadable| AgeSessionError::invalid("response", unreadable.to_string()))?;

        let now = self.0.world.now();
        self.update_wallet_progress(&ticket, |progress| {
            progress.accepts_response(now).then_some(WalletProgress { taken: Some(now), ..progress })
        })
        .await?;
        let came = WalletOutcome::of(verifier.judge_response(&request, posted).await);
        let next = self.evaluate_wallet_outcome(at, came);
        if ticket.same_device
            && matches!(next, StepOutcome::Prompt(_) | StepOutcome::Finished(AgeMethodVerdict::Passed { .. }))
        {
            self.update_wallet_progress(&ticket, |progress| {
                (progress.taken == Some(now)).then_some(WalletProgress { answered: true, ..progress })
            })
            .await?;
            let code = self.seal_response_code(ticket.attempt, came);
            return Ok(Some(format!("{}&response_code={code}", self.wallet_return_url(at))));
        }
        self.commit_wallet_outcome(&ticket, came).await?;
        Ok(ticket.same_device.then(|| self.wallet_return_url(at)))
    }

    /// Where a wallet on this device brings its holder. The attempt tells the page which of several is meant.
    fn wallet_return_url(&self, at: AttemptContext<'_>) -> String {
        format!("{}?attempt={}", self.return_url(at), at.attempt.id)
    }

    /// Moves an attempt on, where it may be moved.
    async fn update_wallet_progress(
        &self,
        ticket: &WalletRequestState,
        to: impl FnOnce(WalletProgress) -> Option<WalletProgress>,
    ) -> Result<(), AgeSessionError> {
        let (tx, mut held) = self.lock_live_session(ticket.session).await?;
        let begun = held.session.attempt.as_mut().filter(|begun| begun.id == ticket.attempt);
        let begun = begun.ok_or(AgeSessionError::StaleContinuation)?;
        begun.held = json!(to(WalletProgress::of(begun)).ok_or(AgeSessionError::StaleContinuation)?);
        self.commit_session(tx, held).await.map(|_| ())
    }

    /// Writes down what came of an answer. The page may take turns all the while, and none of them takes it away.
    async fn commit_wallet_outcome(
        &self,
        ticket: &WalletRequestState,
        came: WalletOutcome,
    ) -> Result<(), AgeSessionError> {
        for _ in 0..MAX_COMMIT_ATTEMPTS {
            let session = self.find_session(ticket.session).await?.ok_or(AgeSessionError::SessionNotFound)?;
            let (block, attempt) =
                attempt_parts(&session, ticket.attempt).ok_or(AgeSessionError::StaleContinuation)?;
            let next = self.evaluate_wallet_outcome(
                AttemptContext { session: &session, block, attempt, locale: "" },
                came,
            );
            match self.commit_step_outcome(ticket.session, ticket.attempt, attempt.turn, next, "").await {
                Err(AgeSessionError::StaleContinuation) => {}
                settled => return settled.map(|_| ()),
            }
        }
        Err(AgeSessionError::StaleContinuation)
    }

    /// Answers a request of the sandbox as its own wallet does.
    pub async fn respond_as_sandbox_wallet(
        &self,
        sealed: &str,
        choice: WalletChoice,
    ) -> Result<Option<String>, AgeSessionError> {
        let (ticket, session, _) = self.open_wallet_request(sealed, true).await?;
        let (block, attempt) =
            attempt_parts(&session, ticket.attempt).ok_or(AgeSessionError::StaleContinuation)?;
        let at = AttemptContext { session: &session, block, attempt, locale: "" };
        let verifier = self.providers(at).wallet.as_ref().ok_or(AgeSessionError::SessionNotFound)?;
        let request = self.build_wallet_request(verifier, &ticket, sealed, at);
        let body = verifier.sandbox_response(&request, choice).ok_or(AgeSessionError::SessionNotFound)?;
        self.submit_wallet_response(sealed, true, &body).await
    }

    /// What the browser that began an attempt brings back.
    fn seal_response_code(&self, attempt: AgeAttemptId, came: WalletOutcome) -> String {
        let plain = serde_json::to_vec(&came).expect("what came is JSON");
        let place = format!("{RESPONSE_CODE_AAD_PREFIX}{attempt}");
        BASE64URL.encode_to_string(self.0.vault.seal(&*self.0.world, place.as_bytes(), &plain))
    }

    fn open_response_code(&self, attempt: AgeAttemptId, code: &str) -> Option<WalletOutcome> {
        let sealed =
            BASE64URL.decode_to_vec(Some(code).filter(|code| code.len() <= MAX_SEALED_CHARS)?).ok()?;
        let place = format!("{RESPONSE_CODE_AAD_PREFIX}{attempt}");
        serde_json::from_slice(&self.0.vault.open(place.as_bytes(), &sealed).ok()?).ok()
    }
}

fn wallet_prompt(shown: WalletLinks) -> StepPrompt {
    let held = json!(shown);
    StepPrompt::new(
        AttemptStep::Wallet { url: shown.url, links: shown.links, poll_ms: POLL_INTERVAL_MS },
        held,
    )
}

/// Whether a photo may speak where the wallet does not: the business lets it, and the person has not said no.
fn may_estimate(at: AttemptContext<'_>) -> bool {
    let refused = at.session.consent.is_some_and(|consent| !consent.given);
    at.block.age_estimation_allowed == Some(true) && !(refused && at.session.requires_consent())
}

/// Why a wallet's answer shows nothing.
fn age_failure_reason(why: WalletFailureReason) -> AgeFailureReason {
    match why {
        WalletFailureReason::Declined => AgeFailureReason::Declined,
        WalletFailureReason::NoCredential => AgeFailureReason::NoCredential,
        WalletFailureReason::WalletError => AgeFailureReason::WalletError,
        WalletFailureReason::AgeNotTold => AgeFailureReason::AgeNotTold,
        WalletFailureReason::UntrustedIssuer => AgeFailureReason::UntrustedIssuer,
        WalletFailureReason::CredentialExpired => AgeFailureReason::CredentialExpired,
        WalletFailureReason::CredentialRevoked => AgeFailureReason::CredentialRevoked,
        WalletFailureReason::NotAccepted => AgeFailureReason::NotAccepted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_which_nothing_came_makes_room_for_another() {
        let now: Timestamp = "2026-11-22T12:00:00Z".parse().unwrap();
        let taken = WalletProgress { taken: Some(now), ..WalletProgress::default() };
        assert!(WalletProgress::default().accepts_response(now));
        assert!(!taken.accepts_response(now) && !taken.accepts_response(now + JUDGING_TIMEOUT));
        assert!(taken.accepts_response(now + JUDGING_TIMEOUT + SignedDuration::from_secs(1)));
        let answered = WalletProgress { answered: true, ..taken };
        assert!(!answered.accepts_response(now + SignedDuration::from_hours(1)));
        // As it was kept before that was noted.
        let old: WalletProgress =
            serde_json::from_value(json!({ "answered": true, "estimating": false })).unwrap();
        assert!(!old.accepts_response(now));
    }
}
