//! What is known of an age, held against what was asked for.

use super::{
    session::Verdict,
    wanted::{Block, Held, Wanted},
    words::{AgeCheckType, AgeFailureReason, AgeMethod, AgeSessionType},
};
use ::methods::{Known, age_on};
use jiff::civil::Date;
use vision::AgeEstimate;

/// The ages that people have; a date of birth outside is none.
const AGES: std::ops::RangeInclusive<i64> = 0..=130;

/// What a finding means for a session.
pub(super) fn finding(
    known: Known,
    wanted: &Wanted,
    block: &Block,
    today: Date,
    evidence: Option<String>,
) -> Verdict {
    let asked = block.threshold;
    match (known, wanted.kind) {
        (Known::Born(born), kind) => {
            let age = i64::from(age_on(born, today));
            if !AGES.contains(&age) {
                return Verdict::Undecided { code: AgeFailureReason::NoSuchAge };
            }
            match kind {
                AgeSessionType::Age => passed(wanted, block, age, evidence),
                AgeSessionType::Over => told(age >= asked, wanted, block, evidence),
                AgeSessionType::Under => told(age < asked, wanted, block, evidence),
            }
        }
        (Known::Over { .. }, AgeSessionType::Age) => {
            Verdict::Undecided { code: AgeFailureReason::AgeNotTold }
        }
        // Having reached more is having reached less, and the other way round.
        (Known::Over { years, is: true }, kind) if i64::from(years) >= asked => {
            told(kind == AgeSessionType::Over, wanted, block, evidence)
        }
        (Known::Over { years, is: false }, kind) if i64::from(years) <= asked => {
            told(kind == AgeSessionType::Under, wanted, block, evidence)
        }
        (Known::Over { .. }, _) => Verdict::Undecided { code: AgeFailureReason::AgeNotTold },
    }
}

/// What an estimate means: it passes or fails where it is at least as sure as `sure` (0.5 to 1), and is undecided between.
/// Where it stands in for a wallet it must pass a threshold of its own, and is not kept as what a wallet showed.
pub(super) fn estimate(wanted: &Wanted, block: &Block, estimate: &AgeEstimate, sure: f64) -> Verdict {
    let asked = block.threshold;
    let instead = block.method == AgeMethod::DigitalId;
    let shown = block.age_estimation_threshold.filter(|_| instead).unwrap_or(asked);
    let (above, below) = if wanted.kind == AgeSessionType::Over { (shown, asked) } else { (asked, shown) };
    let verdict = match wanted.kind {
        AgeSessionType::Age => passed(wanted, block, f64::from(estimate.years).floor() as i64, None),
        kind if estimate.at_least(above as f64) >= sure => {
            told(kind == AgeSessionType::Over, wanted, block, None)
        }
        kind if estimate.at_least(below as f64) <= 1.0 - sure => {
            told(kind == AgeSessionType::Under, wanted, block, None)
        }
        _ => Verdict::Undecided { code: AgeFailureReason::AgeUncertain },
    };
    match verdict {
        Verdict::Passed { age, evidence, check_type, .. } if instead => {
            Verdict::Passed { age, evidence, check_type, held: None }
        }
        other => other,
    }
}

fn told(yes: bool, wanted: &Wanted, block: &Block, evidence: Option<String>) -> Verdict {
    if yes {
        return passed(wanted, block, block.threshold, evidence);
    }
    let code = if wanted.kind == AgeSessionType::Under {
        AgeFailureReason::OverAge
    } else {
        AgeFailureReason::UnderAge
    };
    Verdict::Failed { evidence, code }
}

fn passed(wanted: &Wanted, block: &Block, age: i64, evidence: Option<String>) -> Verdict {
    let held = Held {
        kind: wanted.kind,
        age,
        method: block.method,
        level: block.level,
        authenticity: block.authenticity,
    };
    // A result that came from a kept one is kept already.
    let fresh = !matches!(block.method, AgeMethod::SvcKey | AgeMethod::DoubleAnonymity);
    Verdict::Passed { age, evidence, check_type: AgeCheckType::Session, held: fresh.then_some(held) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ages::tests::wanted;
    use serde_json::json;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn sides_of_a_threshold() {
        let today = day("2026-11-22");
        let kinds = |known: Known| {
            ["OVER", "UNDER", "AGE"].map(|kind| {
                let wanted = wanted(&json!({ "type": kind, "electronic_id": { "threshold": 18 } }));
                let block = wanted.block(AgeMethod::ElectronicId).unwrap();
                match finding(known, &wanted, block, today, None) {
                    Verdict::Passed { age, .. } => format!("passed {age}"),
                    Verdict::Failed { code, .. } | Verdict::Undecided { code } | Verdict::Broken { code } => {
                        code.to_string()
                    }
                }
            })
        };
        assert_eq!(kinds(Known::Born(day("2008-11-22"))), ["passed 18", "OVER_AGE", "passed 18"]);
        assert_eq!(kinds(Known::Born(day("2008-11-23"))), ["UNDER_AGE", "passed 18", "passed 17"]);
        assert_eq!(kinds(Known::Born(day("1850-01-01"))), ["NO_SUCH_AGE"; 3]);
        assert_eq!(kinds(Known::Born(day("2027-01-01"))), ["NO_SUCH_AGE"; 3]);
        assert_eq!(kinds(Known::Over { years: 21, is: true }), ["passed 18", "OVER_AGE", "AGE_NOT_TOLD"]);
        assert_eq!(kinds(Known::Over { years: 21, is: false }), ["AGE_NOT_TOLD"; 3]);
        assert_eq!(kinds(Known::Over { years: 16, is: true }), ["AGE_NOT_TOLD"; 3]);
        assert_eq!(kinds(Known::Over { years: 16, is: false }), ["UNDER_AGE", "passed 18", "AGE_NOT_TOLD"]);
    }

    #[test]
    fn an_estimate_instead_of_a_wallet_has_a_threshold_of_its_own() {
        let says = |kind: &str, threshold: i64, years: f32| {
            let block = json!({ "age_estimation_allowed": true, "age_estimation_threshold": threshold });
            let wanted = wanted(&json!({ "type": kind, "digital_id": block }));
            let block = wanted.block(AgeMethod::DigitalId).unwrap();
            let estimated = AgeEstimate { years, st_dev: 2.0, low80: 0.0, high80: 0.0, spread: 0.0 };
            match estimate(&wanted, block, &estimated, 0.95) {
                Verdict::Passed { age, held, .. } => {
                    assert!(held.is_none());
                    age
                }
                Verdict::Failed { .. } => -1,
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
            let block = wanted.block(AgeMethod::AgeEstimation).unwrap();
            let estimated = AgeEstimate { years, st_dev: 4.0, low80: 0.0, high80: 0.0, spread: 0.0 };
            match estimate(&wanted, block, &estimated, 0.95) {
                Verdict::Passed { age, .. } => age,
                Verdict::Failed { .. } => -1,
                _ => 0,
            }
        };
        // 1.645 deviations: from 24.6 on it is surely above, up to 11.4 surely below.
        assert_eq!([11.0, 12.0, 18.0, 24.0, 25.0].map(|years| says("OVER", years)), [-1, 0, 0, 0, 18]);
        assert_eq!([11.0, 12.0, 18.0, 24.0, 25.0].map(|years| says("UNDER", years)), [18, 0, 0, 0, -1]);
        assert_eq!(says("AGE", 24.9), 24);
    }
}
