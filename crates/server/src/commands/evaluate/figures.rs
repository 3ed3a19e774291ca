//! Arithmetic of the tables.

/// Mean; 0 for nothing.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

/// The share of `true`; 0 for nothing.
pub(super) fn share(values: impl Iterator<Item = bool>) -> f64 {
    mean(values.map(f64::from))
}

/// Three decimals.
pub(super) fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Error rates of a score at one threshold: accepted when the score is at least the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rates {
    /// Attacks that are accepted (ISO/IEC 30107-3).
    pub(super) apcer: f64,
    /// Bona fide presentations that are refused.
    pub(super) bpcer: f64,
}

pub(super) fn rates(real: &[f64], fake: &[f64], threshold: f64) -> Rates {
    Rates {
        apcer: share(fake.iter().map(|&score| score >= threshold)),
        bpcer: share(real.iter().map(|&score| score < threshold)),
    }
}

/// The highest threshold that refuses at most `bpcer` of the bona fide presentations.
pub(super) fn threshold_at_bpcer(real: &[f64], bpcer: f64) -> f64 {
    let mut sorted = real.to_vec();
    sorted.sort_by(f64::total_cmp);
    let refused = (bpcer * sorted.len() as f64 + 1e-9).floor() as usize;
    sorted.get(refused).copied().unwrap_or(f64::INFINITY)
}

/// Equal error rate: where APCER and BPCER meet, the mean of both at the nearest threshold.
pub(super) fn eer(real: &[f64], fake: &[f64]) -> f64 {
    let mut thresholds: Vec<f64> = real.iter().chain(fake).copied().collect();
    thresholds.push(f64::INFINITY);
    thresholds.sort_by(f64::total_cmp);
    thresholds
        .into_iter()
        .map(|threshold| rates(real, fake, threshold))
        .min_by(|a, b| (a.apcer - a.bpcer).abs().total_cmp(&(b.apcer - b.bpcer).abs()))
        .map_or(0.0, |rates| f64::midpoint(rates.apcer, rates.bpcer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_score_has_no_errors_and_a_useless_one_half() {
        assert_eq!(eer(&[0.9, 0.8], &[0.1, 0.2]), 0.0);
        assert_eq!(eer(&[0.1, 0.9], &[0.1, 0.9]), 0.5);
    }

    #[test]
    fn the_threshold_refuses_no_more_than_was_allowed() {
        let real: Vec<f64> = (0..100).map(f64::from).collect();
        let threshold = threshold_at_bpcer(&real, 0.1);
        assert_eq!(rates(&real, &[5.0, 15.0], threshold), Rates { apcer: 0.5, bpcer: 0.1 });
        assert_eq!(threshold_at_bpcer(&real, 0.0), 0.0);
    }
}
