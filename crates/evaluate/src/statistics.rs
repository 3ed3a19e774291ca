//! Statistics of the reports: rates with confidence intervals, error rates of scores, and reproducible random numbers.

/// Arithmetic mean; 0 for no values.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

/// The share of `true`; 0 for no values.
pub(super) fn share(values: impl Iterator<Item = bool>) -> f64 {
    mean(values.map(f64::from))
}

/// Rounds to three decimals.
pub(super) fn round(value: f64) -> f64 {
    round_to(value, 3)
}

pub(super) fn round_to(value: f64, decimals: i32) -> f64 {
    let factor = 10_f64.powi(decimals);
    (value * factor).round() / factor
}

/// A rate with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub(super) struct ConfidenceInterval {
    pub(super) rate: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The rate `count` of `all` with Wilson's score interval; 0 to 1 where `all` is 0.
pub(super) fn wilson_interval(count: usize, all: usize) -> ConfidenceInterval {
    const Z_OF_95_PERCENT: f64 = 1.959_963_985;
    if all == 0 {
        return ConfidenceInterval { rate: 0.0, low: 0.0, high: 1.0 };
    }
    let (n, rate) = (all as f64, count as f64 / all as f64);
    let scale = 1.0 + Z_OF_95_PERCENT * Z_OF_95_PERCENT / n;
    let centre = (rate + Z_OF_95_PERCENT * Z_OF_95_PERCENT / (2.0 * n)) / scale;
    let reach = Z_OF_95_PERCENT / scale
        * (rate * (1.0 - rate) / n + Z_OF_95_PERCENT * Z_OF_95_PERCENT / (4.0 * n * n)).sqrt();
    let [rate, low, high] =
        [rate, (centre - reach).max(0.0), (centre + reach).min(1.0)].map(|v| round_to(v, 6));
    ConfidenceInterval { rate, low, high }
}

/// Area under the ROC curve: the probability that a genuine score is greater than an impostor score, ties counting
/// half.
pub(super) fn auc(genuine: &[f64], impostor: &[f64]) -> f64 {
    let sorted = sorted(impostor);
    mean(genuine.iter().map(|score| {
        let below = sorted.partition_point(|other| other < score);
        let equal = sorted.partition_point(|other| other <= score) - below;
        (below as f64 + equal as f64 / 2.0) / sorted.len().max(1) as f64
    }))
}

/// Error rates at a threshold. A score is accepted from the threshold on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ErrorRates {
    /// Share of attacks that are accepted (ISO/IEC 30107-3).
    pub(super) apcer: f64,
    /// Share of bona fide presentations that are refused.
    pub(super) bpcer: f64,
}

pub(super) fn error_rates(real: &[f64], fake: &[f64], threshold: f64) -> ErrorRates {
    ErrorRates {
        apcer: share(fake.iter().map(|&score| score >= threshold)),
        bpcer: share(real.iter().map(|&score| score < threshold)),
    }
}

