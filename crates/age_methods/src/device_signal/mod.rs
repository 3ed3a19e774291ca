//! What a phone's system states about the age of its holder, sent by the business's app through its server.
//!
//! Neither Google nor Apple signs such a statement: the app reads it from the system. What the platforms do sign is that
//! the app is the business's own and unmodified, on a genuine phone. So an app binds its statement to a challenge, and lets
//! the platform attest the digest of both ([`DeviceChallenge::binding`]). A statement is then as good as the app that read it.

mod play_integrity;
mod settings;
mod statement;

pub use settings::{
    AndroidAppSettings, DeviceSignalSettings, DeviceVerdict, IosAppSettings, IosEnvironment, PlatformSettings,
};
pub use statement::{AgeBand, PhonePlatform, StatementSource};

use self::{play_integrity::AndroidApp, settings::open_apps, statement::NoStatement};
use crate::{AgeAttribute, InvalidSettingError};
use aws_lc_rs::digest;
use base::{Environment, SignedDuration, Timestamp};
use base64_simd::{STANDARD, URL_SAFE_NO_PAD};
use credentials::app_attest::AppAttestVerifier;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Longest attestation and assertion, characters of base64; a token of Google's is no longer.
const MAX_ATTESTATION_CHARS: usize = 44 << 10;
/// How long a challenge is valid in the sandbox.
const SANDBOX_CHALLENGE: SignedDuration = SignedDuration::from_mins(5);

/// What an app binds its statement to. Random, and used once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceChallenge {
    /// 32 random bytes, base64url.
    pub text: String,
    pub issued_at: Timestamp,
    pub until: Timestamp,
}

impl DeviceChallenge {
    /// What the platform attests: SHA-256 of the challenge, a full stop and the statement, as they were sent.
    pub fn binding(&self, statement: &str) -> [u8; 32] {
        let text = format!("{}.{statement}", self.text);
        let mut bytes = [0; 32];
        bytes.copy_from_slice(digest::digest(&digest::SHA256, text.as_bytes()).as_ref());
        bytes
    }
}

/// What an app sends.
#[derive(Clone, Debug)]
pub struct DeviceStatement {
    pub platform: PhonePlatform,
    /// The statement of the system, JSON, letter by letter as the app bound it.
    pub statement: String,
    pub attestation: Option<DeviceAttestation>,
}

/// What a platform says about the app.
#[derive(Clone, Debug)]
pub enum DeviceAttestation {
    /// A token of Play Integrity, of a request whose `nonce` or `requestHash` is the binding in base64url.
    PlayIntegrity { token: String },
    /// What App Attest gave.
    AppAttest {
        /// The attestation of the key, base64.
        attestation: String,
        /// The `clientDataHash` that the key was attested over, base64; absent if it is the binding.
        key_data_hash: Option<String>,
        /// The assertion of the key over the binding, base64; absent if the attestation is over it.
        assertion: Option<String>,
    },
    /// Of the sandbox: accepted, or refused.
    Sandbox { valid: bool },
}

/// Who vouches for the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppVoucher {
    PlayIntegrity,
    AppAttest,
    Sandbox,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceFinding {
    pub band: AgeBand,
    /// `None`: nobody but the business's server.
    pub voucher: Option<AppVoucher>,
}

/// Why a statement is no evidence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceSignalError {
    /// A member cannot be read; it may be sent again.
    #[error("{member}: {problem}")]
    Malformed { member: &'static str, problem: &'static str },
    /// The person or their guardian does not share their age.
    #[error("the age is not shared")]
    Declined,
    /// The system knows no age.
    #[error("the system states no age")]
    Unknown,
    /// The attestation is wrong; the message never contains personal data.
    #[error("{0}")]
    NotAttested(String),
}

/// The apps whose statements count.
#[derive(Debug)]
pub struct DeviceSignalVerifier {
    environment: Arc<dyn Environment>,
    apps: Option<DeviceApps>,
}

/// The apps of the settings.
#[derive(Debug)]
pub(crate) struct DeviceApps {
    pub(crate) challenge: SignedDuration,
    pub(crate) android: Vec<OwnedApp<AndroidApp>>,
    pub(crate) ios: Vec<OwnedApp<AppAttestVerifier>>,
}

/// An app, and whose it is.
#[derive(Debug)]
pub(crate) struct OwnedApp<A> {
    /// The application for whose sessions it counts; all if absent.
    pub(crate) application: Option<String>,
    pub(crate) app: A,
}

impl DeviceSignalVerifier {
    /// Reads the files that the settings name.
    pub fn open(
        settings: &DeviceSignalSettings,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let apps = match settings {
            DeviceSignalSettings::Platforms(settings) => Some(open_apps(settings)?),
            DeviceSignalSettings::Sandbox {} => None,
        };
        Ok(Self { environment: environment.clone(), apps })
    }

    /// Whether a platform can vouch for an app in the sessions of `application`: without one, only statements that need no
    /// attestation count there.
    pub fn counts_for(&self, application: &str) -> bool {
        self.apps.as_ref().is_none_or(|apps| {
            apps.android.iter().any(|app| app.counts_for(application))
                || apps.ios.iter().any(|app| app.counts_for(application))
        })
    }

