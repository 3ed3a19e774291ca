//! The ways to prove an age.
//!
//! [`AgeMethodHandler`] is what a method does; [`method_set`] lists the handlers of all fifteen methods. [`step`] is
//! what the page is asked for, and what it sends. The other files implement the handlers:
//!
//! | File | Methods |
//! |---|---|
//! | `estimation` | `age_estimation` |
//! | `document` | `doc_scan` |
//! | `card` | `credit_card` |
//! | `one_time_code` | `mobile`, `email` |
//! | `oidc` | `electronic_id`, `singpass` |
//! | `registry` | `social_security_number`, `us_florida_hb3`, `cpf` |
//! | `la_wallet` | `la_wallet` |
//! | `passkey` | `svc_key` |
//! | `wallet` | `digital_id` |
//! | `blind_token` | `double_anonymity` |
//! | `device_signal` | `device_signal` |
//!
//! A handler knows its providers, but neither how sessions are stored nor how outcomes are committed. It stores nothing
//! that an end user types or shows: what it must remember until the next turn travels through the page as a sealed
//! continuation, and the attempt only names what is larger, such as a document session.

mod blind_token;
mod card;
mod device_signal;
mod document;
mod estimation;
mod la_wallet;
mod method_set;
mod oidc;
mod one_time_code;
mod passkey;
mod registry;
mod step;
mod wallet;

pub(super) use blind_token::BlindTokenMethod;
pub(super) use device_signal::page_cannot as page_cannot_send_signals;
pub(super) use document::{DocumentMethod, SESSION_ENDED_REASON};
pub(super) use estimation::EstimationMethod;
pub(super) use method_set::{AgeMethodSets, SharedMethodParts};
pub(super) use one_time_code::evaluate_verified_email;
pub(super) use passkey::{PasskeyContinuation, PasskeyMethod};
pub use step::{AttemptStep, CodeChannel, HeadMovement, IdentityProviderOption, InputProblem, TurnInput};
pub(super) use wallet::{WalletMethod, WalletOutcome, WalletProgress, WalletRequestState};

use super::{
    AgeSessionError,
    decision::AgeDecider,
    session::{AgeMethodVerdict, AgeSession, EstimatedAge, MethodAttempt, SignalProvenance},
    session_config::AgeMethodConfig,
    types::{AgeFailureReason, InputProblemCode},
};
use age_methods::{AgeEvidence, AgeMethodError, InputFault, form::FormField};
use base::{AgeAttemptId, Timestamp};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::fmt;

/// The path of this server's secure capture protocol.
const SECURE_CAPTURE_PATH: &str = "/ai/sm/v1/secure/1";

/// What a handler does with a turn; refused if the input cannot be used and the end user cannot be asked to correct it.
type StepFuture<'a> = BoxFuture<'a, Result<StepOutcome, AgeSessionError>>;

/// How a method proves an age. A handler works either in production or in the sandbox, with the providers of that side.
pub(super) trait AgeMethodHandler: fmt::Debug + Send + Sync {
    /// Whether the method can be offered: what it needs is configured.
    fn is_available(&self) -> bool;

    /// Opens an attempt: says what the page is asked for first.
    fn open<'a>(&'a self, context: AttemptContext<'a>) -> StepFuture<'a>;

    /// Processes what the page sent. `continuation` is the [`StepPrompt::continuation_state`] of the step that it
    /// answers.
    fn process_turn<'a>(
        &'a self,
        context: AttemptContext<'a>,
        continuation: Value,
        input: &'a TurnInput,
    ) -> StepFuture<'a>;

    /// Whether a turn with this input only polls, so that it may be repeated.
    fn is_status_poll(&self, _attempt: &MethodAttempt, _input: &TurnInput) -> bool {
        false
    }

    /// Whether an attempt may end without a turn of the page: by a job, or by a wallet.
    fn may_end_while_polling(&self) -> bool {
        false
    }

    /// Whether the attempt asks for a photo of the face although the method as such uses none.
    fn has_switched_to_estimation(&self, _attempt: &MethodAttempt) -> bool {
        false
    }

    /// Deletes what was supplied for an attempt that has ended or was abandoned. `state` is its
    /// [`MethodAttempt::state`].
    fn discard<'a>(&'a self, _session: &'a AgeSession, _state: Value) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// An attempt, as a handler sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttemptContext<'a> {
    pub(super) session: &'a AgeSession,
    /// The terms on which the session allows the method.
    pub(super) config: &'a AgeMethodConfig,
    pub(super) attempt: &'a MethodAttempt,
    /// The language of the page, BCP 47; empty if no page is there.
    pub(super) locale: &'a str,
}

