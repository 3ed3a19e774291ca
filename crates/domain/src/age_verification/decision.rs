//! What is known of an age, held against what was asked for.

use super::{
    session::AgeMethodVerdict,
    session_config::{AgeMethodConfig, AgeSessionConfig, StoredAgeResult},
    types::{AgeCheckType, AgeFailureReason, AgeMethod, AgeSessionType},
};
use age_methods::{AgeAttribute, age_on};
use jiff::civil::Date;
use vision::AgeEstimate;

/// The ages that people have; a date of birth outside is none.
const PLAUSIBLE_AGES_YEARS: std::ops::RangeInclusive<i64> = 0..=130;

/// What a finding means for a session.
pub(super) fn decide_from_evidence(
    known: AgeAttribute,
    wanted: &AgeSessionConfig,
    block: &AgeMethodConfig,
    today: Date,
    evidence: Option<String>,
) -> AgeMethodVerdict {
    let asked = block.threshold;
    match (known, wanted.kind) {
        (AgeAttribute::DateOfBirth(born), kind) => {
            let age = i64::from(age_on(born, today));
            if !PLAUSIBLE_AGES_YEARS.contains(&age) {
                return AgeMethodVerdict::Undecided { code: AgeFailureReason::NoSuchAge };
            }
            match kind {
                AgeSessionType::Age => passed_verdict(wanted, block, age, evidence),
                AgeSessionType::Over => threshold_verdict(age >= asked, wanted, block, evidence),
                AgeSessionType::Under => threshold_verdict(age < asked, wanted, block, evidence),
            }
        }
        (AgeAttribute::Over { .. }, AgeSessionType::Age) => {
            AgeMethodVerdict::Undecided { code: AgeFailureReason::AgeNotTold }
        }
        // Having reached more is having reached less, and the other way round.
        (AgeAttribute::Over { years, reached: true }, kind) if i64::from(years) >= asked => {
            threshold_verdict(kind == AgeSessionType::Over, wanted, block, evidence)
        }
        (AgeAttribute::Over { years, reached: false }, kind) if i64::from(years) <= asked => {
            threshold_verdict(kind == AgeSessionType::Under, wanted, block, evidence)
        }
        (AgeAttribute::Over { .. }, _) => AgeMethodVerdict::Undecided { code: AgeFailureReason::AgeNotTold },
    }
}

/// What an estimate means: it passes or fails where it is at least as sure as `sure` (0.5 to 1), and is undecided between.
/// Where it stands in for a wallet it must pass a threshold of its own, and is not kept as what a wallet showed.
pub(super) fn decide_from_estimate(
    wanted: &AgeSessionConfig,
    block: &AgeMethodConfig,
    estimate: &AgeEstimate,
    sure: f64,
) -> AgeMethodVerdict {
    let asked = block.threshold;
    let instead = block.method == AgeMethod::DigitalId;
    let shown = block.age_estimation_threshold.filter(|_| instead).unwrap_or(asked);
    let (above, below) = if wanted.kind == AgeSessionType::Over { (shown, asked) } else { (asked, shown) };
    let verdict = match wanted.kind {
        AgeSessionType::Age => passed_verdict(wanted, block, f64::from(estimate.years).floor() as i64, None),
        kind if estimate.at_least(above as f64) >= sure => {
            threshold_verdict(kind == AgeSessionType::Over, wanted, block, None)
        }
        kind if estimate.at_least(below as f64) <= 1.0 - sure => {
            threshold_verdict(kind == AgeSessionType::Under, wanted, block, None)
        }
        _ => AgeMethodVerdict::Undecided { code: AgeFailureReason::AgeUncertain },
    };
    match verdict {
        AgeMethodVerdict::Passed { age, evidence, check_type, .. } if instead => {
            AgeMethodVerdict::Passed { age, evidence, check_type, storable_result: None }
        }
        other => other,
    }
}

