//! Credit cards: only adults get one, so a card that its scheme lets through and that is of the kind `credit` proves 18.
//!
//! Nothing is charged. Numbers are held for the length of a call, in memory that is wiped, and reach nobody but the
//! provider.

mod sandbox;
mod signed_protocol;
mod stripe;

pub use stripe::StripeSettings;

use crate::{
    AgeEvidence, AgeMethodError, InvalidSettingError,
    form::{FormField, FormFieldKind, FormValues},
    identifiers::{CardExpiry, CardNumber, CardSecurityCode},
    registry::SignedProtocolSettings,
};
use base::Environment;
use jiff::civil::Date;
use media::fetch::Fetcher;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The age that a credit card proves, in years.
pub const CREDIT_CARD_AGE_YEARS: u8 = 18;

/// A card as a person typed it.
#[derive(Clone, Debug)]
pub struct PaymentCard {
    number: CardNumber,
    expiry: CardExpiry,
    code: CardSecurityCode,
}

impl PaymentCard {
    /// What the form asks for.
    pub const FORM: [FormField; 3] = [
        FormField::new("number", FormFieldKind::Digits, "cc-number", 23),
        FormField::new("expiry", FormFieldKind::Text, "cc-exp", 7),
        FormField::new("code", FormFieldKind::Digits, "cc-csc", 4),
    ];

    /// Reads the form.
    pub fn read(fields: &FormValues, today: Date) -> Result<Self, AgeMethodError> {
        let number = CardNumber::parse(fields.text("number")?)?;
        let expiry = CardExpiry::parse(fields.text("expiry")?, today)?;
        let code = CardSecurityCode::parse(fields.text("code")?, number.scheme())?;
        Ok(Self { number, expiry, code })
    }
}

/// Who is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum CardProviderSettings {
    /// Stripe, or a service that speaks its language.
    Stripe(StripeSettings),
    /// A service that speaks the signed protocol of registries.
    Signed(SignedProtocolSettings),
    /// Nobody.
    Sandbox {},
}

/// How far a check came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardCheckOutcome {
    /// It is over.
    Done(AgeEvidence),
    /// The bank wants to ask the holder itself; afterwards [`CardProvider::resume`] goes on.
    Redirect {
        /// Where the holder goes.
        url: String,
        /// What [`CardProvider::resume`] wants back.
        held: PendingCardCheck,
    },
}

/// A check that waits for the bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingCardCheck {
    setup_intent: String,
}

/// Who checks cards.
#[derive(Debug)]
pub struct CardProvider(Backend);

#[derive(Debug)]
enum Backend {
    Stripe(stripe::StripeClient),
    Signed(crate::registry::SignedProtocolClient),
    Sandbox(Arc<dyn Environment>),
}

impl CardProvider {
    /// Reads the secrets.
    pub fn open(
        settings: &CardProviderSettings,
        fetcher: &Fetcher,
        world: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        Ok(Self(match settings {
            CardProviderSettings::Stripe(settings) => {
                Backend::Stripe(stripe::StripeClient::open(settings, fetcher, world)?)
            }
            CardProviderSettings::Signed(settings) => {
                Backend::Signed(crate::registry::SignedProtocolClient::open(settings, fetcher, world)?)
            }
            CardProviderSettings::Sandbox {} => Backend::Sandbox(world.clone()),
        }))
    }

    /// Checks a card. Where the bank sends the holder on, it sends them back to `return_url`.
    pub async fn check(
        &self,
        card: &PaymentCard,
        return_url: &str,
    ) -> Result<CardCheckOutcome, AgeMethodError> {
        match &self.0 {
            Backend::Stripe(stripe) => stripe.check(card, return_url).await,
            Backend::Signed(service) => {
                signed_protocol::check(service, card).await.map(CardCheckOutcome::Done)
            }
            Backend::Sandbox(world) => sandbox::check(card, &**world, return_url),
        }
    }

    /// Goes on with a check after the bank asked the holder.
    pub async fn resume(&self, held: &PendingCardCheck) -> Result<AgeEvidence, AgeMethodError> {
        match &self.0 {
            Backend::Stripe(stripe) => stripe.resume(held).await,
            Backend::Signed(_) => Err(AgeMethodError::unavailable("the card provider sends nobody on")),
            Backend::Sandbox(world) => sandbox::resume(held, &**world),
        }
    }
}
