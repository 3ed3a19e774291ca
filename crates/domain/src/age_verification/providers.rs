//! The providers behind the methods: those of the operator, or simulated ones in the sandbox.

use super::{blind_tokens, types::AgeMethod};
use age_methods::{
    InvalidSettingError, card, device_signal, identifiers::CallingCode, la_wallet, mobile_operator, oidc,
    passkey, registry, sms, wallet,
};
use base::Environment;
use media::fetch::Fetcher;
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};

/// The operator's providers; what is not set up is not offered.
#[derive(Clone, Debug, Default)]
pub struct ProviderSettings {
    /// Who checks credit cards.
    pub credit_card: Option<card::CardProviderSettings>,
    /// Who reaches phones, and who knows their owners.
    pub mobile: Option<MobileSettings>,
    /// Who knows mail addresses; with a mail server.
    pub email: Option<registry::RegistrySettings>,
    /// Who knows social security numbers.
    pub social_security_number: Option<registry::RegistrySettings>,
    /// Who answers for Florida's HB 3.
    pub us_florida_hb3: Option<registry::RegistrySettings>,
    /// Who answers for LA Wallet.
    pub la_wallet: Option<la_wallet::LaWalletSettings>,
    /// Who knows taxpayers of Brazil.
    pub cpf: Option<registry::RegistrySettings>,
    /// Identity providers, by their ids.
    pub electronic_id: BTreeMap<String, oidc::IdentityProviderSettings>,
    /// Singpass.
    pub singpass: Option<oidc::IdentityProviderSettings>,
    /// Who asks wallets.
    pub digital_id: Option<wallet::WalletSettings>,
    /// Whose passkeys are; the server's own name where nothing is said.
    pub svc_key: Option<passkey::PasskeySettings>,
    /// Who issues blind tokens. The sandbox has keys of its own under the same settings.
    pub double_anonymity: Option<blind_tokens::BlindTokenSettings>,
    /// Whose apps send what a phone's system states.
    pub device_signal: Option<device_signal::DeviceSignalSettings>,
}

/// Who reaches phones, and who knows their owners.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MobileSettings {
    /// The calling code of numbers that are typed without one.
    pub home: Option<CallingCode>,
    /// Who sends codes.
    pub sender: sms::SmsSettings,
    /// Who knows the ages of subscribers.
    pub operator: mobile_operator::MobileOperatorSettings,
}

/// A setting of a provider cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("ages.{provider}.{cause}")]
pub struct ProviderSettingsError {
    /// The part of the settings that it is in, as `mobile.sender`.
    pub provider: String,
    pub cause: InvalidSettingError,
}

impl ProviderSettingsError {
    pub(super) fn new(provider: &str, cause: InvalidSettingError) -> Self {
        Self { provider: provider.to_owned(), cause }
    }
}

/// Clients of the providers of production or of the sandbox; absent where nothing is configured.
#[derive(Debug)]
pub(super) struct Providers {
    pub(super) card: Option<card::CardProvider>,
    pub(super) mobile: Option<MobileProviders>,
    pub(super) email: Option<registry::RegistryProvider>,
    pub(super) social_security_number: Option<registry::RegistryProvider>,
    pub(super) us_florida_hb3: Option<registry::RegistryProvider>,
    pub(super) la_wallet: Option<la_wallet::LaWalletProvider>,
    pub(super) cpf: Option<registry::RegistryProvider>,
    pub(super) electronic_id: Vec<oidc::IdentityProvider>,
    pub(super) singpass: Option<oidc::IdentityProvider>,
    pub(super) wallet: Option<wallet::WalletVerifier>,
    pub(super) device_signal: Option<device_signal::DeviceSignalVerifier>,
}

/// What the method `mobile` needs.
#[derive(Debug)]
pub(super) struct MobileProviders {
    /// Sends codes.
    pub(super) sender: sms::SmsSender,
    /// Knows the ages of subscribers.
    pub(super) operator: mobile_operator::MobileOperator,
    /// The calling code of numbers that are typed without one.
    pub(super) home: Option<CallingCode>,
}