fn threshold_verdict(
    yes: bool,
    wanted: &AgeSessionConfig,
    block: &AgeMethodConfig,
    evidence: Option<String>,
) -> AgeMethodVerdict {
    if yes {
        return passed_verdict(wanted, block, block.threshold, evidence);
    }
    let code = if wanted.kind == AgeSessionType::Under {
        AgeFailureReason::OverAge
    } else {
        AgeFailureReason::UnderAge
    };
    AgeMethodVerdict::Failed { evidence, code }
}

fn passed_verdict(
    wanted: &AgeSessionConfig,
    block: &AgeMethodConfig,
    age: i64,
    evidence: Option<String>,
) -> AgeMethodVerdict {
    let held = StoredAgeResult {
        kind: wanted.kind,
        age,
        method: block.method,
        level: block.level,
        authenticity: block.authenticity,
    };
    // A result that came from a kept one is kept already.
    let fresh = !matches!(block.method, AgeMethod::SvcKey | AgeMethod::DoubleAnonymity);
    AgeMethodVerdict::Passed {
        age,
        evidence,
        check_type: AgeCheckType::Session,
        storable_result: fresh.then_some(held),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::age_verification::tests::wanted;
    use serde_json::json;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn sides_of_a_threshold() {
        let today = day("2026-11-22");
        let kinds = |known: AgeAttribute| {
            ["OVER", "UNDER", "AGE"].map(|kind| {
                let wanted = wanted(&json!({ "type": kind, "electronic_id": { "threshold": 18 } }));
                let block = wanted.method_config(AgeMethod::ElectronicId).unwrap();
                match decide_from_evidence(known, &wanted, block, today, None) {
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
    fn an_estimate_instead_of_a_wallet_has_a_threshold_of_its_own() {
        let says = |kind: &str, threshold: i64, years: f32| {
            let block = json!({ "age_estimation_allowed": true, "age_estimation_threshold": threshold });
            let wanted = wanted(&json!({ "type": kind, "digital_id": block }));
            let block = wanted.method_config(AgeMethod::DigitalId).unwrap();
            let estimated = AgeEstimate { years, st_dev: 2.0, low80: 0.0, high80: 0.0, spread: 0.0 };
            match decide_from_estimate(&wanted, block, &estimated, 0.95) {
                AgeMethodVerdict::Passed { age, storable_result: held, .. } => {
                    assert!(held.is_none());
                    age
                }
                AgeMethodVerdict::Failed { .. } => -1,
                _ => 0,
            }
        };
        // What is surely below 25 may still be above 18.
        assert_eq!([14.0, 20.0, 28.0, 29.0].map(|years| says("OVER", 25, years)), [-1, 0, 0, 18]);
        assert_eq!([9.0, 12.0, 16.0, 22.0].map(|years| says("UNDER", 14, years)), [18, 0, 0, -1]);
    }

    #[test]
    fn an_estimate_near_the_threshold_says_neither() {
        let says = |kind: &str, years: f32| {
            let wanted = wanted(&json!({ "type": kind, "age_estimation": { "threshold": 18 } }));
            let block = wanted.method_config(AgeMethod::AgeEstimation).unwrap();
            let estimated = AgeEstimate { years, st_dev: 4.0, low80: 0.0, high80: 0.0, spread: 0.0 };
            match decide_from_estimate(&wanted, block, &estimated, 0.95) {
                AgeMethodVerdict::Passed { age, .. } => age,
                AgeMethodVerdict::Failed { .. } => -1,
                _ => 0,
            }
        };
        // 1.645 deviations: from 24.6 on it is surely above, up to 11.4 surely below.
        assert_eq!([11.0, 12.0, 18.0, 24.0, 25.0].map(|years| says("OVER", years)), [-1, 0, 0, 0, 18]);
        assert_eq!([11.0, 12.0, 18.0, 24.0, 25.0].map(|years| says("UNDER", years)), [18, 0, 0, 0, -1]);
        assert_eq!(says("AGE", 24.9), 24);
    }
}
