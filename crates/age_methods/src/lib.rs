//! What proves an age, method by method, up to the border of the outside world.
//!
//! No session, no tenant, no database: a caller hands in what a person typed and which age is asked about, and gets
//! [`AgeEvidence`] or a [`AgeMethodError`]. Every call out goes through [`media::fetch::Fetcher`]. What must be remembered between
//! two turns is given to the caller as a value that can be serialised, and is asked back for; nothing is kept here but
//! short-lived access tokens and the public documents of providers.
//!
//! Each provider has settings that are read once, when it is opened, and a sandbox that asks nobody. What a person typed
//! is held in types that wipe themselves and print as stars.

pub mod blind_tokens;
pub mod card;
pub mod form;
pub mod identifiers;
pub mod mobile_operator;
pub mod oidc;
pub mod passkey;
pub mod registry;
pub mod sms;
pub mod wallet;

mod http_client;
mod sandbox;
mod settings;
mod standard_webhooks;
mod ttl_cache;

pub use settings::InvalidSettingError;

use jiff::civil::Date;

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgeEvidence {
    /// The finding.
    pub attribute: AgeAttribute,
    /// The provider's own reference, at most 200 characters.
    pub id: Option<String>,
}

impl AgeEvidence {
    /// A finding with the provider's reference, which is left out where it is no plain text of 1 to 200 characters.
    pub fn new(known: AgeAttribute, id: Option<String>) -> Self {
        let is_plain =
            |id: &String| (1..=200).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
        Self { attribute: known, id: id.filter(is_plain) }
    }
}

/// A finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgeAttribute {
    /// The day on which the person was born.
    DateOfBirth(Date),
    /// Whether the person is of an age, or older.
    Over {
        /// The age, in years.
        years: u8,
        /// Whether the person has reached it.
        reached: bool,
    },
}

/// What is wrong with what was typed into a field.
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

/// Why nothing was found out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgeMethodError {
    /// What the person typed cannot be right; they may mend it.
    #[error("{field} is {fault}")]
    Input {
        /// The form's field.
        field: &'static str,
        /// What is wrong with it.
        fault: InputFault,
    },
    /// The provider knows nothing of such a person, or will not say: the method fails. The words never hold personal data.
    #[error("{0}")]
    Inconclusive(String),
    /// The provider cannot be asked now: the attempt ends with an error. The words go to the log and never hold personal
    /// data.
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

/// How many birthdays a person has had. Whoever was born on 29 February has the birthday of a common year on 1 March.
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
