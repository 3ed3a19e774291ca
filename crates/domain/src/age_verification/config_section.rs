//! The section `[ages]` as it is written: settings and providers side by side. `serde(flatten)` would keep them in one
//! place, but accepts unknown names and loses the types of values that come from the environment.

use super::{
    AgeVerificationSettings, AttemptLimits, BlindTokenSettings, MobileSettings, ProviderSettings,
    policies::AgePolicySettings, request::CONFIDENCE_RANGE,
};
use age_methods::{card, device_signal, la_wallet, oidc, passkey, registry, wallet};
use base::SignedDuration;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A time that is written in days.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct Days(#[serde(with = "base::settings::days")] SignedDuration);

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AgesSection {
    keep_days: Option<Days>,
    confidence: Option<f64>,
    key_days: Option<Days>,
    appeal_days: Option<Days>,
    proofs: Option<bool>,
    limits: AttemptLimits,
    policies: AgePolicySettings,
    credit_card: Option<card::CardProviderSettings>,
    mobile: Option<MobileSettings>,
    email: Option<registry::RegistrySettings>,
    social_security_number: Option<registry::RegistrySettings>,
    us_florida_hb3: Option<registry::RegistrySettings>,
    la_wallet: Option<la_wallet::LaWalletSettings>,
    cpf: Option<registry::RegistrySettings>,
    electronic_id: BTreeMap<String, oidc::IdentityProviderSettings>,
    singpass: Option<oidc::IdentityProviderSettings>,
    digital_id: Option<wallet::WalletSettings>,
    svc_key: Option<passkey::PasskeySettings>,
    double_anonymity: Option<BlindTokenSettings>,
    device_signal: Option<device_signal::DeviceSignalSettings>,
}

impl From<AgesSection> for AgeVerificationSettings {
    fn from(section: AgesSection) -> Self {
        let time = |Days(time): Days| time;
        let default = Self::default();
        let (lowest, highest) = CONFIDENCE_RANGE;
        Self {
            session_retention: section.keep_days.map_or(default.session_retention, time),
            estimate_confidence: section.confidence.map(|confidence| confidence.clamp(lowest, highest)),
            stored_result_retention: section.key_days.map_or(default.stored_result_retention, time),
            appeal_window: section.appeal_days.map_or(default.appeal_window, time),
            offers_proof_of_age: section.proofs.unwrap_or(default.offers_proof_of_age),
            limits: section.limits,
            policies: section.policies,
            providers: ProviderSettings {
                credit_card: section.credit_card,
                mobile: section.mobile,
                email: section.email,
                social_security_number: section.social_security_number,
                us_florida_hb3: section.us_florida_hb3,
                la_wallet: section.la_wallet,
                cpf: section.cpf,
                electronic_id: section.electronic_id,
                singpass: section.singpass,
                digital_id: section.digital_id,
                svc_key: section.svc_key,
                double_anonymity: section.double_anonymity,
                device_signal: section.device_signal,
            },
            ..default
        }
    }
}
