//! The age thresholds that a proof states.
//!
//! Issuers write them in four ways, in JSON as in CBOR, and all are read:
//! `age_over: {"18": true}` and `age_equal_or_over: {"18": true}` (keys are numbers or text), `age_over_18: true`, and,
//! in credentials of the W3C's data model, `ageOver: 18`. In a CWT `age_over` may also stand under the private label
//! -65537.

use crate::cbor;
use crate::error::{ProofFailureReason, ProofVerificationError};
use ciborium::Value as Cbor;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The private CWT label of `age_over`.
pub(crate) const AGE_OVER_LABEL: i64 = -65537;
/// The highest threshold that is accepted, in years.
pub(crate) const MAX_AGE_YEARS: u8 = 150;

/// Thresholds in years (1 to [`MAX_AGE_YEARS`]), and whether each is reached.
#[derive(Debug, Default)]
pub(crate) struct AgeClaims(BTreeMap<u8, bool>);

impl AgeClaims {
    /// The thresholds in a JSON object; nested objects are not searched.
    pub(crate) fn of_json(members: &Map<String, Value>) -> Result<Self, ProofVerificationError> {
        let mut ages = Self::default();
        ages.read_json(members)?;
        Ok(ages)
    }

    /// Adds the thresholds in a JSON object.
    pub(crate) fn read_json(&mut self, members: &Map<String, Value>) -> Result<(), ProofVerificationError> {
        for (name, value) in members {
            match name.as_str() {
                "age_over" | "age_equal_or_over" => {
                    for (threshold, reached) in value.as_object().ok_or_else(unreadable)? {
                        // Digests of what the holder does not disclose stand beside what is disclosed.
                        if threshold != "_sd" {
                            self.add(threshold, reached.as_bool())?;
                        }
                    }
                }
                "ageOver" => self.add(&value.to_string(), Some(true))?,
                _ => {
                    if let Some(threshold) = name.strip_prefix("age_over_") {
                        self.add(threshold, value.as_bool())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The thresholds in a map of CWT claims.
    pub(crate) fn of_cbor(claims: &[(Cbor, Cbor)]) -> Result<Self, ProofVerificationError> {
        let mut ages = Self::default();
        for (label, value) in claims {
            let name = label.as_text().unwrap_or_default();
            if cbor::as_i64(label) == Some(AGE_OVER_LABEL)
                || name == "age_over"
                || name == "age_equal_or_over"
            {
                for (threshold, reached) in value.as_map().ok_or_else(unreadable)? {
                    let number = cbor::as_i64(threshold).map(|number| number.to_string());
                    let threshold = number.as_deref().or(threshold.as_text()).ok_or_else(unreadable)?;
                    ages.add(threshold, reached.as_bool())?;
                }
            } else if let Some(threshold) = name.strip_prefix("age_over_") {
                ages.add(threshold, value.as_bool())?;
            }
        }
        Ok(ages)
    }

    /// Adds one threshold, given in decimal digits. Fails if it was added before with the other answer.
    pub(crate) fn add(
        &mut self,
        threshold: &str,
        reached: Option<bool>,
    ) -> Result<(), ProofVerificationError> {
        let digits =
            (1..=3).contains(&threshold.len()) && threshold.bytes().all(|byte| byte.is_ascii_digit());
        let years =
            threshold.parse::<u8>().ok().filter(|years| digits && (1..=MAX_AGE_YEARS).contains(years));
        let (Some(years), Some(reached)) = (years, reached) else { return Err(unreadable()) };
        if self.0.insert(years, reached).is_some_and(|before| before != reached) {
            return Err(contradiction());
        }
        Ok(())
    }

    /// Each threshold and whether it is reached. Fails if one is reached above one that is not.
    pub(crate) fn into_consistent(self) -> Result<BTreeMap<u8, bool>, ProofVerificationError> {
        let missed = self.0.iter().find(|(_, reached)| !**reached).map(|(years, _)| *years);
        let reached = self.0.iter().rfind(|(_, reached)| **reached).map(|(years, _)| *years);
        match (missed, reached) {
            (Some(missed), Some(reached)) if missed < reached => Err(contradiction()),
            _ => Ok(self.0),
        }
    }

    /// The highest threshold that is reached, capped at `trusted_up_to` years. Fails if none is reached, or if one is
    /// reached above one that is not.
    pub(crate) fn highest_reached(&self, trusted_up_to: Option<u8>) -> Result<u8, ProofVerificationError> {
        let reached = self.0.iter().filter(|(_, reached)| **reached).map(|(years, _)| *years).max();
        let missed = self.0.iter().filter(|(_, reached)| !**reached).map(|(years, _)| *years).min();
        let Some(reached) = reached else {
            let detail = match missed {
                Some(_) => "the proof says that its thresholds of age are not reached",
                None => "the proof says nothing about age",
            };
            return Err(ProofVerificationError::new(ProofFailureReason::UnsupportedPayload, detail));
        };
        if missed.is_some_and(|missed| missed < reached) {
            return Err(contradiction());
        }
        Ok(trusted_up_to.map_or(reached, |limit| limit.min(reached)))
    }
}

fn unreadable() -> ProofVerificationError {
    ProofVerificationError::new(
        ProofFailureReason::UnsupportedPayload,
        "what the proof says about age cannot be read",
    )
}

fn contradiction() -> ProofVerificationError {
    ProofVerificationError::new(
        ProofFailureReason::UnsupportedPayload,
        "what the proof says about age contradicts itself",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn highest(claims: &Value) -> Result<u8, String> {
        let ages = AgeClaims::of_json(claims.as_object().unwrap()).map_err(|failed| failed.detail)?;
        ages.highest_reached(None).map_err(|failed| failed.detail)
    }

    #[test]
    fn all_wordings_are_read_and_nonsense_is_not() {
        for (claims, years) in [
            (json!({ "age_over": { "18": true, "21": false } }), 18),
            (json!({ "age_equal_or_over": { "18": true, "65": false, "_sd": ["x"] } }), 18),
            (json!({ "age_over_18": true, "age_over_21": true }), 21),
            (json!({ "ageOver": 18, "name": "x" }), 18),
        ] {
            assert_eq!(highest(&claims), Ok(years), "{claims}");
        }
        for claims in [
            json!({}),
            json!({ "age_over_18": false }),
            json!({ "age_over_18": "true" }),
            json!({ "age_over_18": 1 }),
            json!({ "age_over": [18] }),
            json!({ "age_over": { "eighteen": true } }),
            json!({ "age_over": { "+18": true } }),
            json!({ "age_over": { "0": true } }),
            json!({ "age_over_18": false, "age_over_21": true }),
            json!({ "age_over_18": true, "age_over": { "18": false } }),
            json!({ "ageOver": "18" }),
        ] {
            assert!(highest(&claims).is_err(), "{claims}");
        }
    }
}
