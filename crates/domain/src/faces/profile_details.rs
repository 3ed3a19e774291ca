//! What is known of the person of a profile: texts, and the rules that they follow.

use crate::violation::{Violation, check_max_chars};
use base::{LimitViolation, Timestamp, Uuid};
use documents::text::normalise;

/// Whether searches return a profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProfileType {
    /// Searches return it.
    #[default]
    Searchable,
    /// Searches never return it.
    Hidden,
}

impl ProfileType {
    /// The number on the wire and in the database.
    pub const fn number(self) -> i64 {
        match self {
            Self::Searchable => 1,
            Self::Hidden => 2,
        }
    }
}

impl TryFrom<i64> for ProfileType {
    type Error = InvalidProfileFieldError;
    fn try_from(number: i64) -> Result<Self, InvalidProfileFieldError> {
        match number {
            1 => Ok(Self::Searchable),
            2 => Ok(Self::Hidden),
            _ => Err(InvalidProfileFieldError {
                property: "profile_type",
                message: "it is 1 (searchable) or 2 (not searchable)".to_owned(),
                measured: None,
            }),
        }
    }
}

/// The texts of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileText {
    /// The person's name, as it is shown.
    DisplayName,
    /// The application's own identifier of the person.
    Reference,
    /// Where the person's consent to biometrics is recorded.
    BiometricConsent,
    /// An address at which the consent can be read: `http://` or `https://`.
    ConsentLink,
    /// The identifier of an identity verification of the person.
    IdVerification,
}

impl ProfileText {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DisplayName => "display_name",
            Self::Reference => "reference",
            Self::BiometricConsent => "biometric_consent",
            Self::ConsentLink => "consent_link",
            Self::IdVerification => "id_verification",
        }
    }

    /// The longest value, in characters.
    pub const fn max_chars(self) -> usize {
        match self {
            Self::DisplayName | Self::Reference | Self::IdVerification => 200,
            Self::BiometricConsent => 500,
            Self::ConsentLink => 2000,
        }
    }

    /// Refuses a value that is too long or has the wrong form. An empty one is valid: it removes the text.
    pub fn validate(self, value: &str) -> Result<(), InvalidProfileFieldError> {
        if value.is_empty() {
            return Ok(());
        }
        let (length, longest) = (value.chars().count(), self.max_chars());
        let bad = |message: String, measured| {
            Err(InvalidProfileFieldError { property: self.name(), message, measured })
        };
        if length > longest {
            let limit = format!("at most {longest} characters");
            let measured = LimitViolation::new(length as f64, limit, "send a shorter text");
            return bad(format!("it has at most {longest} characters, this one {length}"), Some(measured));
        }
        if value.chars().any(char::is_control) {
            return bad("it has no control characters".to_owned(), None);
        }
        let link = value.strip_prefix("https://").or_else(|| value.strip_prefix("http://"));
        if self == Self::ConsentLink
            && !link.is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric()))
        {
            return bad("it is an http:// or https:// address".to_owned(), None);
        }
        Ok(())
    }
}

/// Refuses a part of a name that nothing can be found by.
pub fn check_name_part(part: &str) -> Result<(), Violation> {
    let (length, longest) = (part.chars().count(), ProfileText::DisplayName.max_chars());
    check_max_chars("name", "it has", length, longest, "shorten it")?;
    if normalise(part).is_empty() {
        return Err(Violation::new("name", "it has at least one letter or digit"));
    }
    Ok(())
}

/// Why a member of a profile, or of a group, cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{property}: {message}")]
pub struct InvalidProfileFieldError {
    /// The name of the member on the wire.
    pub property: &'static str,
    pub message: String,
    /// What was measured, if a limit was broken.
    pub measured: Option<LimitViolation>,
}

impl From<InvalidProfileFieldError> for Violation {
    fn from(InvalidProfileFieldError { property, message, measured }: InvalidProfileFieldError) -> Self {
        Self { path: property.into(), message, measured }
    }
}

