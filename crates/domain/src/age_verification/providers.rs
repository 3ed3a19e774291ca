//! Who answers for the methods that need somebody outside: the operator's providers, or those of the sandbox.

use super::{
    blind_tokens::{self, BlindTokens},
    session_config::AvailableMethods,
    types::AgeMethod,
};
use age_methods::{
    InvalidSettingError, card, identifiers::CallingCode, mobile_operator, oidc, passkey, registry, sms,
    wallet,
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
    pub la_wallet: Option<registry::RegistrySettings>,
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

/// A setting that cannot be used, and whose.
#[derive(Debug, thiserror::Error)]
#[error("ages.{provider}.{cause}")]
pub struct ProviderSettingsError {
    /// Which provider.
    pub provider: String,
    /// What is wrong.
    pub cause: InvalidSettingError,
}

/// Providers that are ready to be asked.
#[derive(Debug)]
pub(super) struct Providers {
    pub(super) card: Option<card::CardProvider>,
    pub(super) sms: Option<sms::SmsSender>,
    pub(super) mobile: Option<mobile_operator::MobileOperator>,
    pub(super) calling_code: Option<CallingCode>,
    pub(super) email: Option<registry::RegistryProvider>,
    pub(super) registries: BTreeMap<&'static str, registry::RegistryProvider>,
    pub(super) electronic_id: Vec<oidc::IdentityProvider>,
    pub(super) singpass: Option<oidc::IdentityProvider>,
    pub(super) wallet: Option<wallet::WalletVerifier>,
    pub(super) passkeys: Option<Arc<passkey::Passkeys>>,
    anonymity: Option<Arc<BlindTokens>>,
    /// Whether mail can be sent, or need not be.
    pub(super) mail: bool,
}

/// What the server has itself.
pub(super) struct LocalProviders<'a> {
    /// Where it is reached.
    pub(super) public_url: &'a str,
    /// Its passkeys, where it may have any.
    pub(super) passkeys: Option<Arc<passkey::Passkeys>>,
    /// Its blind tokens.
    pub(super) anonymity: Option<Arc<BlindTokens>>,
    /// Whether it sends mail.
    pub(super) mail: bool,
}

impl ProviderSettings {
    /// Providers that ask nobody: what they answer depends on what is typed (docs/PROVIDERS.md). Those of electronic
    /// identities are called as the operator's, too, so that a payload need not be changed to be tried.
    pub(super) fn sandbox(own: &Self) -> Self {
        use oidc::OidcSandboxOutcome::{Declined, Over, Unavailable, Under};
        let registry = Some(registry::RegistrySettings::Sandbox {});
        let electronic =
            |name: &str, outcome| oidc::IdentityProviderSettings::Sandbox { name: name.to_owned(), outcome };
        let called = own.electronic_id.iter().map(|(id, own)| (id.clone(), electronic(own.name(), Over)));
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
            la_wallet: registry.clone(),
            cpf: registry,
            electronic_id: [
                ("over", electronic("Old enough", Over)),
                ("under", electronic("Too young", Under)),
                ("declined", electronic("Says no", Declined)),
                ("unavailable", electronic("Is away", Unavailable)),
            ]
            .map(|(id, settings)| (id.to_owned(), settings))
            .into_iter()
            .chain(called)
            .collect(),
            singpass: Some(electronic("Singpass", Over)),
            digital_id: Some(wallet::WalletSettings::Sandbox {}),
            svc_key: None,
            double_anonymity: None,
        }
    }
}

impl Providers {
    /// Reads every secret.
    pub(super) fn open(
        settings: &ProviderSettings,
        fetcher: &Fetcher,
        world: &Arc<dyn Environment>,
        LocalProviders { public_url, passkeys, anonymity, mail }: LocalProviders<'_>,
    ) -> Result<Self, ProviderSettingsError> {
        fn opened<S, P>(
            name: &str,
            settings: Option<&S>,
            open: impl Fn(&S) -> Result<P, InvalidSettingError>,
        ) -> Result<Option<P>, ProviderSettingsError> {
            let opened = settings.map(open).transpose();
            opened.map_err(|cause| ProviderSettingsError { provider: name.to_owned(), cause })
        }
        let registry = |name: &str, settings: &Option<registry::RegistrySettings>| {
            opened(name, settings.as_ref(), |settings| {
                registry::RegistryProvider::open(settings, fetcher, world)
            })
        };
        let mobile = settings.mobile.as_ref();
        let mut registries = BTreeMap::new();
        for (method, settings) in [
            (AgeMethod::SocialSecurityNumber, &settings.social_security_number),
            (AgeMethod::UsFloridaHb3, &settings.us_florida_hb3),
            (AgeMethod::LaWallet, &settings.la_wallet),
            (AgeMethod::Cpf, &settings.cpf),
        ] {
            registries.extend(
                registry(method.block_name(), settings)?.map(|provider| (method.block_name(), provider)),
            );
        }
        let electronic = settings.electronic_id.iter().map(|(id, settings)| {
            let opened = oidc::IdentityProvider::open(id, settings, fetcher, world);
            opened.map_err(|cause| ProviderSettingsError { provider: format!("electronic_id.{id}"), cause })
        });
        Ok(Self {
            card: opened("credit_card", settings.credit_card.as_ref(), |settings| {
                card::CardProvider::open(settings, fetcher, world)
            })?,
            sms: opened("mobile.sender", mobile.map(|mobile| &mobile.sender), |settings| {
                sms::SmsSender::open(settings, fetcher)
            })?,
            mobile: opened("mobile.operator", mobile.map(|mobile| &mobile.operator), |settings| {
                mobile_operator::MobileOperator::open(settings, fetcher, world)
            })?,
            calling_code: mobile.and_then(|mobile| mobile.home.clone()),
            email: registry("email", &settings.email)?,
            registries,
            electronic_id: electronic.collect::<Result<_, _>>()?,
            singpass: opened("singpass", settings.singpass.as_ref(), |settings| {
                oidc::IdentityProvider::open("singpass", settings, fetcher, world)
            })?,
            wallet: opened("digital_id", settings.digital_id.as_ref(), |settings| {
                wallet::WalletVerifier::open(settings, fetcher, world, public_url)
            })?,
            passkeys,
            anonymity,
            mail,
        })
    }
}

impl AvailableMethods for Providers {
    fn supports(&self, method: AgeMethod) -> bool {
        match method {
            AgeMethod::AgeEstimation | AgeMethod::DocScan => true,
            AgeMethod::CreditCard => self.card.is_some(),
            AgeMethod::Mobile => self.sms.is_some() && self.mobile.is_some(),
            AgeMethod::Email => self.email.is_some() && self.mail,
            AgeMethod::ElectronicId => !self.electronic_id.is_empty(),
            AgeMethod::Singpass => self.singpass.is_some(),
            AgeMethod::SocialSecurityNumber
            | AgeMethod::UsFloridaHb3
            | AgeMethod::LaWallet
            | AgeMethod::Cpf => self.registries.contains_key(method.block_name()),
            AgeMethod::SvcKey => self.passkeys.is_some(),
            AgeMethod::DoubleAnonymity => self.anonymity.is_some(),
            AgeMethod::DigitalId => self.wallet.is_some(),
        }
    }

    fn sub_methods(&self) -> Vec<String> {
        self.electronic_id.iter().map(|provider| provider.id().to_owned()).collect()
    }

    fn checks_verified_email(&self) -> bool {
        self.email.is_some()
    }

    fn token_threshold(&self, asked: i64) -> Option<u8> {
        self.anonymity.as_ref()?.threshold_for(asked)
    }
}
