//! The clock and random numbers, passed in so that rules can be tested at a fixed moment.

use jiff::Timestamp;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use uuid::Uuid;

/// The clock and the source of random numbers. No other code asks the system for either; clippy refuses it.
pub trait Environment: std::fmt::Debug + Send + Sync + 'static {
    /// The current time, in whole microseconds, which is what both databases store.
    fn now(&self) -> Timestamp;

    /// Fills `bytes` with random bytes that are good enough for keys and tokens.
    fn fill_random(&self, bytes: &mut [u8]);

    /// A new id that sorts by its time of creation (UUID version 7, RFC 9562).
    fn uuid_v7(&self) -> Uuid {
        let mut random = [0; 10];
        self.fill_random(&mut random);
        uuid::Builder::from_unix_timestamp_millis(self.now().as_millisecond().max(0) as u64, &random)
            .into_uuid()
    }

    /// A new random id (UUID version 4, RFC 9562).
    fn uuid_v4(&self) -> Uuid {
        let mut random = [0; 16];
        self.fill_random(&mut random);
        uuid::Builder::from_random_bytes(random).into_uuid()
    }
}

/// The clock of the machine and the random numbers of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEnvironment;

impl Environment for SystemEnvironment {
    #[expect(clippy::disallowed_methods, reason = "this is the Environment that everyone else asks")]
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    fn fill_random(&self, bytes: &mut [u8]) {
        // It fails only if the operating system has no random numbers; predictable keys would be worse than a panic.
        aws_lc_rs::rand::fill(bytes).expect("the operating system gives randomness");
    }
}

/// For tests: a clock that stands still until it is moved, and random numbers that are the same in every run.
#[derive(Debug)]
pub struct TestEnvironment {
    microseconds: AtomicI64,
    drawn: AtomicU64,
}

impl TestEnvironment {
    /// An environment whose clock shows `now`, an RFC 3339 timestamp.
    ///
    /// # Panics
    /// If `now` is not a timestamp.
    pub fn at(now: &str) -> Self {
        let now: Timestamp = now.parse().expect("a fixed moment");
        Self { microseconds: now.as_microsecond().into(), drawn: 0.into() }
    }

    /// Moves the clock on.
    pub fn advance(&self, by: jiff::SignedDuration) {
        self.microseconds.fetch_add(by.as_micros() as i64, Ordering::SeqCst);
    }
}

impl Environment for TestEnvironment {
    fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.microseconds.load(Ordering::SeqCst))
            .expect("tests stay within the calendar")
    }

    fn fill_random(&self, bytes: &mut [u8]) {
        // SplitMix64: repeatable, and different at each call.
        for chunk in bytes.chunks_mut(8) {
            let count = self.drawn.fetch_add(1, Ordering::SeqCst) + 1;
            let mut z = count.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            chunk.copy_from_slice(&(z ^ (z >> 31)).to_le_bytes()[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_the_moment_they_were_made() {
        let environment = TestEnvironment::at("2026-01-16T14:40:00Z");
        let first = environment.uuid_v7();
        environment.advance(jiff::SignedDuration::from_secs(1));
        assert!(first < environment.uuid_v7());
        assert_eq!(first.get_version_num(), 7);
    }
}
