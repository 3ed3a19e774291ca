//! Methods that prove an age, the sources that document checks ask, and the clients of the providers that are called.
//!
//! There are no sessions, tenants or databases here: a caller passes in what a person typed and the age in question,
//! and gets [`AgeEvidence`] or an [`AgeMethodError`]. Every outgoing call goes through [`media::fetch::Fetcher`]. State
//! between two turns is returned to the caller as a serialisable value, and passed in again; only short-lived access
//! tokens and the public documents of providers are kept here.
//!
//! Each provider has settings, which are read once when it is opened, and a sandbox that makes no calls. What a person
//! typed is held in types that are wiped when dropped and print as stars.

pub mod blind_tokens;
pub mod card;
pub mod device_signal;
pub mod form;
pub mod identifiers;
pub mod identity_source;
pub mod la_wallet;
pub mod mobile_operator;
pub mod oidc;
pub mod passkey;
pub mod registry;
pub mod sms;
pub mod wallet;

mod addresses;
mod http_client;
mod sandbox;
mod settings;
mod standard_webhooks;
mod ttl_cache;

pub use settings::InvalidSettingError;

use jiff::civil::Date;

/// What a method found out about a person's age.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgeEvidence {
    pub attribute: AgeAttribute,
    /// The provider's own reference, at most 200 characters.
    pub id: Option<String>,
}

impl AgeEvidence {
    /// `id`, the provider's reference, is dropped unless it has 1 to 200 visible ASCII characters.
    pub fn new(known: AgeAttribute, id: Option<String>) -> Self {
        let is_plain =
            |id: &String| (1..=200).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
        Self { attribute: known, id: id.filter(is_plain) }
    }
}

/// A birthday, or whether an age is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgeAttribute {
    DateOfBirth(Date),
    /// Whether the person has reached an age.
    Over {
        /// The age, in years.
        years: u8,
        /// Whether the person has reached it.
        reached: bool,
    },
}

/// What is wrong with the value of a form field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputFault {
    /// It is empty.
    Required,
    /// It cannot be right.
    Invalid,
}

impl std::fmt::Display for InputFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Required => "required",
            Self::Invalid => "invalid",
        })
    }
}

/// Why a method gives no evidence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgeMethodError {
    /// A form value is missing or cannot be right; the person may correct it.
    #[error("{field} is {fault}")]
    Input {
        /// Name of the form field.
        field: &'static str,
        fault: InputFault,
    },
    /// The provider does not know the person, or will not answer: the method fails. The message never contains personal
    /// data.
    #[error("{0}")]
    Inconclusive(String),
    /// The provider cannot be used now: the attempt ends with an error. The message is for the log and never contains
    /// personal data.
    #[error("{0}")]
    Unavailable(String),
}

impl AgeMethodError {
    pub(crate) const fn required(field: &'static str) -> Self {
        Self::Input { field, fault: InputFault::Required }
    }

    pub(crate) const fn invalid(field: &'static str) -> Self {
        Self::Input { field, fault: InputFault::Invalid }
    }

    pub(crate) fn inconclusive(words: impl Into<String>) -> Self {
        Self::Inconclusive(words.into())
    }

    pub(crate) fn unavailable(words: impl Into<String>) -> Self {
        Self::Unavailable(words.into())
    }
}

/// Age in whole years on `day`. A person born on 29 February has their birthday on 1 March in common years.
pub fn age_on(born: Date, day: Date) -> i16 {
    let had = (day.month(), day.day()) >= (born.month(), born.day());
    day.year() - born.year() - i16::from(!had)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn a_birthday_counts_from_its_day_on() {
        let born = date(2008, 2, 29);
        assert_eq!(age_on(born, date(2026, 2, 28)), 17);
        assert_eq!(age_on(born, date(2026, 3, 1)), 18);
        assert_eq!(age_on(born, date(2028, 2, 28)), 19);
        assert_eq!(age_on(born, date(2028, 2, 29)), 20);
        assert_eq!(age_on(date(2008, 1, 1), date(2007, 12, 31)), -1);
    }

    #[test]
    fn a_reference_that_is_no_plain_text_is_left_out() {
        let known = AgeAttribute::Over { years: 18, reached: true };
        let kept = |id: &str| AgeEvidence::new(known, Some(id.to_owned())).id.is_some();
        assert!(kept("seti_1") && kept(&"x".repeat(200)));
        assert!(!kept("") && !kept(&"x".repeat(201)) && !kept("a b") && !kept("a\nb") && !kept("ä"));
    }
}
