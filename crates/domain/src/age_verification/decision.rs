//! Decides what is known about an age against what a session asks for.

use super::{
    session::AgeMethodVerdict,
    session_config::{AgeMethodConfig, AgeSessionConfig, StoredAgeResult},
    types::{AgeFailureReason, AgeMethod, AgeSessionType},
};
use age_methods::{AgeAttribute, age_on};
use base::{Environment, Timestamp};
use jiff::{civil::Date, tz::TimeZone};
use std::sync::Arc;
use vision::AgeEstimate;

/// Ages that people have, years. A date of birth that gives another age is wrong.
const PLAUSIBLE_AGES_YEARS: std::ops::RangeInclusive<i64> = 0..=130;

/// The date in UTC, by which ages are counted.
pub(super) fn utc_date(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// Decides as of today.
#[derive(Debug)]
pub(super) struct AgeDecider {
    environment: Arc<dyn Environment>,
}

impl AgeDecider {
    pub(super) fn new(environment: Arc<dyn Environment>) -> Self {
        Self { environment }
    }

    /// The current date in UTC.
    pub(super) fn today(&self) -> Date {
        utc_date(self.environment.now())
    }

    /// An id for evidence that has none of its provider.
    pub(super) fn new_evidence_id(&self) -> String {
        self.environment.uuid_v4().to_string()
    }

    /// See [`decide_from_evidence`].
    pub(super) fn decide_from_evidence(
        &self,
        known: AgeAttribute,
        session: &AgeSessionConfig,
        config: &AgeMethodConfig,
        evidence_id: Option<String>,
    ) -> AgeMethodVerdict {
        decide_from_evidence(known, session, config, self.today(), evidence_id)
    }
}

/// Decides from a date of birth, or from whether an age is reached.
pub(super) fn decide_from_evidence(
    known: AgeAttribute,
    session: &AgeSessionConfig,
    config: &AgeMethodConfig,
    today: Date,
    evidence_id: Option<String>,
) -> AgeMethodVerdict {
    let threshold = config.threshold;
    match (known, session.kind) {
        (AgeAttribute::DateOfBirth(born), kind) => {
            let age = i64::from(age_on(born, today));
            if !PLAUSIBLE_AGES_YEARS.contains(&age) {
                return AgeMethodVerdict::Undecided { code: AgeFailureReason::NoSuchAge };
            }
            match kind {
                AgeSessionType::Age => passed_verdict(session, config, age, evidence_id),
                AgeSessionType::Over => threshold_verdict(age >= threshold, session, config, evidence_id),
                AgeSessionType::Under => threshold_verdict(age < threshold, session, config, evidence_id),
            }
        }
        (AgeAttribute::Over { .. }, AgeSessionType::Age) => {
            AgeMethodVerdict::Undecided { code: AgeFailureReason::AgeNotTold }
        }
        // Who has reached a higher age has reached the threshold; who has not reached a lower age has not reached it.
        (AgeAttribute::Over { years, reached: true }, kind) if i64::from(years) >= threshold => {
            threshold_verdict(kind == AgeSessionType::Over, session, config, evidence_id)
        }
        (AgeAttribute::Over { years, reached: false }, kind) if i64::from(years) <= threshold => {
            threshold_verdict(kind == AgeSessionType::Under, session, config, evidence_id)
        }
        (AgeAttribute::Over { .. }, _) => AgeMethodVerdict::Undecided { code: AgeFailureReason::AgeNotTold },
    }
}

/// Decides from an estimate. It is compared with the threshold; one that misses it proves no age, so the attempt is
/// undecided and another method may be opened. If the block asks for a confidence, the estimate passes or fails only if the
/// probability of that is at least as high. An estimate in place of a wallet must pass a threshold of its own, and cannot
/// be stored, because the stored result would claim to be a wallet's.
pub(super) fn decide_from_estimate(
    session: &AgeSessionConfig,
    config: &AgeMethodConfig,
    estimate: &AgeEstimate,
) -> AgeMethodVerdict {
    let threshold = config.threshold;
    let replaces_wallet = config.method == AgeMethod::DigitalId;
    let pass_threshold = config.age_estimation_threshold.filter(|_| replaces_wallet).unwrap_or(threshold);
    let (above, below) = if session.kind == AgeSessionType::Over {
        (pass_threshold, threshold)
    } else {
        (threshold, pass_threshold)
    };
    let years = f64::from(estimate.years);
    let verdict = match (session.kind, config.confidence_in_estimates()) {
        (AgeSessionType::Age, _) => passed_verdict(session, config, years.floor() as i64, None),
        (AgeSessionType::Over, None) if years >= above as f64 => {
            threshold_verdict(true, session, config, None)
        }
        (AgeSessionType::Under, None) if years < below as f64 => {
            threshold_verdict(true, session, config, None)
        }
        (kind, None) => AgeMethodVerdict::Undecided { code: missed_threshold(kind) },
        (kind, Some(confidence)) if estimate.at_least(above as f64) >= confidence => {
            threshold_verdict(kind == AgeSessionType::Over, session, config, None)
        }
        (kind, Some(confidence)) if estimate.at_least(below as f64) <= 1.0 - confidence => {
            threshold_verdict(kind == AgeSessionType::Under, session, config, None)
        }
        (_, Some(_)) => AgeMethodVerdict::Undecided { code: AgeFailureReason::AgeUncertain },
    };
    match verdict {
        AgeMethodVerdict::Passed { age, evidence, .. } if replaces_wallet => {
            AgeMethodVerdict::Passed { age, evidence, level: config.level, storable_result: None }
        }
        other => other,
    }
}

fn threshold_verdict(
    is_as_required: bool,
    session: &AgeSessionConfig,
    config: &AgeMethodConfig,
    evidence_id: Option<String>,
) -> AgeMethodVerdict {
    if is_as_required {
        return passed_verdict(session, config, config.threshold, evidence_id);
    }
    AgeMethodVerdict::Failed { evidence: evidence_id, code: missed_threshold(session.kind) }
}

/// What is wrong with an age on the other side of the threshold.
fn missed_threshold(kind: AgeSessionType) -> AgeFailureReason {
    if kind == AgeSessionType::Under { AgeFailureReason::OverAge } else { AgeFailureReason::UnderAge }
}

fn passed_verdict(
    session: &AgeSessionConfig,
    config: &AgeMethodConfig,
    age: i64,
    evidence_id: Option<String>,
) -> AgeMethodVerdict {
    let result = StoredAgeResult {
        kind: session.kind,
        age,
        method: config.method,
        level: config.level,
        authenticity: config.authenticity,
        confidence: config.confidence,
    };
    // A passkey or a token shows an earlier result, which must not be stored again as if it were new. What a phone's
    // system states depends on who stands behind it, which a stored result does not say.
    let is_storable =
        !matches!(config.method, AgeMethod::SvcKey | AgeMethod::DoubleAnonymity | AgeMethod::DeviceSignal);
    AgeMethodVerdict::Passed {
        age,
        evidence: evidence_id,
        level: config.liveness_level(),
        storable_result: is_storable.then_some(result),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::age_verification::request::tests::config;
    use serde_json::json;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn sides_of_a_threshold() {
        let today = day("2026-11-22");
        let kinds = |known: AgeAttribute| {
            ["OVER", "UNDER", "AGE"].map(|kind| {
                let session = config(&json!({ "type": kind, "electronic_id": { "threshold": 18 } }));
                let method = session.method_config(AgeMethod::ElectronicId).unwrap();
                match decide_from_evidence(known, &session, method, today, None) {
                    AgeMethodVerdict::Passed { age, .. } => format!("passed {age}"),
                    AgeMethodVerdict::Failed { code, .. }
                    | AgeMethodVerdict::Undecided { code }
                    | AgeMethodVerdict::Broken { code } => code.to_string(),
                }
            })
        };
        assert_eq!(
            kinds(AgeAttribute::DateOfBirth(day("2008-11-22"))),
            ["passed 18", "OVER_AGE", "passed 18"]
        );
        assert_eq!(
            kinds(AgeAttribute::DateOfBirth(day("2008-11-23"))),
            ["UNDER_AGE", "passed 18", "passed 17"]
        );
        assert_eq!(kinds(AgeAttribute::DateOfBirth(day("1850-01-01"))), ["NO_SUCH_AGE"; 3]);
        assert_eq!(kinds(AgeAttribute::DateOfBirth(day("2027-01-01"))), ["NO_SUCH_AGE"; 3]);
        assert_eq!(
            kinds(AgeAttribute::Over { years: 21, reached: true }),
            ["passed 18", "OVER_AGE", "AGE_NOT_TOLD"]
        );
        assert_eq!(kinds(AgeAttribute::Over { years: 21, reached: false }), ["AGE_NOT_TOLD"; 3]);
        assert_eq!(kinds(AgeAttribute::Over { years: 16, reached: true }), ["AGE_NOT_TOLD"; 3]);
        assert_eq!(
            kinds(AgeAttribute::Over { years: 16, reached: false }),
            ["UNDER_AGE", "passed 18", "AGE_NOT_TOLD"]
        );
    }

    #[test]
    fn an_estimate_in_place_of_a_wallet_has_a_threshold_of_its_own() {
        let says = |kind: &str, threshold: i64, confidence: Option<f64>, years: f32| {
            let mut block = json!({ "age_estimation_allowed": true, "age_estimation_threshold": threshold });
            if let Some(confidence) = confidence {
                block["age_estimation_confidence"] = confidence.into();
            }
            let session = config(&json!({ "type": kind, "digital_id": block }));
            let method = session.method_config(AgeMethod::DigitalId).unwrap();
            let estimated = AgeEstimate { years, st_dev: 2.0, low80: 0.0, high80: 0.0, spread: 0.0 };
            match decide_from_estimate(&session, method, &estimated) {
                AgeMethodVerdict::Passed { age, storable_result, .. } => {
                    assert!(storable_result.is_none());
                    age
                }
                AgeMethodVerdict::Failed { .. } => -1,
                _ => 0,
            }
        };
        // An estimate that is surely below 25 may still be above 18.
        let sure = Some(0.95);
        assert_eq!([14.0, 20.0, 28.0, 29.0].map(|years| says("OVER", 25, sure, years)), [-1, 0, 0, 18]);
        assert_eq!([9.0, 12.0, 16.0, 22.0].map(|years| says("UNDER", 14, sure, years)), [18, 0, 0, -1]);
        assert_eq!([17.0, 24.9, 25.0].map(|years| says("OVER", 25, None, years)), [0, 0, 18]);
        assert_eq!([13.9, 14.0, 22.0].map(|years| says("UNDER", 14, None, years)), [18, 0, 0]);
    }

    #[test]
    fn an_estimate_is_compared_with_the_threshold() {
        let says = |kind: &str, years: f32| {
            let session = config(&json!({ "type": kind, "age_estimation": { "threshold": 25 } }));
            let method = session.method_config(AgeMethod::AgeEstimation).unwrap();
            let estimated = AgeEstimate { years, st_dev: 7.0, low80: 0.0, high80: 0.0, spread: 0.0 };
            match decide_from_estimate(&session, method, &estimated) {
                AgeMethodVerdict::Passed { age, .. } => format!("passed {age}"),
                AgeMethodVerdict::Undecided { code } => code.to_string(),
                other => format!("{other:?}"),
            }
        };
        assert_eq!(
            [12.0, 24.9, 25.0, 60.0].map(|years| says("OVER", years)),
            ["UNDER_AGE", "UNDER_AGE", "passed 25", "passed 25"]
        );
        assert_eq!(
            [12.0, 24.9, 25.0, 60.0].map(|years| says("UNDER", years)),
            ["passed 25", "passed 25", "OVER_AGE", "OVER_AGE"]
        );
    }

    #[test]
    fn with_a_confidence_an_estimate_near_the_threshold_is_undecided() {
        let says = |kind: &str, years: f32| {
            let block = match kind {
                "AGE" => json!({}),
                _ => json!({ "threshold": 18, "confidence": 0.95 }),
            };
            let session = config(&json!({ "type": kind, "age_estimation": block }));
            let method = session.method_config(AgeMethod::AgeEstimation).unwrap();
            let estimated = AgeEstimate { years, st_dev: 4.0, low80: 0.0, high80: 0.0, spread: 0.0 };
            match decide_from_estimate(&session, method, &estimated) {
                AgeMethodVerdict::Passed { age, .. } => age,
                AgeMethodVerdict::Failed { .. } => -1,
                _ => 0,
            }
        };
        // 1.645 standard deviations of 4 years: from 24.6 on it is surely above, up to 11.4 surely below.
        assert_eq!([11.0, 12.0, 18.0, 24.0, 25.0].map(|years| says("OVER", years)), [-1, 0, 0, 0, 18]);
        assert_eq!([11.0, 12.0, 18.0, 24.0, 25.0].map(|years| says("UNDER", years)), [18, 0, 0, 0, -1]);
        assert_eq!(says("AGE", 24.9), 24);
    }
}
