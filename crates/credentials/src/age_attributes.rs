//! What a presented credential says of its holder's age: thresholds, years, the date of birth.

use crate::age_claims::{AgeClaims, MAX_AGE_YEARS};
use crate::error::ProofVerificationError;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What a credential says of its holder's age. `Debug` prints none of it: it may hold the date of birth.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AgeAttributes {
    /// Thresholds in years, and whether each is reached; none is reached above one that is not.
    pub thresholds: BTreeMap<u8, bool>,
    /// The age in whole years.
    pub years: Option<u8>,
    /// The date of birth, `YYYY-MM-DD`. Only its shape was checked.
    pub birth_date: Option<String>,
}

impl std::fmt::Debug for AgeAttributes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Age(***)")
    }
}

impl AgeAttributes {
    /// Reads the claims of an SD-JWT VC: `age_over_NN`, `age_equal_or_over`, `age_in_years`, `birthdate`.
    pub(crate) fn of_json(claims: &Map<String, Value>) -> Result<Self, ProofVerificationError> {
        let birth_date = claims.get("birthdate").or_else(|| claims.get("birth_date"));
        Ok(Self {
            thresholds: AgeClaims::of_json(claims)?.into_consistent()?,
            years: claims.get("age_in_years").map(|age| parse_age_in_years(age.as_i64())).transpose()?,
            birth_date: birth_date.map(|date| parse_birth_date(date.as_str())).transpose()?,
        })
    }

    /// The threshold that decides whether `asked` years are reached, the nearest one if there are several: a reached
    /// one at `asked` or above, else a missed one at `asked` or below.
    pub fn deciding_threshold(&self, asked: u8) -> Option<(u8, bool)> {
        let reached = self.thresholds.range(asked..).find(|(_, reached)| **reached);
        let missed = self.thresholds.range(..=asked).rfind(|(_, reached)| !**reached);
        reached.or(missed).map(|(years, reached)| (*years, *reached))
    }
}

/// An age of 0 to 150 years.
pub(crate) fn parse_age_in_years(number: Option<i64>) -> Result<u8, ProofVerificationError> {
    let years = number.and_then(|years| u8::try_from(years).ok()).filter(|years| *years <= MAX_AGE_YEARS);
    years.ok_or_else(|| {
        ProofVerificationError::unsupported(format!(
            "the credential has an age that is not a whole number from 0 to {MAX_AGE_YEARS}"
        ))
    })
}

/// Ten characters shaped like a date. Whether the calendar has such a day is for the caller to check.
pub(crate) fn parse_birth_date(text: Option<&str>) -> Result<String, ProofVerificationError> {
    let is_date =
        |text: &&str| text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let text = text.filter(is_date);
    text.map(str::to_owned).ok_or_else(|| {
        ProofVerificationError::unsupported("the credential has a date of birth that is not YYYY-MM-DD")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_nearest_threshold_that_decides_is_taken() {
        let age = |over: &[(u8, bool)]| AgeAttributes {
            thresholds: over.iter().copied().collect(),
            ..AgeAttributes::default()
        };
        let all = age(&[(14, true), (16, true), (18, true), (21, false), (65, false)]);
        assert_eq!(all.deciding_threshold(15), Some((16, true)));
        assert_eq!(all.deciding_threshold(18), Some((18, true)));
        assert_eq!(all.deciding_threshold(21), Some((21, false)));
        assert_eq!(all.deciding_threshold(66), Some((65, false)));
        assert_eq!(all.deciding_threshold(19), None);
        assert_eq!(age(&[]).deciding_threshold(18), None);
    }

    #[test]
    fn every_wording_of_an_age_is_read_and_nonsense_is_not() {
        let of = |claims: Value| AgeAttributes::of_json(claims.as_object().unwrap());
        let age = of(json!({
            "age_equal_or_over": { "18": true, "_sd": [] }, "age_over_21": false, "age_in_years": 19,
            "birthdate": "2007-02-03", "name": "x",
        }))
        .unwrap();
        assert_eq!(age.thresholds, [(18, true), (21, false)].into());
        assert_eq!((age.years, age.birth_date.as_deref()), (Some(19), Some("2007-02-03")));
        assert_eq!(format!("{age:?}"), "Age(***)");
        for nonsense in [
            json!({ "age_over_18": "yes" }),
            json!({ "age_over_18": false, "age_over_21": true }),
            json!({ "age_in_years": -1 }),
            json!({ "age_in_years": 151 }),
            json!({ "birthdate": "3 May 2007" }),
            json!({ "birthdate": 20_070_203 }),
        ] {
            assert!(of(nonsense.clone()).is_err(), "{nonsense}");
        }
    }
}
