//! Time and chance, handed in so that no rule invents them.

use jiff::Timestamp;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use uuid::Uuid;

/// Everything a rule may not invent for itself.
pub trait Environment: std::fmt::Debug + Send + Sync + 'static {
    /// The present moment, in whole microseconds: what databases keep of it.
    fn now(&self) -> Timestamp;

    /// Fills `bytes` from a source fit for keys and tokens.
    fn fill_random(&self, bytes: &mut [u8]);

    /// A new id, ordered by time (UUID version 7, RFC 9562).
    fn uuid_v7(&self) -> Uuid {
        let mut chance = [0; 10];
        self.fill_random(&mut chance);
        uuid::Builder::from_unix_timestamp_millis(self.now().as_millisecond().max(0) as u64, &chance)
            .into_uuid()
    }

    /// A new id without any order (UUID version 4, RFC 9562).
    fn uuid_v4(&self) -> Uuid {
        let mut chance = [0; 16];
        self.fill_random(&mut chance);
        uuid::Builder::from_random_bytes(chance).into_uuid()
    }
}

/// The machine's clock and the operating system's randomness.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEnvironment;

impl Environment for SystemEnvironment {
    #[expect(clippy::disallowed_methods, reason = "this is the World that everyone else asks")]
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    fn fill_random(&self, bytes: &mut [u8]) {
        // The generator fails only when the operating system has no randomness to give; going on would be worse.
        aws_lc_rs::rand::fill(bytes).expect("the operating system gives randomness");
    }
}

/// A world that stands still until a test moves it, and whose chance repeats.
#[derive(Debug)]
pub struct TestEnvironment {
    microseconds: AtomicI64,
    drawn: AtomicU64,
}

impl TestEnvironment {
    /// A world at one RFC 3339 moment.
    ///
    /// # Panics
    /// When `now` is no moment: a test wrote it.
    pub fn at(now: &str) -> Self {
        let now: Timestamp = now.parse().expect("a fixed moment");
        Self { microseconds: now.as_microsecond().into(), drawn: 0.into() }
    }

    /// Lets time pass.
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
        // SplitMix64: repeatable, and different for each draw.
        for chunk in bytes.chunks_mut(8) {
            let drawn = self.drawn.fetch_add(1, Ordering::SeqCst) + 1;
            let mut z = drawn.wrapping_mul(0x9E37_79B9_7F4A_7C15);
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
        let world = TestEnvironment::at("2026-01-16T14:40:00Z");
        let first = world.uuid_v7();
        world.advance(jiff::SignedDuration::from_secs(1));
        assert!(first < world.uuid_v7());
        assert_eq!(first.get_version_num(), 7);
    }
}
