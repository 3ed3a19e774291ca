//! The figures of the last hour, in memory: a ring of samples for each series.

use base::Timestamp;
use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
};

/// Seconds between two samples.
pub(crate) const SAMPLE_INTERVAL_SECONDS: u64 = 15;
/// Samples that are kept: an hour.
const MAX_SAMPLES: usize = 240;
/// Series that are kept. There are about a hundred; a bound all the same, since some are named after what happened.
const MAX_SERIES: usize = 300;
/// Which quantiles of times are kept.
const QUANTILES: [(&str, f64); 3] = [("0.5", 0.5), ("0.95", 0.95), ("0.99", 0.99)];

/// What a figure is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SeriesKey {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) labels: Vec<(&'static str, String)>,
}

impl SeriesKey {
    pub(super) fn new(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit, labels: Vec::new() }
    }

    pub(super) fn with(mut self, label: &'static str, value: impl Into<String>) -> Self {
        self.labels.push((label, value.into()));
        self
    }
}

/// The counts of a histogram: by upper bound how many were at most that, ascending; the last bound is infinite.
pub(super) type Buckets = BTreeMap<OrderedBound, f64>;

/// An upper bound, which is never NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OrderedBound(pub(super) f64);

impl Eq for OrderedBound {}

impl Ord for OrderedBound {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for OrderedBound {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The figures of a moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// Figures that are kept as they are.
    pub(super) gauges: BTreeMap<SeriesKey, f64>,
    /// Figures that only grow; kept by how much they grow in a second.
    pub(super) counters: BTreeMap<SeriesKey, f64>,
    /// Times; kept as quantiles of what came since the sample before.
    pub(super) histograms: BTreeMap<SeriesKey, Buckets>,
}

/// A figure over time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    pub(super) key: SeriesKey,
    /// One for each sample; `None` where the figure was not known.
    pub(super) values: Vec<Option<f64>>,
}

/// The samples of the last hour.
#[derive(Debug, Default)]
pub(crate) struct HealthHistory(Mutex<Samples>);

#[derive(Debug, Default)]
struct Samples {
    times: VecDeque<Timestamp>,
    series: BTreeMap<SeriesKey, VecDeque<Option<f64>>>,
    before: Option<(Timestamp, Reading)>,
}

impl HealthHistory {
    /// Adds the figures of a moment; the oldest go.
    pub(super) fn record(&self, at: Timestamp, reading: Reading) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).record(at, reading);
    }

    /// When the samples were taken, oldest first, and every figure.
    pub(super) fn read(&self) -> (Vec<Timestamp>, Vec<Series>) {
        let samples = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let series = samples
            .series
            .iter()
            .map(|(key, values)| Series { key: key.clone(), values: values.iter().copied().collect() });
        (samples.times.iter().copied().collect(), series.collect())
    }
}

impl Samples {
    fn record(&mut self, at: Timestamp, reading: Reading) {
        let mut figures = reading.gauges.clone();
        if let Some((since, before)) = &self.before {
            let seconds = at.duration_since(*since).as_secs_f64();
            if seconds > 0.0 {
                figures.extend(rates(before, &reading, seconds));
                figures.extend(quantiles(before, &reading));
            }
        }
        self.before = Some((at, reading));
        self.times.push_back(at);
        for (key, value) in figures.into_iter().filter(|(_, value)| value.is_finite()) {
            let has_room = self.series.len() < MAX_SERIES;
            let known = self.times.len() - 1;
            if has_room || self.series.contains_key(&key) {
                let values =
                    self.series.entry(key).or_insert_with(|| std::iter::repeat_n(None, known).collect());
                values.push_back(Some((value * 1e6).round() / 1e6));
            }
        }
        let is_full = self.times.len() > MAX_SAMPLES;
        if is_full {
            self.times.pop_front();
        }
        let samples = self.times.len();
        for values in self.series.values_mut() {
            if values.len() < samples + usize::from(is_full) {
                values.push_back(None);
            }
            if is_full {
                values.pop_front();
            }
        }
        self.series.retain(|_, values| values.iter().any(Option::is_some));
    }
}

/// By how much counters grew in a second. One that is smaller than before began anew.
fn rates(before: &Reading, now: &Reading, seconds: f64) -> Vec<(SeriesKey, f64)> {
    let rate = |(key, value): (&SeriesKey, &f64)| {
        let grown = value - before.counters.get(key).copied().unwrap_or(0.0);
        (key.clone(), grown.max(0.0) / seconds)
    };
    now.counters.iter().map(rate).collect()
}

