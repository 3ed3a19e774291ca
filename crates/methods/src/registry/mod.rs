//! Databases of identities, asked by a documented signed protocol (docs/PROVIDERS.md): for mail addresses, social security
//! numbers, Florida's HB 3, LA Wallet and CPF.

mod protocol;
mod sandbox;
mod subject;

pub use protocol::SignedSettings;
pub(crate) use protocol::{Question, Signed};
pub use subject::{Email, LaWallet, SocialSecurityNumber, Subject, Taxpayer, UsFloridaHb3};

use crate::{BadSettings, Evidence, Failure};
use base::World;
use media::fetch::Fetcher;
use serde::Deserialize;
use std::sync::Arc;

/// Who is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum Settings {
    /// A service that speaks the signed protocol.
    Signed(SignedSettings),
    /// Nobody.
    Sandbox {},
}

/// A database of identities.
#[derive(Debug)]
pub struct Provider(Kind);

#[derive(Debug)]
enum Kind {
    Signed(Signed),
    Sandbox(Arc<dyn World>),
}

impl Provider {
    /// Reads the secret.
    pub fn open(settings: &Settings, fetcher: &Fetcher, world: &Arc<dyn World>) -> Result<Self, BadSettings> {
        Ok(Self(match settings {
            Settings::Signed(settings) => Kind::Signed(Signed::open(settings, fetcher, world)?),
            Settings::Sandbox {} => Kind::Sandbox(world.clone()),
        }))
    }

    /// Asks whether somebody is `years` old, 1 to 120.
    pub async fn ask(&self, subject: &Subject, years: u8) -> Result<Evidence, Failure> {
        match &self.0 {
            Kind::Signed(signed) => {
                signed.ask(&Question { method: subject.method(), threshold: years, subject }).await
            }
            Kind::Sandbox(world) => sandbox::outcome(subject).answer(years, &**world),
        }
    }
}
