//! `credit_card`: a card that is checked here, then by a card provider, which may send its holder to their bank.

use super::{Ask, At, Next, Step, TurnInput, ask_form, failed, not_set_up};
use crate::ages::{Ages, NotDone};
use ::methods::card::{Card, Checked, Held};
use serde_json::{Value, json};

pub(super) fn form() -> Next {
    ask_form(&Card::FORM)
}

impl Ages {
    pub(super) async fn check_card(
        &self,
        at: At<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<Next, NotDone> {
        let Some(provider) = &self.providers(at).card else { return Ok(not_set_up()) };
        // Back from the bank: it says nothing here, the provider is asked.
        if let Ok(held) = serde_json::from_value::<Held>(held) {
            let answer = provider.resume(&held).await;
            return Ok(self.answered(at, answer, form));
        }
        let card = match Card::read(input.typed()?, self.today()) {
            Ok(card) => card,
            Err(failure) => return Ok(failed(at, failure, form)),
        };
        match provider.check(&card, &self.return_address(at)).await {
            Ok(Checked::Done(evidence)) => Ok(self.answered(at, Ok(evidence), form)),
            Ok(Checked::Redirect { url, held }) => {
                Ok(Next::Ask(Ask::new(Step::Redirect { url }, json!(held))))
            }
            Err(failure) => Ok(failed(at, failure, form)),
        }
    }
}
