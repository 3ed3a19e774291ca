//! `digital_id`: a wallet presents a credential (OpenID4VP 1.0).
//!
//! The page shows an address, as a QR code and as a link, and polls. What the server must know of a request is sealed
//! into that address. Of the answer only the outcome is kept. The first readable answer counts, and no other.
//!
//! The address of the QR code and that of the link differ. The wallet that scans the code is on another device, and its
//! answer ends the attempt. The wallet that follows the link is on the same device. If its answer is as required, it is
//! told to send the end user back to the page with a code, and the attempt passes only when the browser that began it
//! brings that code. So nobody passes by talking a stranger into following the page's link. An answer that does not
//! pass ends the attempt at once; otherwise it could be suppressed by not coming back. Nothing can tell whether
//! somebody was talked into scanning a code, or into following the address in it.
//!
//! If the block accepts an estimated age (`age_estimation_allowed`) and the wallet shows none, the attempt continues
//! with a photo of the face.
//!
//! This file has the side of the page; [`wallet_requests`](crate::age_verification::wallet_requests) has that of the
//! wallet.

mod state;

pub(in crate::age_verification) use state::{WalletProgress, WalletRequestState};

use super::{
    AgeMethodHandler, AttemptContext, AttemptStep, EstimationMethod, StepFuture, StepOutcome, StepPrompt,
    TurnInput, broken, not_configured, ready, undecided,
};
use crate::age_verification::{
    AgeSessionError,
    continuation::ContinuationVault,
    decision::AgeDecider,
    session::MethodAttempt,
    types::{AgeFailureReason, AgeMethod, AgeSessionType},
    urls::AgePageUrls,
};
use age_methods::{
    AgeAttribute,
    wallet::{
        AgeQuery, PresentationRequest, RequestForm, WalletFailureReason, WalletFinding, WalletVerifier,
    },
};
use base::{AgeAttemptId, Environment, Secret};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use state::{MAX_SEALED_CHARS, WalletLinks};
use std::sync::Arc;

/// How often the page polls, milliseconds.
const POLL_INTERVAL_MS: u32 = 1500;

#[derive(Debug)]
pub(in crate::age_verification) struct WalletMethod {
    pub(super) verifier: Option<WalletVerifier>,
    pub(super) environment: Arc<dyn Environment>,
    pub(super) continuations: Arc<ContinuationVault>,
    pub(super) urls: AgePageUrls,
    /// Takes over if the wallet shows no age.
    pub(super) estimation: Arc<EstimationMethod>,
    pub(super) decider: Arc<AgeDecider>,
}

/// What a wallet's answer says, as it travels through the browser: no more than the relying party will learn.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(in crate::age_verification) enum WalletOutcome {
    /// Whether an age (years) is reached.
    Over(u8, bool),
    /// The age, years.
    Age(u8),
    /// The answer shows no age.
    Nothing(WalletFailureReason),
    /// The answer could not be evaluated for a technical reason.
    Unavailable,
}

impl WalletOutcome {
    pub(in crate::age_verification) fn of(finding: WalletFinding) -> Self {
        match finding {
            WalletFinding::Over { years, reached } => Self::Over(years, reached),
            WalletFinding::Age(years) => Self::Age(years),
            WalletFinding::Nothing(reason) => Self::Nothing(reason),
            WalletFinding::Unavailable(message) => {
                tracing::warn!(method = %AgeMethod::DigitalId, error = message, "a provider is unavailable");
                Self::Unavailable
            }
        }
    }
}

impl AgeMethodHandler for WalletMethod {
    fn is_available(&self) -> bool {
        self.verifier.is_some()
    }

    fn open<'a>(&'a self, context: AttemptContext<'a>) -> StepFuture<'a> {
        ready(self.prompt_new_request(context))
    }

