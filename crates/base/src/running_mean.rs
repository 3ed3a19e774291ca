//! The mean of times in which the newest weigh most, shared by threads.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// Share of the newest time in the mean; those before it keep the rest.
const NEWEST_SHARE: f64 = 0.1;

/// A mean of times. Where two threads note one at once, one of the two may be lost: it is a mean over many.
#[derive(Debug, Default)]
pub struct RunningMean {
    /// 0 until there is one.
    microseconds: AtomicU64,
}

impl RunningMean {
    /// Takes a time into the mean; the first is the mean.
    pub fn note(&self, took: Duration) {
        let newest = took.as_micros() as f64;
        let mean = match self.microseconds.load(Relaxed) {
            0 => newest,
            mean => mean as f64 + (newest - mean as f64) * NEWEST_SHARE,
        };
        self.microseconds.store(mean.max(1.0) as u64, Relaxed);
    }

    /// The mean; `None` until a time was noted.
    pub fn get(&self) -> Option<Duration> {
        Some(self.microseconds.load(Relaxed)).filter(|mean| *mean > 0).map(Duration::from_micros)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_time_is_the_mean_and_later_ones_move_it_by_a_tenth() {
        let mean = RunningMean::default();
        assert_eq!(mean.get(), None);
        mean.note(Duration::from_millis(100));
        assert_eq!(mean.get(), Some(Duration::from_millis(100)));
        mean.note(Duration::from_millis(200));
        assert_eq!(mean.get(), Some(Duration::from_millis(110)));
        mean.note(Duration::ZERO);
        assert_eq!(mean.get(), Some(Duration::from_millis(99)));
    }
}