fn sorted(scores: &[f64]) -> Vec<f64> {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The share of scores below a threshold; the scores are sorted.
fn share_below(scores: &[f64], threshold: f64) -> f64 {
    scores.partition_point(|&score| score < threshold) as f64 / scores.len().max(1) as f64
}

/// The highest threshold that refuses at most the share `bpcer` of the bona fide presentations.
pub(super) fn threshold_at_bpcer(real: &[f64], bpcer: f64) -> f64 {
    let sorted = sorted(real);
    let refused = (bpcer * sorted.len() as f64 + 1e-9).floor() as usize;
    sorted.get(refused).copied().unwrap_or(f64::INFINITY)
}

/// Equal error rate: the mean of APCER and BPCER at the threshold where they are closest.
pub(super) fn equal_error_rate(real: &[f64], fake: &[f64]) -> f64 {
    let (real, fake) = (sorted(real), sorted(fake));
    real.iter()
        .chain(&fake)
        .chain(&[f64::INFINITY])
        .map(|&threshold| ErrorRates {
            apcer: 1.0 - share_below(&fake, threshold),
            bpcer: share_below(&real, threshold),
        })
        .min_by(|a, b| (a.apcer - a.bpcer).abs().total_cmp(&(b.apcer - b.bpcer).abs()))
        .map_or(0.0, |rates| f64::midpoint(rates.apcer, rates.bpcer))
}

/// Most points of a curve of error rates.
const MAX_CURVE_POINTS: usize = 400;

/// The curve of error rates over all thresholds: for each, the share of false acceptances (of `fake`) and the share of false
/// refusals (of `real`), by rising false acceptances.
pub(super) fn detection_error_tradeoff(real: &[f64], fake: &[f64]) -> Vec<(f64, f64)> {
    let (real, fake) = (sorted(real), sorted(fake));
    let mut thresholds: Vec<f64> = real.iter().chain(&fake).copied().chain([f64::INFINITY]).collect();
    thresholds.sort_by(|a, b| b.total_cmp(a));
    thresholds.dedup();
    let mut points: Vec<(f64, f64)> = thresholds
        .into_iter()
        .map(|threshold| (1.0 - share_below(&fake, threshold), share_below(&real, threshold)))
        .collect();
    points.dedup();
    let step = points.len().div_ceil(MAX_CURVE_POINTS).max(1);
    let last = points.len().saturating_sub(1);
    points
        .iter()
        .enumerate()
        .filter(|(at, _)| at % step == 0 || *at == last)
        .map(|(_, &point)| point)
        .collect()
}

/// The part of a curve of error rates that can be drawn along axes without a place for 0: where nothing is accepted falsely, or
/// nothing refused falsely, a curve would only run along the edge.
pub(super) fn measurable_part(mut curve: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let first = curve.iter().rposition(|&(accepted, _)| accepted <= 0.0).unwrap_or_default();
    curve.drain(..first);
    let last = curve.iter().position(|&(_, refused)| refused <= 0.0).map_or(curve.len(), |at| at + 1);
    curve.truncate(last);
    curve
}

/// Random numbers from a fixed seed (`SplitMix64`), so that a report is the same every time.
pub(super) struct SeededRng(u64);

impl SeededRng {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Uniform from 0 to 1, without 1.
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn shuffle<T>(&mut self, all: &mut [T]) {
        for at in (1..all.len()).rev() {
            all.swap(at, (self.next() % (at as u64 + 1)) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_equal_error_rate_is_0_for_perfect_and_a_half_for_useless_scores() {
        assert_eq!(equal_error_rate(&[0.9, 0.8], &[0.1, 0.2]), 0.0);
        assert_eq!(equal_error_rate(&[0.1, 0.9], &[0.1, 0.9]), 0.5);
    }

    #[test]
    fn wilsons_interval_agrees_with_the_literature() {
        // Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (count, all, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let interval = wilson_interval(count, all);
            assert!((interval.low - low).abs() < 1e-4 && (interval.high - high).abs() < 1e-4, "{interval:?}");
        }
        assert_eq!(wilson_interval(0, 0).high, 1.0);
    }

    #[test]
    fn random_numbers_are_uniform_and_shuffling_loses_nothing() {
        let mut rng = SeededRng::new(7);
        let numbers: Vec<f64> = (0..2000).map(|_| rng.share()).collect();
        assert!(numbers.iter().all(|share| (0.0..1.0).contains(share)));
        assert!((mean(numbers.into_iter()) - 0.5).abs() < 0.03);
        let mut cards: Vec<u32> = (0..52).collect();
        rng.shuffle(&mut cards);
        assert!(!cards.is_sorted());
        cards.sort_unstable();
        assert!(cards.into_iter().eq(0..52));
    }

    #[test]
    fn the_curve_leads_from_no_false_acceptance_to_no_false_refusal() {
        let curve = detection_error_tradeoff(&[0.4, 0.8, 0.9], &[0.1, 0.5]);
        assert_eq!(curve.first(), Some(&(0.0, 1.0)));
        assert_eq!(curve.last(), Some(&(1.0, 0.0)));
        assert!(
            curve.contains(&(0.0, 1.0 / 3.0))
                && curve.contains(&(0.5, 1.0 / 3.0))
                && curve.contains(&(0.5, 0.0))
        );
        assert!(curve.is_sorted_by(|a, b| a.0 <= b.0 && a.1 >= b.1), "{curve:?}");
        let many: Vec<f64> = (0..5000).map(f64::from).collect();
        assert!(detection_error_tradeoff(&many, &many).len() <= MAX_CURVE_POINTS + 1);
        assert_eq!(detection_error_tradeoff(&[], &[]), [(1.0, 0.0)]);
    }

    #[test]
    fn a_curve_ends_where_nothing_is_accepted_and_where_nothing_is_refused() {
        let curve = vec![(0.0, 1.0), (0.0, 0.4), (0.1, 0.2), (0.3, 0.0), (0.8, 0.0), (1.0, 0.0)];
        assert_eq!(measurable_part(curve), [(0.0, 0.4), (0.1, 0.2), (0.3, 0.0)]);
        assert_eq!(measurable_part(vec![(0.5, 0.5)]), [(0.5, 0.5)]);
        assert_eq!(measurable_part(vec![(0.0, 1.0), (0.0, 0.0), (1.0, 0.0)]), [(0.0, 0.0)]);
    }

    #[test]
    fn auc_is_the_probability_to_be_greater() {
        assert_eq!(auc(&[0.8, 0.9], &[0.1, 0.2]), 1.0);
        assert_eq!(auc(&[0.5], &[0.5]), 0.5);
        assert_eq!(auc(&[0.3, 0.9], &[0.1, 0.5]), 0.75);
    }

    #[test]
    fn the_threshold_refuses_no_more_than_the_rate() {
        let real: Vec<f64> = (0..100).map(f64::from).collect();
        let threshold = threshold_at_bpcer(&real, 0.1);
        assert_eq!(error_rates(&real, &[5.0, 15.0], threshold), ErrorRates { apcer: 0.5, bpcer: 0.1 });
        assert_eq!(threshold_at_bpcer(&real, 0.0), 0.0);
    }
}
