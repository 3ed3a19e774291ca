//! Identity databases: for mail addresses, social security numbers, Florida's HB 3 and CPF. They are queried over a
//! documented signed protocol (docs/PROVIDERS.md), or are services with interfaces of their own.

mod sandbox;
mod services;
mod signed_protocol;
mod subject;

pub use services::{
    AgeCheckerSettings, DiditSettings, IpQualityScoreSettings, SerproSettings, TrustfullSettings,
};
pub use signed_protocol::SignedProtocolSettings;
pub(crate) use signed_protocol::{RegistryQuestion, SignedProtocolClient, SignedVerdict};
pub use subject::{CpfHolder, EmailHolder, FloridaResident, RegistrySubject, SsnHolder};

use services::{AgeCheckerClient, DiditClient, IpQualityScoreClient, SerproClient, TrustfullClient};

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
    /// Serpro's Consulta CPF: `cpf`.
    Serpro(SerproSettings),
    /// Didit's Database Validation: `social_security_number`, `us_florida_hb3`, `cpf`.
    Didit(DiditSettings),
    /// AgeChecker.Net: `us_florida_hb3`.
    AgeChecker(AgeCheckerSettings),
    /// `IPQualityScore`'s email validation: `email`.
    IpQualityScore(IpQualityScoreSettings),
    /// Trustfull's Age Estimation: `email`.
    Trustfull(TrustfullSettings),
    /// Simulated answers; no registry is queried.
    Sandbox {},
}

impl RegistrySettings {
    /// The methods that a service answers; empty if it answers all.
    fn answers(&self) -> &'static [&'static str] {
        match self {
            Self::Signed(_) | Self::Sandbox {} => &[],
            Self::Serpro(_) => &["cpf"],
            Self::Didit(_) => &["social_security_number", "us_florida_hb3", "cpf"],
            Self::AgeChecker(_) => &["us_florida_hb3"],
            Self::IpQualityScore(_) | Self::Trustfull(_) => &["email"],
        }
    }
}

/// An identity database, or its sandbox.
#[derive(Debug)]
pub struct RegistryProvider(Backend);

#[derive(Debug)]
enum Backend {
    Signed(SignedProtocolClient),
    Serpro(Box<SerproClient>),
    Didit(DiditClient),
    AgeChecker(AgeCheckerClient),
    IpQualityScore(IpQualityScoreClient),
    Trustfull(TrustfullClient),
    Sandbox(Arc<dyn Environment>),
}

impl RegistryProvider {
    /// Reads the secret files. Refused if the service does not answer `method`, which is named as in questions.
    pub fn open(
        method: &str,
        settings: &RegistrySettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let answers = settings.answers();
        if !answers.is_empty() && !answers.contains(&method) {
            let words = format!("this service answers {}, not {method}", answers.join(", "));
            return Err(InvalidSettingError::new("provider", words));
        }
        Ok(Self(match settings {
            RegistrySettings::Signed(settings) => {
                Backend::Signed(SignedProtocolClient::open(settings, fetcher, environment)?)
            }
            RegistrySettings::Serpro(settings) => {
                Backend::Serpro(Box::new(SerproClient::open(settings, fetcher, environment)?))
            }
            RegistrySettings::Didit(settings) => {
                Backend::Didit(DiditClient::open(settings, fetcher, environment)?)
            }
            RegistrySettings::AgeChecker(settings) => {
                Backend::AgeChecker(AgeCheckerClient::open(settings, fetcher, environment)?)
            }
            RegistrySettings::IpQualityScore(settings) => {
                Backend::IpQualityScore(IpQualityScoreClient::open(settings, fetcher, environment)?)
            }
            RegistrySettings::Trustfull(settings) => {
                Backend::Trustfull(TrustfullClient::open(settings, fetcher, environment)?)
            }
            RegistrySettings::Sandbox {} => Backend::Sandbox(environment.clone()),
        }))
    }

    /// Asks whether the person has reached `years`, 1 to 120.
    pub async fn ask(&self, subject: &RegistrySubject, years: u8) -> Result<AgeEvidence, AgeMethodError> {
        match &self.0 {
            Backend::Signed(signed) => {
                signed.ask(&RegistryQuestion { method: subject.method(), threshold: years, subject }).await
            }
            Backend::Serpro(serpro) => serpro.ask(subject).await,
            Backend::Didit(didit) => didit.ask(subject).await,
            Backend::AgeChecker(checker) => checker.ask(subject, years).await,
            Backend::IpQualityScore(score) => score.ask(subject, years).await,
            Backend::Trustfull(trustfull) => trustfull.ask(subject).await,
            Backend::Sandbox(environment) => sandbox::outcome(subject).answer(years, &**environment),
        }
    }
}