    fn process_turn<'a>(
        &'a self,
        context: AttemptContext<'a>,
        continuation: Value,
        input: &'a TurnInput,
    ) -> StepFuture<'a> {
        Box::pin(async move {
            if WalletProgress::of(context.attempt).estimating {
                return self.estimate(context, continuation, input).await;
            }
            self.check_response_code(context, continuation, input)
        })
    }

    fn is_status_poll(&self, attempt: &MethodAttempt, input: &TurnInput) -> bool {
        !WalletProgress::of(attempt).estimating && input.returned.is_none()
    }

    fn may_end_while_polling(&self) -> bool {
        true
    }

    fn has_switched_to_estimation(&self, attempt: &MethodAttempt) -> bool {
        WalletProgress::of(attempt).estimating
    }
}

impl WalletMethod {
    /// Makes a request, and shows its addresses.
    fn prompt_new_request(&self, context: AttemptContext<'_>) -> StepOutcome {
        let Some(verifier) = &self.verifier else { return not_configured() };
        let mut seed = [0; 32];
        self.environment.fill_random(&mut seed);
        let seed = Secret::new(seed);
        let link = |scheme: &str, form: RequestForm, same_device: bool| {
            let (session, attempt) = (context.session.id, context.attempt.id);
            let state = WalletRequestState { session, attempt, same_device, form, seed: seed.clone() };
            let sealed = state.seal(&self.continuations);
            verifier.link(&self.request(verifier, &state, &sealed, context), scheme)
        };
        let schemes = verifier.schemes(age_query(context));
        let Some((scheme, form)) = schemes.first() else {
            return undecided(AgeFailureReason::AgeNotTold);
        };
        StepOutcome::Prompt(prompt(WalletLinks {
            url: link(scheme, *form, false),
            links: schemes.iter().map(|(scheme, form)| link(scheme, *form, true)).collect(),
        }))
    }

    /// The photo that is asked for in place of the wallet. Without one, the page asked again how to go on.
    async fn estimate(
        &self,
        context: AttemptContext<'_>,
        continuation: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        if input.photo.is_none() {
            return Ok(StepOutcome::Prompt(self.estimation.prompt(context)));
        }
        let has_consented = context.session.consent.is_some_and(|consent| consent.given);
        if !has_consented && context.session.requires_consent() {
            return Err(AgeSessionError::ConsentRequired);
        }
        self.estimation.estimate_age(context, continuation, input).await
    }

    /// Evaluates the code that a wallet on this device has sent the end user back with. Without one, or with that of
    /// another attempt, the page goes on polling.
    fn check_response_code(
        &self,
        context: AttemptContext<'_>,
        continuation: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let links: Option<WalletLinks> = serde_json::from_value(continuation).ok();
        let links = links.ok_or(AgeSessionError::StaleContinuation)?;
        let code = input.returned.as_ref().and_then(|returned| returned.get("response_code"));
        let outcome = code.and_then(|code| self.open_response_code(context.attempt.id, code));
        Ok(match outcome {
            Some(outcome) => self.evaluate(context, outcome),
            None => StepOutcome::Prompt(prompt(links)),
        })
    }

    /// What follows from a wallet's answer.
    pub(in crate::age_verification) fn evaluate(
        &self,
        context: AttemptContext<'_>,
        outcome: WalletOutcome,
    ) -> StepOutcome {
        let attribute = match outcome {
            WalletOutcome::Over(years, reached) => AgeAttribute::Over { years, reached },
            WalletOutcome::Age(years) => AgeAttribute::DateOfBirth(
                self.decider.today().saturating_sub(jiff::Span::new().years(i64::from(years))),
            ),
            WalletOutcome::Nothing(reason) if reason.is_no_answer() && may_estimate(context) => {
                let progress = WalletProgress { evaluating_since: None, answered: true, estimating: true };
                return StepOutcome::Prompt(StepPrompt {
                    attempt_state: Some(json!(progress)),
                    ..self.estimation.prompt(context)
                });
            }
            WalletOutcome::Nothing(reason) => return undecided(failure_reason(reason)),
            WalletOutcome::Unavailable => return broken(AgeFailureReason::ProviderUnavailable),
        };
        StepOutcome::Finished(self.decider.decide_from_evidence(
            attribute,
            &context.session.wanted,
            context.config,
            Some(self.decider.new_evidence_id()),
        ))
    }

