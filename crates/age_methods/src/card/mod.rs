//! Credit cards. Only adults can have one, so a card that its scheme accepts and whose funding is `credit` proves 18.
//!
//! Nothing is charged. Card numbers are held only during a call, in memory that is wiped, and are sent only to the
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
    /// The digits of the number. The caller is responsible for where they go.
    pub fn number(&self) -> &str {
        self.number.expose()
    }

    pub const FORM: [FormField; 3] = [
        FormField::new("number", FormFieldKind::Digits, "cc-number", 23),
        FormField::new("expiry", FormFieldKind::Text, "cc-exp", 7),
        FormField::new("code", FormFieldKind::Digits, "cc-csc", 4),
    ];

    pub fn read(fields: &FormValues, today: Date) -> Result<Self, AgeMethodError> {
        let number = CardNumber::parse(fields.text("number")?)?;
        let expiry = CardExpiry::parse(fields.text("expiry")?, today)?;
        let code = CardSecurityCode::parse(fields.text("code")?, number.scheme())?;
        Ok(Self { number, expiry, code })
    }
}

/// Which provider checks cards.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum CardProviderSettings {
    /// Stripe, or a service with the same API.
    Stripe(StripeSettings),
    /// A service that speaks the signed protocol of registries.
    Signed(SignedProtocolSettings),
    /// Simulated answers; no provider is called.
    Sandbox {},
}

/// The result of a check, or the redirect to the bank that it needs first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardCheckOutcome {
    Done(AgeEvidence),
    /// The bank wants to authenticate the holder; [`CardProvider::resume`] completes the check afterwards.
    Redirect {
        /// Where to send the holder.
        url: String,
        /// Pass this to [`CardProvider::resume`].
        held: PendingCardCheck,
    },
}

/// A check that waits for the bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingCardCheck {
    setup_intent: String,
}

/// A provider that checks cards, or its sandbox.
#[derive(Debug)]
pub struct CardProvider(Backend);

#[derive(Debug)]
enum Backend {
    Stripe(stripe::StripeClient),
    Signed(crate::registry::SignedProtocolClient),
    Sandbox(Arc<dyn Environment>),
}

impl CardProvider {
    /// Reads the secret files.
    pub fn open(
        settings: &CardProviderSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        Ok(Self(match settings {
            CardProviderSettings::Stripe(settings) => {
                Backend::Stripe(stripe::StripeClient::open(settings, fetcher, environment)?)
            }
            CardProviderSettings::Signed(settings) => {
                Backend::Signed(crate::registry::SignedProtocolClient::open(settings, fetcher, environment)?)
            }
            CardProviderSettings::Sandbox {} => Backend::Sandbox(environment.clone()),
        }))
    }

    /// Checks a card. If the bank redirects the holder, they come back to `return_url`.
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
            Backend::Sandbox(environment) => sandbox::check(card, &**environment, return_url),
        }
    }

    /// Completes a check after the holder came back from the bank.
    pub async fn resume(&self, held: &PendingCardCheck) -> Result<AgeEvidence, AgeMethodError> {
        match &self.0 {
            Backend::Stripe(stripe) => stripe.resume(held).await,
            Backend::Signed(_) => Err(AgeMethodError::unavailable("the card provider sends nobody on")),
            Backend::Sandbox(environment) => sandbox::resume(held, &**environment),
        }
    }
}
