//! Identity databases, queried over a documented signed protocol (docs/PROVIDERS.md): for mail addresses, social
//! security numbers, Florida's HB 3, LA Wallet and CPF.

mod sandbox;
mod signed_protocol;
mod subject;

pub use signed_protocol::SignedProtocolSettings;
pub(crate) use signed_protocol::{RegistryQuestion, SignedProtocolClient};
pub use subject::{
    CpfHolder, EmailHolder, FloridaResident, LouisianaLicenceHolder, RegistrySubject, SsnHolder,
};

use crate::{AgeEvidence, AgeMethodError, InvalidSettingError};
use base::Environment;
use media::fetch::Fetcher;
use serde::Deserialize;
use std::sync::Arc;

/// Which registry is queried.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum RegistrySettings {
    /// A service that speaks the signed protocol.
    Signed(SignedProtocolSettings),
    /// Simulated answers; no registry is queried.
    Sandbox {},
}

/// An identity database, or its sandbox.
#[derive(Debug)]
pub struct RegistryProvider(Backend);

#[derive(Debug)]
enum Backend {
    Signed(SignedProtocolClient),
    Sandbox(Arc<dyn Environment>),
}

impl RegistryProvider {
    /// Reads the secret file.
    pub fn open(
        settings: &RegistrySettings,
        fetcher: &Fetcher,
        world: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        Ok(Self(match settings {
            RegistrySettings::Signed(settings) => {
                Backend::Signed(SignedProtocolClient::open(settings, fetcher, world)?)
            }
            RegistrySettings::Sandbox {} => Backend::Sandbox(world.clone()),
        }))
    }

    /// Asks whether the person has reached `years`, 1 to 120.
    pub async fn ask(&self, subject: &RegistrySubject, years: u8) -> Result<AgeEvidence, AgeMethodError> {
        match &self.0 {
            Backend::Signed(signed) => {
                signed.ask(&RegistryQuestion { method: subject.method(), threshold: years, subject }).await
            }
            Backend::Sandbox(world) => sandbox::outcome(subject).answer(years, &**world),
        }
    }
}
