//! Countries (ISO 3166-1) and their subdivisions (ISO 3166-2).

use documents::countries;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A country, or a subdivision of one. Subdivisions may be nested and have codes of their own (`ES-VC` and, within it,
/// `ES-V`), so the location of a person can have several.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(into = "String", try_from = "String")]
pub struct Location {
    /// The code as it was written, in upper case.
    code: String,
    /// ISO 3166-1 alpha-2, even if the code was alpha-3.
    country: String,
    subdivisions: Vec<String>,
}

/// The text is not a code of ISO 3166-1 or ISO 3166-2.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("it is not an ISO 3166-1 or ISO 3166-2 code")]
pub struct InvalidLocationError;

/// Nobody can be located where a code says.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum UnknownLocationError {
    #[error(transparent)]
    Invalid(#[from] InvalidLocationError),
    /// ISO 3166-1 has no such country.
    #[error("ISO 3166-1 has no such country")]
    NoCountry,
    /// ISO 3166-1 has another code for the country: that one.
    #[error("in ISO 3166-1 this country is {0}")]
    OtherCode(&'static str),
}

/// Codes that ISO 3166-1 leaves to its users and databases of addresses use: of Kosovo.
const USER_ASSIGNED_CODES: &[&str] = &["XK"];
/// Codes that are in use for countries whose code in ISO 3166-1 is the second.
const OTHER_CODES: &[(&str, &str)] = &[("EL", "GR"), ("UK", "GB")];

impl Location {
    /// Reads a code of a place where somebody can be: of a country of ISO 3166-1, or one that is located although it has no
    /// code there. [`FromStr`] also takes other letters, as they come from proxies and databases; nobody is in such a place.
    pub fn parse_known(text: &str) -> Result<Self, UnknownLocationError> {
        let location: Self = text.parse()?;
        let country = location.country.as_str();
        if countries::find_alpha_2(country).is_some() || USER_ASSIGNED_CODES.contains(&country) {
            return Ok(location);
        }
        let other = OTHER_CODES.iter().find(|(code, _)| *code == country);
        Err(other.map_or(UnknownLocationError::NoCountry, |&(_, iso)| UnknownLocationError::OtherCode(iso)))
    }

    /// Whether a person at `other` is in this location. A country contains all of its subdivisions; a person whose
    /// subdivision is not known is in none of them.
    pub fn contains(&self, other: &Self) -> bool {
        self.country == other.country
            && self.subdivisions.iter().all(|part| other.subdivisions.contains(part))
    }

    /// Adds a subdivision, given as the part of its ISO 3166-2 code after the hyphen. Text that cannot be one is
    /// ignored.
    #[must_use]
    pub fn with_subdivision(mut self, part: &str) -> Self {
        let part = part.trim().to_ascii_uppercase();
        if is_subdivision(&part) {
            self.subdivisions.push(part);
        }
        self
    }
}

fn is_subdivision(part: &str) -> bool {
    (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl FromStr for Location {
    type Err = InvalidLocationError;

    /// Reads `US`, `USA` or `US-UT`, in any case. Only an alpha-2 code can have a subdivision.
    fn from_str(text: &str) -> Result<Self, InvalidLocationError> {
        let code = text.trim().to_ascii_uppercase();
        let (country, part) = match code.split_once('-') {
            Some((country, part)) => (country, Some(part)),
            None => (countries::find_iso(&code).and_then(|known| known.alpha_2).unwrap_or(&code), None),
        };
        // Two letters need not be in the table: GeoIP databases use user-assigned codes.
        let is_valid = country.len() == 2
            && country.bytes().all(|byte| byte.is_ascii_uppercase())
            && part.is_none_or(is_subdivision);
        let (country, subdivisions) = (country.to_owned(), part.map(str::to_owned).into_iter().collect());
        if is_valid { Ok(Self { code, country, subdivisions }) } else { Err(InvalidLocationError) }
    }
}

impl TryFrom<String> for Location {
    type Error = InvalidLocationError;

    fn try_from(text: String) -> Result<Self, InvalidLocationError> {
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
        f.write_str(&self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_contains_its_subdivisions_and_a_subdivision_contains_itself() {
        let at = |text: &str| text.parse::<Location>().unwrap();
        assert!(at("us").contains(&at("US-UT")) && at("US").contains(&at("US")));
        assert!(at("US-UT").contains(&at("us-ut")));
        for (here, other) in [("US-UT", "US-TX"), ("US-UT", "US"), ("GB", "US"), ("GB", "US-GB")] {
            assert!(!at(here).contains(&at(other)), "{here} {other}");
        }
    }

    #[test]
    fn subdivisions_are_nested() {
        let at = |text: &str| text.parse::<Location>().unwrap();
        let valencia = at("ES").with_subdivision("VC").with_subdivision("v").with_subdivision("no code");
        for (here, contained) in
            [("ES", true), ("ES-VC", true), ("ES-V", true), ("ES-M", false), ("FR-V", false)]
        {
            assert_eq!(at(here).contains(&valencia), contained, "{here}");
        }
        assert!(!at("ES-V").contains(&at("ES-VC")), "a person in the whole need not be in that subdivision");
    }

    #[test]
    fn alpha_3_codes_mean_the_same_country_and_are_written_back_unchanged() {
        let at = |text: &str| text.parse::<Location>().unwrap();
        assert!(at("gbr").contains(&at("GB-ENG")) && at("GB").contains(&at("GBR")));
        assert!(!at("GBR").contains(&at("US")));
        assert_eq!((at("gbr").to_string(), at("gb").to_string()), ("GBR".to_owned(), "GB".to_owned()));
        let json = serde_json::to_string(&at("gbr")).unwrap();
        assert_eq!(serde_json::from_str::<Location>(&json).unwrap(), at("GBR"));
    }

    #[test]
    fn a_known_location_is_in_a_country_that_there_is() {
        for text in ["GB", "gbr", "us-ut", "XK"] {
            assert_eq!(Location::parse_known(text), Ok(text.parse().unwrap()), "{text}");
        }
        let refusal = |text: &str| Location::parse_known(text).unwrap_err().to_string();
        for text in ["XX", "ZZ", "QQ-1", "EU"] {
            assert_eq!(refusal(text), "ISO 3166-1 has no such country", "{text}");
            assert!(text.parse::<Location>().is_ok(), "proxies and databases say so");
        }
        for (text, iso) in [("UK", "GB"), ("uk-eng", "GB"), ("EL", "GR")] {
            assert_eq!(refusal(text), format!("in ISO 3166-1 this country is {iso}"), "{text}");
        }
        assert_eq!(refusal("Utah"), InvalidLocationError.to_string());
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "U", "USX", "GBD", "USA-UT", "U1", "US-", "US-UTAH", "US-U-T", "-UT", "ÄA"] {
            assert_eq!(text.parse::<Location>(), Err(InvalidLocationError), "{text}");
        }
        assert_eq!(" gb-eng ".parse::<Location>().unwrap().to_string(), "GB-ENG");
    }
}
