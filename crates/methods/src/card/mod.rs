//! Credit cards: only adults get one, so a card that its scheme lets through and that is of the kind `credit` proves 18.
//!
//! Nothing is charged. Numbers are held for the length of a call, in memory that is wiped, and reach nobody but the
//! provider.

mod sandbox;
mod signed;
mod stripe;

pub use stripe::StripeSettings;

use crate::{
    BadSettings, Evidence, Failure,
    fields::{Field, Fields, Kind},
    numbers::{CardNumber, Expiry, SecurityCode},
    registry::SignedSettings,
};
use base::World;
use jiff::civil::Date;
use media::fetch::Fetcher;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The age that a credit card proves, in years.
pub const PROVES: u8 = 18;

/// A card as a person typed it.
#[derive(Clone, Debug)]
pub struct Card {
    number: CardNumber,
    expiry: Expiry,
    code: SecurityCode,
}

impl Card {
    /// What the form asks for.
    pub const FORM: [Field; 3] = [
        Field::new("number", Kind::Digits, "cc-number", 23),
        Field::new("expiry", Kind::Text, "cc-exp", 7),
        Field::new("code", Kind::Digits, "cc-csc", 4),
    ];

    /// Reads the form.
    pub fn read(fields: &Fields, today: Date) -> Result<Self, Failure> {
        let number = CardNumber::parse(fields.text("number")?)?;
        let expiry = Expiry::parse(fields.text("expiry")?, today)?;
        let code = SecurityCode::parse(fields.text("code")?, number.scheme())?;
        Ok(Self { number, expiry, code })
    }
}

/// Who is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum Settings {
    /// Stripe, or a service that speaks its language.
    Stripe(StripeSettings),
    /// A service that speaks the signed protocol of registries.
    Signed(SignedSettings),
    /// Nobody.
    Sandbox {},
}

/// How far a check came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// It is over.
    Done(Evidence),
    /// The bank wants to ask the holder itself; afterwards [`Provider::resume`] goes on.
    Redirect {
        /// Where the holder goes.
        url: String,
        /// What [`Provider::resume`] wants back.
        held: Held,
    },
}

/// A check that waits for the bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    setup_intent: String,
}

/// Who checks cards.
#[derive(Debug)]
pub struct Provider(Which);

#[derive(Debug)]
enum Which {
    Stripe(stripe::Stripe),
    Signed(crate::registry::Signed),
    Sandbox(Arc<dyn World>),
}

impl Provider {
    /// Reads the secrets.
    pub fn open(settings: &Settings, fetcher: &Fetcher, world: &Arc<dyn World>) -> Result<Self, BadSettings> {
        Ok(Self(match settings {
            Settings::Stripe(settings) => Which::Stripe(stripe::Stripe::open(settings, fetcher, world)?),
            Settings::Signed(settings) => {
                Which::Signed(crate::registry::Signed::open(settings, fetcher, world)?)
            }
            Settings::Sandbox {} => Which::Sandbox(world.clone()),
        }))
    }

    /// Checks a card. Where the bank sends the holder on, it sends them back to `return_url`.
    pub async fn check(&self, card: &Card, return_url: &str) -> Result<Checked, Failure> {
        match &self.0 {
            Which::Stripe(stripe) => stripe.check(card, return_url).await,
            Which::Signed(service) => signed::check(service, card).await.map(Checked::Done),
            Which::Sandbox(world) => sandbox::check(card, &**world, return_url),
        }
    }

    /// Goes on with a check after the bank asked the holder.
    pub async fn resume(&self, held: &Held) -> Result<Evidence, Failure> {
        match &self.0 {
            Which::Stripe(stripe) => stripe.resume(held).await,
            Which::Signed(_) => Err(Failure::unavailable("the card provider sends nobody on")),
            Which::Sandbox(world) => sandbox::resume(held, &**world),
        }
    }
}
