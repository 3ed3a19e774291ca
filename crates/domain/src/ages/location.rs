//! Countries (ISO 3166-1 alpha-2) and their parts (ISO 3166-2).

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A country, or a part of one.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(into = "String", try_from = "String")]
pub struct Location {
    country: String,
    part: Option<String>,
}

/// A text is no code of ISO 3166.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("it is no ISO 3166-1 alpha-2 or ISO 3166-2 code")]
pub struct NoLocation;

impl Location {
    /// Whether whoever is at `other` is here: a country holds all of its parts, and somebody of whom only the country is known
    /// is in none of them.
    pub fn holds(&self, other: &Self) -> bool {
        self.country == other.country && (self.part.is_none() || self.part == other.part)
    }
}

impl FromStr for Location {
    type Err = NoLocation;

    /// Reads `US` or `US-UT`, in whatever case.
    fn from_str(text: &str) -> Result<Self, NoLocation> {
        let code = text.trim().to_ascii_uppercase();
        let (country, part) = match code.split_once('-') {
            Some((country, part)) => (country, Some(part)),
            None => (&*code, None),
        };
        let fine = country.len() == 2
            && country.bytes().all(|byte| byte.is_ascii_uppercase())
            && part.is_none_or(|part| {
                (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
            });
        let found = Self { country: country.to_owned(), part: part.map(str::to_owned) };
        if fine { Ok(found) } else { Err(NoLocation) }
    }
}

impl TryFrom<String> for Location {
    type Error = NoLocation;

    fn try_from(text: String) -> Result<Self, NoLocation> {
        text.parse()
    }
}

impl From<Location> for String {
    fn from(location: Location) -> Self {
        location.to_string()
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.country)?;
        self.part.as_ref().map_or(Ok(()), |part| write!(f, "-{part}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_holds_its_parts_and_a_part_holds_itself() {
        let at = |text: &str| text.parse::<Location>().unwrap();
        assert!(at("us").holds(&at("US-UT")) && at("US").holds(&at("US")));
        assert!(at("US-UT").holds(&at("us-ut")));
        for (here, other) in [("US-UT", "US-TX"), ("US-UT", "US"), ("GB", "US"), ("GB", "US-GB")] {
            assert!(!at(here).holds(&at(other)), "{here} {other}");
        }
    }

    #[test]
    fn what_is_no_code_is_refused() {
        for text in ["", "U", "USA", "U1", "US-", "US-UTAH", "US-U-T", "-UT", "ÄA"] {
            assert_eq!(text.parse::<Location>(), Err(NoLocation), "{text}");
        }
        assert_eq!(" gb-eng ".parse::<Location>().unwrap().to_string(), "GB-ENG");
    }
}
