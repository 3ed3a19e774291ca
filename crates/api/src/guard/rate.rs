//! How often one caller may call: an application where the operator sets a limit, the person of a session always. Each
//! process counts for itself.

use base::AppId;
use governor::{
    Quota, RateLimiter, clock::Clock as _, clock::MonotonicClock, middleware::StateInformationMiddleware,
    state::keyed::DashMapStateStore,
};
use std::{fmt::Debug, hash::Hash, num::NonZeroU32, time::Duration};

type Limiter<K> = RateLimiter<K, DashMapStateStore<K>, MonotonicClock, StateInformationMiddleware>;

/// A bucket of tokens for each caller: it holds `burst` and refills evenly.
#[derive(Debug)]
pub struct Rate<K: Hash + Eq + Clone + Debug = AppId> {
    limiter: Limiter<K>,
    clock: MonotonicClock,
    burst: u32,
    /// Until an empty bucket is full again.
    refill: Duration,
}

/// What a caller has left, for the `RateLimit-*` headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Calls a full bucket allows at once.
    pub limit: u32,
    /// Calls it allows now.
    pub remaining: u32,
    /// Until it is full again or, when it is empty, until the next call.
    pub reset: Duration,
}

impl<K: Hash + Eq + Clone + Debug> Rate<K> {
    /// Lets `per_minute` calls pass in the long run, and `burst` at once.
    pub fn new(per_minute: NonZeroU32, burst: NonZeroU32) -> Self {
        let clock = MonotonicClock;
        let quota = Quota::per_minute(per_minute).allow_burst(burst);
        let refill = quota.burst_size_replenished_in();
        let limiter = Limiter::new(quota, DashMapStateStore::default(), clock.clone());
        Self { limiter, clock, burst: burst.get(), refill }
    }

    /// Takes one call out of the caller's bucket; `Err` when it is empty.
    pub(crate) fn take(&self, caller: &K) -> Result<Allowance, Allowance> {
        let limit = self.burst;
        match self.limiter.check_key(caller) {
            Ok(left) => {
                let remaining = left.remaining_burst_capacity();
                let reset = self.refill.mul_f64(f64::from(limit - remaining.min(limit)) / f64::from(limit));
                Ok(Allowance { limit, remaining, reset })
            }
            Err(until) => {
                let reset = until.wait_time_from(self.clock.now());
                Err(Allowance { limit, remaining: 0, reset })
            }
        }
    }

    /// Forgets callers whose buckets are full; to be called every few minutes.
    pub fn tidy(&self) {
        self.limiter.retain_recent();
    }
}
