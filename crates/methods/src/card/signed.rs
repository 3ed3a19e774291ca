//! Cards by the signed protocol of registries. The service says whether the card is a credit card, by the verdict.

use super::{Card, PROVES};
use crate::{
    Evidence, Failure, Known,
    registry::{Question, Signed},
};
use serde::Serialize;

#[derive(Serialize)]
struct Subject<'a> {
    number: &'a str,
    expiry_month: i8,
    expiry_year: i16,
    code: &'a str,
}

pub(super) async fn check(service: &Signed, card: &Card) -> Result<Evidence, Failure> {
    let subject = Subject {
        number: card.number.expose(),
        expiry_month: card.expiry.month(),
        expiry_year: card.expiry.year(),
        code: card.code.expose(),
    };
    let found =
        service.ask(&Question { method: "credit_card", threshold: PROVES, subject: &subject }).await?;
    // That a card is none of an adult's says nothing about who holds it: parents have adults' cards, and adults have others.
    if matches!(found.known, Known::Over { is: false, .. }) {
        return Err(Failure::unknown("the card is no credit card"));
    }
    Ok(found)
}
