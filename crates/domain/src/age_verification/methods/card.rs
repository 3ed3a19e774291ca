//! `credit_card`: a card that is checked here, then by a card provider, which may send its holder to their bank.

use super::{
    AttemptContext, AttemptStep, StepOutcome, StepPrompt, TurnInput, evaluate_failure, not_configured,
    prompt_form,
};
use crate::age_verification::{AgeSessionError, AgeVerificationService};
use age_methods::card::{CardCheckOutcome, PaymentCard, PendingCardCheck};
use serde_json::{Value, json};

pub(super) fn form() -> StepOutcome {
    prompt_form(&PaymentCard::FORM)
}

impl AgeVerificationService {
    pub(super) async fn check_card(
        &self,
        at: AttemptContext<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let Some(provider) = &self.providers(at).card else { return Ok(not_configured()) };
        // Back from the bank: it says nothing here, the provider is asked.
        if let Ok(held) = serde_json::from_value::<PendingCardCheck>(held) {
            let answer = provider.resume(&held).await;
            return Ok(self.evaluate_answer(at, answer, form));
        }
        let card = match PaymentCard::read(input.require_fields()?, self.today()) {
            Ok(card) => card,
            Err(failure) => return Ok(evaluate_failure(at, failure, form)),
        };
        match provider.check(&card, &self.return_url(at)).await {
            Ok(CardCheckOutcome::Done(evidence)) => Ok(self.evaluate_answer(at, Ok(evidence), form)),
            Ok(CardCheckOutcome::Redirect { url, held }) => {
                Ok(StepOutcome::Prompt(StepPrompt::new(AttemptStep::Redirect { url }, json!(held))))
            }
            Err(failure) => Ok(evaluate_failure(at, failure, form)),
        }
    }
}
