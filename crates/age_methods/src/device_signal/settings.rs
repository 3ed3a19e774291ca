//! The settings of device signals.

use super::{
    DeviceApps, OwnedApp,
    play_integrity::{AndroidApp, decode_base64url},
};
use crate::{InvalidSettingError, settings::read_secret};
use base::SignedDuration;
use credentials::{
    app_attest::{AppAttestEnvironment, AppAttestVerifier},
    play_integrity::PlayIntegrityKeys,
};
use serde::Deserialize;
use std::path::PathBuf;

/// How long a challenge may be valid, seconds.
const CHALLENGE_SECONDS: std::ops::RangeInclusive<u32> = 30..=900;

/// Whose apps send what a phone's system states.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum DeviceSignalSettings {
    /// Apps of businesses, vouched for by their platforms.
    Platforms(PlatformSettings),
    /// No platform is involved.
    Sandbox {},
}

/// The apps.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformSettings {
    /// How long a challenge is valid, seconds.
    #[serde(default = "challenge_seconds", deserialize_with = "base::settings::number_or_text")]
    pub challenge_seconds: u32,
    /// Apps on Google Play.
    #[serde(default)]
    pub android: Vec<AndroidAppSettings>,
    /// Apps of the App Store.
    #[serde(default)]
    pub ios: Vec<IosAppSettings>,
}

/// An app on Google Play.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AndroidAppSettings {
    /// The application (SDK id) for whose sessions it counts; all if absent.
    pub application: Option<String>,
    /// Its package name.
    pub package: String,
    /// SHA-256 of the certificates that sign it, in hexadecimal (colons allowed) or base64url.
    pub certificates: Vec<String>,
    /// A file with the key that decrypts verdicts, base64.
    pub decryption_key_file: PathBuf,
    /// A file with the key that verifies them, base64.
    pub verification_key_file: PathBuf,
    /// Which phones are accepted.
    #[serde(default)]
    pub device: DeviceVerdict,
}

/// What Google must say about a phone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceVerdict {
    /// It is genuine.
    #[default]
    Device,
    /// It is genuine, and its hardware proves it.
    Strong,
}

impl DeviceVerdict {
    pub(super) fn accepts(self, label: &str) -> bool {
        match self {
            Self::Device => ["MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY"].contains(&label),
            Self::Strong => label == "MEETS_STRONG_INTEGRITY",
        }
    }
}

/// An app of the App Store.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IosAppSettings {
    /// The application (SDK id) for whose sessions it counts; all if absent.
    pub application: Option<String>,
    /// The team's id, a dot and the bundle's id.
    pub app_id: String,
    /// Where it comes from.
    #[serde(default)]
    pub environment: IosEnvironment,
}

/// Where an app comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IosEnvironment {
    /// From the App Store or `TestFlight`.
    #[default]
    Production,
    /// A developer installed it.
    Development,
}

fn challenge_seconds() -> u32 {
    300
}

pub(super) fn open_apps(settings: &PlatformSettings) -> Result<DeviceApps, InvalidSettingError> {
    if !CHALLENGE_SECONDS.contains(&settings.challenge_seconds) {
        let words = format!("it is {}; 30 to 900 are expected", settings.challenge_seconds);
        return Err(InvalidSettingError::new("challenge_seconds", words));
    }
    if settings.android.is_empty() && settings.ios.is_empty() {
        return Err(InvalidSettingError::new("android", "no app is named, neither here nor under `ios`"));
    }
    Ok(DeviceApps {
        challenge: SignedDuration::from_secs(settings.challenge_seconds.into()),
        android: settings.android.iter().map(open_android).collect::<Result<_, _>>()?,
        ios: settings.ios.iter().map(open_ios).collect::<Result<_, _>>()?,
    })
}

fn open_android(settings: &AndroidAppSettings) -> Result<OwnedApp<AndroidApp>, InvalidSettingError> {
    if settings.package.trim().is_empty() {
        return Err(InvalidSettingError::new("package", "it is empty"));
    }
    let digest = |text: &String| {
        let bytes = hex::decode(text.replace(':', "")).ok().or_else(|| decode_base64url(text));
        bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok()).ok_or_else(|| {
            InvalidSettingError::new(
                "certificates",
                "one of them is not a SHA-256 in hexadecimal or base64url",
            )
        })
    };
    let certificates = settings.certificates.iter().map(digest).collect::<Result<Vec<_>, _>>()?;
    if certificates.is_empty() {
        return Err(InvalidSettingError::new("certificates", "it is empty"));
    }
    let decryption = read_secret("decryption_key_file", &settings.decryption_key_file)?;
    let verification = read_secret("verification_key_file", &settings.verification_key_file)?;
    let keys = PlayIntegrityKeys::parse(decryption.expose(), verification.expose());
    let keys = keys.map_err(|wrong| match wrong {
        "decryption" => InvalidSettingError::new("decryption_key_file", "it is not 32 bytes in base64"),
        _ => InvalidSettingError::new(
            "verification_key_file",
            "it is not a public key on P-256, DER in base64",
        ),
    })?;
    let app = AndroidApp { package: settings.package.clone(), certificates, keys, device: settings.device };
    Ok(OwnedApp { application: settings.application.clone(), app })
}

fn open_ios(settings: &IosAppSettings) -> Result<OwnedApp<AppAttestVerifier>, InvalidSettingError> {
    let is_team = |team: &str| team.len() == 10 && team.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_id =
        settings.app_id.split_once('.').is_some_and(|(team, bundle)| is_team(team) && !bundle.is_empty());
    if !is_id {
        let words = "it is a team's id of ten characters, a dot and a bundle's id";
        return Err(InvalidSettingError::new("app_id", words));
    }
    let environment = match settings.environment {
        IosEnvironment::Production => AppAttestEnvironment::Production,
        IosEnvironment::Development => AppAttestEnvironment::Development,
    };
    let app = AppAttestVerifier::new(&settings.app_id, environment);
    Ok(OwnedApp { application: settings.application.clone(), app })
}
