//! `la_wallet`: the page shows a code, which the person types into the app LA Wallet. Each code is a question to the
//! service, which is counted first, in the session: opening the method again asks for another one.

use super::{
    AgeMethodHandler, AttemptContext, AttemptStep, StepFuture, StepOutcome, StepPrompt, TurnInput,
    evaluate_answer, evaluate_error, not_configured, undecided,
};
use crate::age_verification::{
    AgeSessionError,
    attempt_budgets::{AttemptBudgets, Reservation},
    decision::AgeDecider,
    session::MethodAttempt,
    types::AgeFailureReason,
};
use age_methods::{
    AgeMethodError,
    la_wallet::{LaWalletAnswer, LaWalletProvider, LaWalletRequest},
};
use base::Environment;
use serde_json::Value;
use std::sync::Arc;

/// How often the page asks whether the app has answered, milliseconds.
const POLL_MS: u32 = 3000;

#[derive(Debug)]
pub(super) struct LaWalletMethod {
    pub(super) provider: Option<LaWalletProvider>,
    pub(super) environment: Arc<dyn Environment>,
    pub(super) decider: Arc<AgeDecider>,
    pub(super) budgets: Arc<AttemptBudgets>,
}

impl AgeMethodHandler for LaWalletMethod {
    fn is_available(&self) -> bool {
        self.provider.is_some()
    }

    fn open<'a>(&'a self, context: AttemptContext<'a>) -> StepFuture<'a> {
        Box::pin(self.begin(context))
    }

    fn process_turn<'a>(
        &'a self,
        context: AttemptContext<'a>,
        continuation: Value,
        _: &'a TurnInput,
    ) -> StepFuture<'a> {
        Box::pin(self.poll(context, continuation))
    }

    /// Nothing is typed on the page.
    fn is_status_poll(&self, _: &MethodAttempt, _: &TurnInput) -> bool {
        true
    }
}

impl LaWalletMethod {
    async fn begin(&self, context: AttemptContext<'_>) -> Result<StepOutcome, AgeSessionError> {
        let Some(provider) = &self.provider else { return Ok(not_configured()) };
        match self.budgets.reserve_question(context.session.id).await? {
            Reservation::Granted { .. } => {}
            Reservation::TooSoon { .. } | Reservation::Exhausted { .. } => {
                return Ok(undecided(AgeFailureReason::TooManyQuestions));
            }
        }
        let reference = context.session.wanted.reference_id.as_deref().unwrap_or_default();
        match provider.begin(context.config.threshold_years(), reference).await {
            Ok(request) => Ok(show(&request)),
            Err(error) => Ok(evaluate_error(context, error, not_configured)),
        }
    }

    async fn poll(
        &self,
        context: AttemptContext<'_>,
        continuation: Value,
    ) -> Result<StepOutcome, AgeSessionError> {
        let Some(provider) = &self.provider else { return Ok(not_configured()) };
        let request: LaWalletRequest =
            serde_json::from_value(continuation).map_err(|_| AgeSessionError::StaleContinuation)?;
        match provider.poll(&request, context.config.threshold_years()).await {
            // Asked all the same once its time is over: the page may have slept since somebody typed it. A code that
            // nobody typed says nothing about an age, and the service need not know it any more.
            Ok(LaWalletAnswer::Pending) | Err(AgeMethodError::Unavailable(_))
                if self.environment.now() >= request.until =>
            {
                Ok(undecided(AgeFailureReason::NotFound))
            }
            Ok(LaWalletAnswer::Pending) => Ok(show(&request)),
            Ok(LaWalletAnswer::Declined) => Ok(undecided(AgeFailureReason::Declined)),
            Ok(LaWalletAnswer::Found(evidence)) => {
                Ok(evaluate_answer(&self.decider, context, Ok(evidence), not_configured))
            }
            Err(error) => Ok(evaluate_error(context, error, not_configured)),
        }
    }
}

fn show(request: &LaWalletRequest) -> StepOutcome {
    let step = AttemptStep::AppCode { code: request.code.clone(), poll_ms: POLL_MS };
    let continuation = serde_json::to_value(request).expect("texts and times are JSON");
    StepOutcome::Prompt(StepPrompt::new(step, continuation))
}
