//! `credit_card`: the card's form is checked here, then a card provider checks the card and may send its holder to
//! their bank.

use super::{
    AgeMethodHandler, AttemptContext, AttemptStep, StepFuture, StepOutcome, StepPrompt, TurnInput,
    evaluate_answer, evaluate_error, not_configured, prompt_form, ready,
};
use crate::age_verification::{AgeSessionError, decision::AgeDecider};
use age_methods::card::{CardCheckOutcome, CardProvider, PaymentCard, PendingCardCheck};
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct CardMethod {
    pub(super) provider: Option<CardProvider>,
    /// Where the bank sends the end user back to.
    pub(super) return_url: String,
    pub(super) decider: Arc<AgeDecider>,
}

impl AgeMethodHandler for CardMethod {
    fn is_available(&self) -> bool {
        self.provider.is_some()
    }

    fn open<'a>(&'a self, _: AttemptContext<'a>) -> StepFuture<'a> {
        ready(form())
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
        match provider.check(&card, &self.return_url).await {
            Ok(CardCheckOutcome::Done(evidence)) => {
                Ok(evaluate_answer(&self.decider, context, Ok(evidence), form))
            }
            Ok(CardCheckOutcome::Redirect { url, held }) => {
                Ok(StepOutcome::Prompt(StepPrompt::new(AttemptStep::Redirect { url }, json!(held))))
            }
            Err(error) => Ok(evaluate_error(context, error, form)),
        }
    }
}

fn form() -> StepOutcome {
    prompt_form(&PaymentCard::FORM)
}