    /// A new challenge.
    pub fn new_challenge(&self) -> DeviceChallenge {
        let mut bytes = [0; 32];
        self.environment.fill_random(&mut bytes);
        let now = self.environment.now();
        let lifetime = self.apps.as_ref().map_or(SANDBOX_CHALLENGE, |apps| apps.challenge);
        let text = URL_SAFE_NO_PAD.encode_to_string(bytes);
        DeviceChallenge { text, issued_at: now, until: now + lifetime }
    }

    /// Reads a statement, and verifies what comes with it. `application` is whose session it is. An attestation that is
    /// there must be right, also where none is required.
    pub fn verify(
        &self,
        application: &str,
        challenge: &DeviceChallenge,
        sent: &DeviceStatement,
    ) -> Result<DeviceFinding, DeviceSignalError> {
        let band = statement::parse_statement(sent.platform, &sent.statement);
        // A statement that says nothing needs no attestation, and one that cannot be read has none.
        let band = band.map_err(|error| match error {
            NoStatement::Malformed(problem) => DeviceSignalError::Malformed { member: "statement", problem },
            NoStatement::Declined => DeviceSignalError::Declined,
            NoStatement::Unknown => DeviceSignalError::Unknown,
        })?;
        let voucher = match &sent.attestation {
            None => None,
            Some(attestation) => {
                let binding = challenge.binding(&sent.statement);
                Some(self.verify_attestation(application, challenge, sent.platform, attestation, &binding)?)
            }
        };
        Ok(DeviceFinding { band, voucher })
    }

    fn verify_attestation(
        &self,
        application: &str,
        challenge: &DeviceChallenge,
        platform: PhonePlatform,
        attestation: &DeviceAttestation,
        binding: &[u8; 32],
    ) -> Result<AppVoucher, DeviceSignalError> {
        let malformed = |problem| DeviceSignalError::Malformed { member: "attestation", problem };
        let Some(apps) = &self.apps else {
            return match attestation {
                DeviceAttestation::Sandbox { valid: true } => Ok(AppVoucher::Sandbox),
                DeviceAttestation::Sandbox { valid: false } => {
                    Err(DeviceSignalError::NotAttested("the sandbox is asked to refuse".to_owned()))
                }
                _ => Err(malformed("the sandbox takes the format SANDBOX only")),
            };
        };
        match (platform, attestation) {
            (PhonePlatform::Android, DeviceAttestation::PlayIntegrity { token }) => {
                let apps = apps.android.iter().filter(|app| app.counts_for(application));
                let verified =
                    first_success(apps, |app| app.verify(token, challenge, binding, self.environment.now()));
                verified.map(|()| AppVoucher::PlayIntegrity)
            }
            (PhonePlatform::Ios, DeviceAttestation::AppAttest { attestation, key_data_hash, assertion }) => {
                let decode = |text: &String| {
                    let fits = text.len() <= MAX_ATTESTATION_CHARS;
                    let bytes = STANDARD.decode_to_vec(text).ok().filter(|_| fits);
                    bytes.ok_or(malformed("its members are base64, of 32 KiB at most"))
                };
                let object = decode(attestation)?;
                let key = key_data_hash.as_ref().map(decode).transpose()?;
                let assertion = assertion.as_ref().map(decode).transpose()?;
                let now = self.environment.now();
                let apps = apps.ios.iter().filter(|app| app.counts_for(application));
                let verified = first_success(apps, |app| {
                    let verified = match (&key, &assertion) {
                        (None, None) => app.verify_fresh(&object, binding, now),
                        (Some(key), Some(assertion)) => {
                            app.verify_assertion(&object, key, assertion, binding, now)
                        }
                        _ => return Err(malformed("`client_data_hash` and `assertion` come together")),
                    };
                    verified.map_err(|error| DeviceSignalError::NotAttested(error.to_string()))
                });
                verified.map(|()| AppVoucher::AppAttest)
            }
            _ => Err(malformed("its format is that of the platform: PLAY_INTEGRITY or APP_ATTEST")),
        }
    }
}

impl<A> OwnedApp<A> {
    fn counts_for(&self, application: &str) -> bool {
        self.application.as_ref().is_none_or(|own| own.eq_ignore_ascii_case(application))
    }
}

/// The first app that accepts it, or else why the last refused.
fn first_success<'a, A: 'a>(
    apps: impl Iterator<Item = &'a OwnedApp<A>>,
    verify: impl Fn(&A) -> Result<(), DeviceSignalError>,
) -> Result<(), DeviceSignalError> {
    let none =
        DeviceSignalError::NotAttested("no app of this platform is set up for the application".to_owned());
    let mut last = Err(none);
    for owned in apps {
        last = verify(&owned.app);
        if last.is_ok() {
            break;
        }
    }
    last
}

impl AgeBand {
    /// What the band says about an age, years: nothing if the age lies inside.
    pub fn side_of(&self, threshold: u8) -> Option<AgeAttribute> {
        match (self.reached, self.not_reached) {
            (Some(years), _) if years >= threshold => Some(AgeAttribute::Over { years, reached: true }),
            (_, Some(years)) if years <= threshold => Some(AgeAttribute::Over { years, reached: false }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_decides_ages_outside_itself() {
        let band = AgeBand { reached: Some(13), not_reached: Some(16), source: StatementSource::Checked };
        let side =
            |age| band.side_of(age).map(|side| matches!(side, AgeAttribute::Over { reached: true, .. }));
        assert_eq!(
            [12, 13, 14, 15, 16, 18].map(side),
            [Some(true), Some(true), None, None, Some(false), Some(false)]
        );
    }
}