impl ProviderSettings {
    /// Simulated providers, whose answers depend on what is typed (docs/PROVIDERS.md). The operator's identity
    /// providers are simulated under their own ids as well, so that a request need not be changed to be tried.
    pub(super) fn sandbox(production: &Self) -> Self {
        use oidc::OidcSandboxOutcome::{Declined, Over, Unavailable, Under};
        let registry = Some(registry::RegistrySettings::Sandbox {});
        let identity_provider =
            |name: &str, outcome| oidc::IdentityProviderSettings::Sandbox { name: name.to_owned(), outcome };
        let simulated = production
            .electronic_id
            .iter()
            .map(|(id, settings)| (id.clone(), identity_provider(settings.name(), Over)));
        Self {
            credit_card: Some(card::CardProviderSettings::Sandbox {}),
            mobile: Some(MobileSettings {
                home: None,
                sender: sms::SmsSettings::Sandbox {},
                operator: mobile_operator::MobileOperatorSettings::Sandbox {},
            }),
            email: registry.clone(),
            social_security_number: registry.clone(),
            us_florida_hb3: registry.clone(),
            la_wallet: Some(la_wallet::LaWalletSettings::Sandbox {}),
            cpf: registry,
            electronic_id: [
                ("over", identity_provider("Old enough", Over)),
                ("under", identity_provider("Too young", Under)),
                ("declined", identity_provider("Says no", Declined)),
                ("unavailable", identity_provider("Is away", Unavailable)),
            ]
            .map(|(id, settings)| (id.to_owned(), settings))
            .into_iter()
            .chain(simulated)
            .collect(),
            singpass: Some(identity_provider("Singpass", Over)),
            digital_id: Some(wallet::WalletSettings::Sandbox {}),
            svc_key: None,
            double_anonymity: None,
            device_signal: Some(device_signal::DeviceSignalSettings::Sandbox {}),
        }
    }
}

impl Providers {
    /// Opens a client for each provider that is configured, which reads the files that the settings name. `public_url`
    /// is where wallets reach this server.
    pub(super) fn open(
        settings: &ProviderSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
        public_url: &str,
    ) -> Result<Self, ProviderSettingsError> {
        fn open<S, P>(
            name: &str,
            settings: Option<&S>,
            open: impl Fn(&S) -> Result<P, InvalidSettingError>,
        ) -> Result<Option<P>, ProviderSettingsError> {
            let opened = settings.map(open).transpose();
            opened.map_err(|cause| ProviderSettingsError::new(name, cause))
        }
        let registry = |method: AgeMethod, settings: &Option<registry::RegistrySettings>| {
            open(method.block_name(), settings.as_ref(), |settings| {
                registry::RegistryProvider::open(method.block_name(), settings, fetcher, environment)
            })
        };
        let electronic_id = |(id, settings): (&String, &oidc::IdentityProviderSettings)| {
            let opened = oidc::IdentityProvider::open(id, settings, fetcher, environment);
            opened.map_err(|cause| ProviderSettingsError::new(&format!("electronic_id.{id}"), cause))
        };
        let mobile = |settings: &MobileSettings| -> Result<MobileProviders, ProviderSettingsError> {
            let sender = sms::SmsSender::open(&settings.sender, fetcher);
            let operator = mobile_operator::MobileOperator::open(&settings.operator, fetcher, environment);
            Ok(MobileProviders {
                sender: sender.map_err(|cause| ProviderSettingsError::new("mobile.sender", cause))?,
                operator: operator.map_err(|cause| ProviderSettingsError::new("mobile.operator", cause))?,
                home: settings.home.clone(),
            })
        };
        Ok(Self {
            social_security_number: registry(
                AgeMethod::SocialSecurityNumber,
                &settings.social_security_number,
            )?,
            us_florida_hb3: registry(AgeMethod::UsFloridaHb3, &settings.us_florida_hb3)?,
            la_wallet: open("la_wallet", settings.la_wallet.as_ref(), |settings| {
                la_wallet::LaWalletProvider::open(settings, fetcher, environment)
            })?,
            cpf: registry(AgeMethod::Cpf, &settings.cpf)?,
            card: open("credit_card", settings.credit_card.as_ref(), |settings| {
                card::CardProvider::open(settings, fetcher, environment)
            })?,
            mobile: settings.mobile.as_ref().map(mobile).transpose()?,
            email: registry(AgeMethod::Email, &settings.email)?,
            electronic_id: settings.electronic_id.iter().map(electronic_id).collect::<Result<_, _>>()?,
            singpass: open("singpass", settings.singpass.as_ref(), |settings| {
                oidc::IdentityProvider::open("singpass", settings, fetcher, environment)
            })?,
            wallet: open("digital_id", settings.digital_id.as_ref(), |settings| {
                wallet::WalletVerifier::open(settings, fetcher, environment, public_url)
            })?,
            device_signal: open("device_signal", settings.device_signal.as_ref(), |settings| {
                device_signal::DeviceSignalVerifier::open(settings, environment)
            })?,
        })
    }
}