    /// Whether requests go to a simulated wallet.
    pub(in crate::age_verification) fn is_simulated(&self) -> bool {
        self.verifier.as_ref().is_some_and(WalletVerifier::is_simulated)
    }

    /// The state in the address of a request. `None` if this server did not seal it.
    pub(in crate::age_verification) fn open_request_state(&self, sealed: &str) -> Option<WalletRequestState> {
        WalletRequestState::open(&self.continuations, sealed)
    }

    /// The request of an address, and who verifies the answer to it. `None` if wallets are no longer configured.
    pub(in crate::age_verification) fn request_of(
        &self,
        context: AttemptContext<'_>,
        state: &WalletRequestState,
        sealed: &str,
    ) -> Option<(&WalletVerifier, PresentationRequest)> {
        let verifier = self.verifier.as_ref()?;
        Some((verifier, self.request(verifier, state, sealed, context)))
    }

    fn request(
        &self,
        verifier: &WalletVerifier,
        state: &WalletRequestState,
        sealed: &str,
        context: AttemptContext<'_>,
    ) -> PresentationRequest {
        let address = self.urls.wallet_request(context.session.sandbox, sealed);
        verifier.request(&state.seed, address, state.form, age_query(context))
    }

    /// Where a wallet on this device sends the end user back to. The attempt tells the browser which of several pages
    /// is meant.
    pub(in crate::age_verification) fn return_url(&self, context: AttemptContext<'_>) -> String {
        format!("{}?attempt={}", self.urls.provider_return(context.session.sandbox), context.attempt.id)
    }

    /// The same, with the code that the browser is to bring to the page.
    pub(in crate::age_verification) fn return_url_with_code(
        &self,
        context: AttemptContext<'_>,
        outcome: WalletOutcome,
    ) -> String {
        let code = self.continuations.seal(&response_code_aad(context.attempt.id), &outcome);
        format!("{}&response_code={code}", self.return_url(context))
    }

    fn open_response_code(&self, attempt: AgeAttemptId, code: &str) -> Option<WalletOutcome> {
        let code = Some(code).filter(|code| code.len() <= MAX_SEALED_CHARS)?;
        self.continuations.open(&response_code_aad(attempt), code)
    }
}

fn response_code_aad(attempt: AgeAttemptId) -> Vec<u8> {
    format!("answer of a wallet to attempt {attempt}").into_bytes()
}

/// What the session asks the wallet.
fn age_query(context: AttemptContext<'_>) -> AgeQuery {
    match context.session.wanted.kind {
        AgeSessionType::Over => AgeQuery::Over(context.config.threshold_years()),
        AgeSessionType::Under => AgeQuery::Under(context.config.threshold_years()),
        AgeSessionType::Age => AgeQuery::Age,
    }
}

fn prompt(links: WalletLinks) -> StepPrompt {
    let continuation = json!(links);
    let WalletLinks { url, links } = links;
    StepPrompt::new(AttemptStep::Wallet { url, links, poll_ms: POLL_INTERVAL_MS }, continuation)
}

/// Whether a photo may take the place of the wallet: the relying party accepts that, and the end user has not refused
/// consent.
fn may_estimate(context: AttemptContext<'_>) -> bool {
    let has_refused = context.session.consent.is_some_and(|consent| !consent.given);
    context.config.age_estimation_allowed == Some(true)
        && !(has_refused && context.session.requires_consent())
}

fn failure_reason(reason: WalletFailureReason) -> AgeFailureReason {
    match reason {
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