/// What is known of a person. Stored sealed.
#[derive(Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct ProfileDetails {
    /// See [`ProfileText::DisplayName`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// See [`ProfileText::Reference`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// See [`ProfileText::BiometricConsent`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub biometric_consent: Option<String>,
    /// See [`ProfileText::ConsentLink`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent_link: Option<String>,
    /// See [`ProfileText::IdVerification`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_verification: Option<String>,
    /// Whether that verification succeeded.
    pub is_id_verified: bool,
    /// Whether the person is known to be an adult, so that moderations do not estimate an age.
    pub is_adult: bool,
    /// The ban, if there is one. None of bans that were imposed before that was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ban: Option<BanRecord>,
}

/// A ban: why, by whom, since when and until when.
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BanRecord {
    /// At most [`MAX_BAN_REASON_CHARS`] characters.
    pub reason: Option<String>,
    /// The member or API key who banned them.
    pub user: Uuid,
    pub since: Timestamp,
    /// When it ends by itself.
    pub until: Option<Timestamp>,
}

/// The longest reason of a ban, in characters.
pub const MAX_BAN_REASON_CHARS: usize = 500;

/// A ban as it is asked for.
#[derive(Clone, Default)]
pub struct BanRequest {
    pub reason: Option<String>,
    pub until: Option<Timestamp>,
}

impl BanRequest {
    /// What is wrong with it.
    pub fn violations(&self, now: Timestamp) -> Vec<Violation> {
        let mut found = Vec::new();
        if let Some(reason) = &self.reason {
            let (chars, hint) = (reason.chars().count(), "shorten it");
            found.extend(check_max_chars("reason", "it has", chars, MAX_BAN_REASON_CHARS, hint).err());
        }
        if self.until.is_some_and(|until| until <= now) {
            found.push(Violation::new("until", "it is in the past"));
        }
        found
    }
}

// Names must not reach a log.
impl std::fmt::Debug for ProfileDetails {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ProfileDetails(…)")
    }
}

impl ProfileDetails {
    /// Sets a text, or removes it if the value is empty.
    pub fn set(&mut self, text: ProfileText, value: Option<String>) -> Result<(), InvalidProfileFieldError> {
        let value = value.filter(|value| !value.is_empty());
        if let Some(value) = &value {
            text.validate(value)?;
        }
        *match text {
            ProfileText::DisplayName => &mut self.display_name,
            ProfileText::Reference => &mut self.reference,
            ProfileText::BiometricConsent => &mut self.biometric_consent,
            ProfileText::ConsentLink => &mut self.consent_link,
            ProfileText::IdVerification => &mut self.id_verification,
        } = value;
        Ok(())
    }

    /// Refuses the enrolment of a face if no consent is recorded.
    pub fn require_consent(&self) -> Result<(), InvalidProfileFieldError> {
        if self.biometric_consent.is_some() {
            return Ok(());
        }
        let message = "it is required where a face is enrolled: say where the person's consent is recorded";
        Err(InvalidProfileFieldError {
            property: ProfileText::BiometricConsent.name(),
            message: message.to_owned(),
            measured: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_bounds_and_links_lead_somewhere() {
        let mut details = ProfileDetails::default();
        for (text, value, good) in [
            (ProfileText::DisplayName, "Ada".to_owned(), true),
            (ProfileText::DisplayName, "ä".repeat(200), true),
            (ProfileText::DisplayName, "ä".repeat(201), false),
            (ProfileText::Reference, "a\nb".to_owned(), false),
            (ProfileText::ConsentLink, "https://example.com/consent".to_owned(), true),
            (ProfileText::ConsentLink, "http://example.com".to_owned(), true),
            (ProfileText::ConsentLink, "https://".to_owned(), false),
            (ProfileText::ConsentLink, "javascript:alert(1)".to_owned(), false),
            (ProfileText::ConsentLink, format!("https://{}", "a".repeat(1993)), false),
        ] {
            assert_eq!(details.set(text, Some(value.clone())).is_ok(), good, "{text:?} {value}");
        }
        assert_eq!(details.display_name.as_deref().map(str::len), Some(400));
        details.set(ProfileText::DisplayName, Some(String::new())).unwrap();
        assert_eq!(details.display_name, None);
        assert_eq!(format!("{details:?}"), "ProfileDetails(…)");
    }

    #[test]
    fn a_refusal_says_how_long_a_text_was() {
        let refused =
            ProfileDetails::default().set(ProfileText::Reference, Some("x".repeat(201))).unwrap_err();
        assert_eq!(refused.measured.unwrap().measured, 201.0);
        assert!(ProfileType::try_from(3).is_err());
    }
}