fn quantiles(before: &Reading, now: &Reading) -> Vec<(SeriesKey, f64)> {
    let mut found = Vec::new();
    for (key, buckets) in &now.histograms {
        let earlier = before.histograms.get(key);
        let grown: Vec<(f64, f64)> = buckets
            .iter()
            .map(|(bound, count)| {
                let earlier = earlier.and_then(|earlier| earlier.get(bound)).copied().unwrap_or(0.0);
                (bound.0, (count - earlier).max(0.0))
            })
            .collect();
        for (word, share) in QUANTILES {
            found.extend(quantile(&grown, share).map(|value| (key.clone().with("quantile", word), value)));
        }
    }
    found
}

/// A quantile of times by their buckets, interpolated within a bucket; `None` if there were none. Times above the last finite
/// bound count as that bound.
fn quantile(buckets: &[(f64, f64)], share: f64) -> Option<f64> {
    let total = buckets.last().map(|(_, count)| *count).filter(|total| *total > 0.0)?;
    let wanted = share * total;
    let (mut lower, mut below) = (0.0, 0.0);
    for (bound, count) in buckets {
        if *count >= wanted {
            if bound.is_infinite() {
                return Some(lower);
            }
            let within = if *count > below { (wanted - below) / (count - below) } else { 1.0 };
            return Some(lower + (bound - lower) * within);
        }
        (lower, below) = (*bound, *count);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::SignedDuration;

    fn moment(number: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_secs(15 * number)
    }

    fn reading(gauge: f64, counter: f64) -> Reading {
        Reading {
            gauges: BTreeMap::from([(SeriesKey::new("memory", "bytes"), gauge)]),
            counters: BTreeMap::from([(SeriesKey::new("requests", "per second"), counter)]),
            histograms: BTreeMap::new(),
        }
    }

    fn values(history: &HealthHistory, name: &str) -> Vec<Option<f64>> {
        history.read().1.into_iter().find(|series| series.key.name == name).unwrap().values
    }

    #[test]
    fn counters_become_rates_and_gauges_stay() {
        let history = HealthHistory::default();
        for (number, counter) in [(0, 100.0), (1, 130.0), (2, 130.0), (3, 15.0)] {
            history.record(moment(number), reading(number as f64, counter));
        }
        assert_eq!(values(&history, "memory"), [0.0, 1.0, 2.0, 3.0].map(Some));
        assert_eq!(values(&history, "requests"), [None, Some(2.0), Some(0.0), Some(0.0)]);
    }

    #[test]
    fn an_hour_is_kept_and_every_series_has_a_value_for_each_sample() {
        let history = HealthHistory::default();
        for number in 0..500 {
            let mut one = reading(number as f64, 0.0);
            if number % 2 == 0 {
                one.gauges.insert(SeriesKey::new("even", ""), 1.0);
            }
            if number < 3 {
                one.gauges.insert(SeriesKey::new("gone", ""), 1.0);
            }
            history.record(moment(number), one);
        }
        let (times, series) = history.read();
        assert_eq!((times.len(), times[0]), (MAX_SAMPLES, moment(260)));
        assert!(series.iter().all(|series| series.values.len() == MAX_SAMPLES));
        assert!(
            series.iter().all(|series| series.key.name != "gone"),
            "what has no figure left is forgotten"
        );
        assert_eq!(values(&history, "even")[..3], [Some(1.0), None, Some(1.0)]);
    }

    #[test]
    fn there_are_no_more_series_than_may_be() {
        let history = HealthHistory::default();
        for number in 0..3 {
            let mut one = Reading::default();
            for name in 0..500 {
                let key = SeriesKey::new("jobs", "").with("kind", format!("{number} {name}"));
                one.gauges.insert(key, 1.0);
            }
            history.record(moment(number), one);
        }
        assert_eq!(history.read().1.len(), MAX_SERIES);
    }

    #[test]
    fn quantiles_are_of_what_came_since_the_sample_before() {
        let key = SeriesKey::new("latency", "seconds");
        let buckets = |counts: [f64; 3]| {
            let bounds = [0.1, 0.2, f64::INFINITY].map(OrderedBound);
            Reading {
                histograms: BTreeMap::from([(key.clone(), bounds.into_iter().zip(counts).collect())]),
                ..Reading::default()
            }
        };
        let history = HealthHistory::default();
        history.record(moment(0), buckets([50.0, 50.0, 50.0]));
        history.record(moment(1), buckets([50.0, 150.0, 150.0]));
        history.record(moment(2), buckets([50.0, 150.0, 150.0]));
        history.record(moment(3), buckets([50.0, 150.0, 160.0]));
        let of = |word: &str| {
            let key = key.clone().with("quantile", word);
            history.read().1.into_iter().find(|series| series.key == key).unwrap().values
        };
        assert_eq!(of("0.5"), [None, Some(0.15), None, Some(0.2)]);
        assert_eq!(of("0.95"), [None, Some(0.195), None, Some(0.2)]);
    }
}