impl<'a> AttemptContext<'a> {
    /// The attempt of this id, which must be under way.
    pub(super) fn find(
        session: &'a AgeSession,
        attempt: AgeAttemptId,
        locale: &'a str,
    ) -> Result<Self, AgeSessionError> {
        let attempt = session.attempt.as_ref().filter(|current| current.id == attempt);
        let attempt = attempt.ok_or(AgeSessionError::StaleContinuation)?;
        let config = session.wanted.method_config(attempt.method);
        let config = config.ok_or(AgeSessionError::StaleContinuation)?;
        Ok(Self { session, config, attempt, locale })
    }
}

/// What follows from a turn.
#[derive(Debug)]
pub(super) enum StepOutcome {
    /// The page is asked for something.
    Prompt(StepPrompt),
    /// A check continues without the end user.
    Pending,
    /// The attempt ends with `verdict`, unless the token was redeemed before.
    RedeemToken {
        /// What the token is recognised by.
        token: [u8; 32],
        /// How long it must be remembered.
        until: Timestamp,
        verdict: AgeMethodVerdict,
    },
    /// The attempt ends with what a phone's system states, and who stands behind it.
    Signalled { verdict: AgeMethodVerdict, provenance: Option<SignalProvenance> },
    /// The attempt ends with what follows from an estimate.
    Estimated { verdict: AgeMethodVerdict, estimate: EstimatedAge },
    /// The attempt ends.
    Finished(AgeMethodVerdict),
}

/// What the page is asked for.
#[derive(Debug)]
pub(super) struct StepPrompt {
    pub(super) step: AttemptStep,
    /// Why the last input could not be used.
    pub(super) problem: Option<InputProblem>,
    /// What the method must remember until the next turn; it travels through the page, sealed.
    pub(super) continuation_state: Value,
    /// The new [`MethodAttempt::state`], if it changes.
    pub(super) attempt_state: Option<Value>,
    /// Whether the last input was a wrong code, which is counted.
    pub(super) wrong_code: bool,
}

impl StepPrompt {
    fn new(step: AttemptStep, continuation_state: Value) -> Self {
        Self { step, problem: None, continuation_state, attempt_state: None, wrong_code: false }
    }

    fn with_problem(self, problem: InputProblem) -> Self {
        Self { problem: Some(problem), ..self }
    }
}

/// What follows from a provider's answer. `prompt` asks for the input again if the end user can correct it.
fn evaluate_answer(
    decider: &AgeDecider,
    context: AttemptContext<'_>,
    answer: Result<AgeEvidence, AgeMethodError>,
    prompt: impl FnOnce() -> StepOutcome,
) -> StepOutcome {
    match answer {
        Ok(AgeEvidence { attribute, id }) => {
            let evidence_id = id.unwrap_or_else(|| decider.new_evidence_id());
            StepOutcome::Finished(decider.decide_from_evidence(
                attribute,
                &context.session.wanted,
                context.config,
                Some(evidence_id),
            ))
        }
        Err(error) => evaluate_error(context, error, prompt),
    }
}

/// What follows from an error. `prompt` asks for the input again if the end user can correct it.
fn evaluate_error(
    context: AttemptContext<'_>,
    error: AgeMethodError,
    prompt: impl FnOnce() -> StepOutcome,
) -> StepOutcome {
    match error {
        AgeMethodError::Input { field, fault } => {
            let code = match fault {
                InputFault::Required => InputProblemCode::Required,
                InputFault::Invalid => InputProblemCode::Invalid,
            };
            prompt_form_again(prompt(), InputProblem { field: Some(field), ..InputProblem::new(code) })
        }
        AgeMethodError::Inconclusive(message) => {
            tracing::debug!(method = %context.config.method, error = message, "a method was inconclusive");
            undecided(AgeFailureReason::NotFound)
        }
        AgeMethodError::Unavailable(message) => {
            tracing::warn!(method = %context.config.method, error = message, "a provider is unavailable");
            broken(AgeFailureReason::ProviderUnavailable)
        }
    }
}

fn undecided(code: AgeFailureReason) -> StepOutcome {
    StepOutcome::Finished(AgeMethodVerdict::Undecided { code })
}

fn broken(code: AgeFailureReason) -> StepOutcome {
    StepOutcome::Finished(AgeMethodVerdict::Broken { code })
}

/// The method was offered, and what it needs is no longer configured.
fn not_configured() -> StepOutcome {
    broken(AgeFailureReason::NotConfigured)
}

fn prompt_form(fields: &'static [FormField]) -> StepOutcome {
    StepOutcome::Prompt(StepPrompt::new(AttemptStep::Form { fields }, Value::Null))
}

/// The form, and why the last input could not be used.
fn prompt_form_again(form: StepOutcome, problem: InputProblem) -> StepOutcome {
    match form {
        StepOutcome::Prompt(prompt) => StepOutcome::Prompt(prompt.with_problem(problem)),
        other => other,
    }
}

/// An answer that needs no waiting.
fn ready<'a>(outcome: StepOutcome) -> StepFuture<'a> {
    Box::pin(std::future::ready(Ok(outcome)))
}
