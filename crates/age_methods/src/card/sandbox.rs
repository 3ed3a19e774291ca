//! Simulated outcomes by card number; the numbers are test numbers that payment providers publish.

use super::{CREDIT_CARD_AGE_YEARS, CardCheckOutcome, PaymentCard, PendingCardCheck};
use crate::{AgeEvidence, AgeMethodError, sandbox::SandboxAnswer};
use base::Environment;

/// Setup intent id of a sandbox check that waits for the bank.
const WAITING_SETUP_INTENT: &str = "sandbox-waiting";

pub(super) fn check(
    card: &PaymentCard,
    environment: &dyn Environment,
    return_url: &str,
) -> Result<CardCheckOutcome, AgeMethodError> {
    let outcome = match card.number.expose() {
        "4000000000000002" => return Err(AgeMethodError::inconclusive("the sandbox's card is declined")),
        "4000056655665556" => return Err(AgeMethodError::inconclusive("the card is not a credit card")),
        "4000000000000127" => return Err(AgeMethodError::invalid("code")),
        "4000000000009995" => SandboxAnswer::Unavailable,
        // There is no bank: redirect the holder straight to the return URL.
        "4000002500003155" => {
            let held = PendingCardCheck { setup_intent: WAITING_SETUP_INTENT.to_owned() };
            return Ok(CardCheckOutcome::Redirect { url: return_url.to_owned(), held });
        }
        _ => SandboxAnswer::Over,
    };
    outcome.answer(CREDIT_CARD_AGE_YEARS, environment).map(CardCheckOutcome::Done)
}

pub(super) fn resume(
    held: &PendingCardCheck,
    environment: &dyn Environment,
) -> Result<AgeEvidence, AgeMethodError> {
    if held.setup_intent == WAITING_SETUP_INTENT {
        SandboxAnswer::Over.answer(CREDIT_CARD_AGE_YEARS, environment)
    } else {
        Err(AgeMethodError::unavailable("the sandbox knows no such check"))
    }
}
