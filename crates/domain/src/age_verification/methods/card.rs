//! `credit_card`: the card's form is checked here, then a card provider checks the card and may send its holder to
//! their bank. Each question to the provider is counted first, in the session and for the card, so that no session is of
//! use to find out what belongs to a card number.

use super::{
    AgeMethodHandler, AttemptContext, AttemptStep, InputProblem, StepFuture, StepOutcome, StepPrompt,
    TurnInput, evaluate_answer, evaluate_error, not_configured, prompt_form, prompt_form_again, ready,
    undecided,
};
use crate::age_verification::{
    AgeSessionError,
    attempt_budgets::{AttemptBudgets, Reservation},
    decision::AgeDecider,
    types::AgeFailureReason,
};
use age_methods::{
    AgeMethodError,
    card::{CardCheckOutcome, CardProvider, PaymentCard, PendingCardCheck},
};
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct CardMethod {
    pub(super) provider: Option<CardProvider>,
    /// Where the bank sends the end user back to.
    pub(super) return_url: String,
    pub(super) decider: Arc<AgeDecider>,
    pub(super) budgets: Arc<AttemptBudgets>,
}

impl AgeMethodHandler for CardMethod {
    fn is_available(&self) -> bool {
        self.provider.is_some()
    }

    fn open<'a>(&'a self, context: AttemptContext<'a>) -> StepFuture<'a> {
        let has_cards_left = self.budgets.has_cards_left(context.session.cards_checked);
        ready(if has_cards_left { form() } else { undecided(AgeFailureReason::TooManyCards) })
    }

    fn process_turn<'a>(
        &'a self,
        context: AttemptContext<'a>,
        continuation: Value,
        input: &'a TurnInput,
    ) -> StepFuture<'a> {
        Box::pin(self.check_card(context, continuation, input))
    }
}

impl CardMethod {
    async fn check_card(
        &self,
        context: AttemptContext<'_>,
        continuation: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let Some(provider) = &self.provider else { return Ok(not_configured()) };
        // The redirect back from the bank carries no result; ask the provider.
        if let Ok(pending) = serde_json::from_value::<PendingCardCheck>(continuation) {
            let answer = provider.resume(&pending).await;
            return Ok(evaluate_answer(&self.decider, context, answer, form));
        }
        let card = match PaymentCard::read(input.require_fields()?, self.decider.today()) {
            Ok(card) => card,
            Err(error) => return Ok(evaluate_error(context, error, form)),
        };
        let remaining = match self.budgets.reserve_card(context.session.id, card.number()).await? {
            Reservation::Granted { remaining } => remaining,
            Reservation::TooSoon { .. } | Reservation::Exhausted { .. } => {
                return Ok(undecided(AgeFailureReason::TooManyCards));
            }
        };
        match provider.check(&card, &self.return_url).await {
            Ok(CardCheckOutcome::Done(evidence)) => {
                Ok(evaluate_answer(&self.decider, context, Ok(evidence), form))
            }
            Ok(CardCheckOutcome::Redirect { url, held }) => {
                Ok(StepOutcome::Prompt(StepPrompt::new(AttemptStep::Redirect { url }, json!(held))))
            }
            // What the provider refuses was a try, whichever field it names.
            Err(AgeMethodError::Input { .. }) if remaining == 0 => {
                Ok(undecided(AgeFailureReason::TooManyCards))
            }
            Err(error) => Ok(match evaluate_error(context, error, form) {
                StepOutcome::Prompt(StepPrompt { problem: Some(problem), .. }) => {
                    prompt_form_again(form(), InputProblem { remaining: Some(remaining), ..problem })
                }
                other => other,
            }),
        }
    }
}

fn form() -> StepOutcome {
    prompt_form(&PaymentCard::FORM)
}
