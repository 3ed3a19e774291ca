//! Cards checked over the signed protocol of registries. The service's verdict says whether the card is a credit card.

use super::{CREDIT_CARD_AGE_YEARS, PaymentCard};
use crate::{
    AgeAttribute, AgeEvidence, AgeMethodError,
    registry::{RegistryQuestion, SignedProtocolClient},
};
use serde::Serialize;

#[derive(Serialize)]
struct CardSubject<'a> {
    number: &'a str,
    expiry_month: i8,
    expiry_year: i16,
    code: &'a str,
}

pub(super) async fn check(
    service: &SignedProtocolClient,
    card: &PaymentCard,
) -> Result<AgeEvidence, AgeMethodError> {
    let subject = CardSubject {
        number: card.number.expose(),
        expiry_month: card.expiry.month(),
        expiry_year: card.expiry.year(),
        code: card.code.expose(),
    };
    let found = service
        .ask(&RegistryQuestion { method: "credit_card", threshold: CREDIT_CARD_AGE_YEARS, subject: &subject })
        .await?;
    // A card that is not a credit card says nothing about its holder's age: adults have other cards too.
    if matches!(found.attribute, AgeAttribute::Over { reached: false, .. }) {
        return Err(AgeMethodError::inconclusive("the card is not a credit card"));
    }
    Ok(found)
}
