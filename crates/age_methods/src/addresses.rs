//! Where the services that settings name are, for tests of whether they answer. Simulated ones are nowhere.

use crate::{
    card::CardProviderSettings, identity_source::IdentitySourceSettings, la_wallet::LaWalletSettings,
    mobile_operator::MobileOperatorSettings, oidc::IdentityProviderSettings, registry::RegistrySettings,
    sms::SmsSettings,
};

impl CardProviderSettings {
    /// The address that is called.
    pub fn address(&self) -> Option<&str> {
        match self {
            Self::Stripe(settings) => Some(&settings.url),
            Self::Signed(settings) => Some(&settings.url),
            Self::Sandbox {} => None,
        }
    }
}

impl SmsSettings {
    /// The address that is called.
    pub fn address(&self) -> Option<&str> {
        match self {
            Self::Http(settings) => Some(&settings.url),
            Self::Sandbox {} => None,
        }
    }
}

impl MobileOperatorSettings {
    /// The address that is called.
    pub fn address(&self) -> Option<&str> {
        match self {
            Self::Camara(settings) => Some(&settings.url),
            Self::Sandbox {} => None,
        }
    }
}

impl RegistrySettings {
    /// The address that is called.
    pub fn address(&self) -> Option<&str> {
        match self {
            Self::Signed(settings) => Some(&settings.url),
            Self::Serpro(settings) => Some(&settings.url),
            Self::Didit(settings) => Some(&settings.url),
            Self::AgeChecker(settings) => Some(&settings.url),
            Self::IpQualityScore(settings) => Some(&settings.url),
            Self::Trustfull(settings) => Some(&settings.url),
            Self::Sandbox {} => None,
        }
    }
}

impl LaWalletSettings {
    /// The address that is called.
    pub fn address(&self) -> Option<&str> {
        match self {
            Self::Signed(settings) => Some(&settings.url),
            Self::Sandbox {} => None,
        }
    }
}

impl IdentitySourceSettings {
    /// The address that is called.
    pub fn address(&self) -> Option<&str> {
        match self {
            Self::Signed(settings) => Some(&settings.url),
            Self::Sandbox {} => None,
        }
    }
}

impl IdentityProviderSettings {
    /// The issuer.
    pub fn issuer(&self) -> Option<&str> {
        match self {
            Self::Oidc(settings) => Some(&settings.issuer),
            Self::Sandbox { .. } => None,
        }
    }
}
