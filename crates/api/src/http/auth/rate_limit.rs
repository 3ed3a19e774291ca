//! Rate limits: of applications if the operator sets one, of end users always. Each process counts separately.

use crate::{ApiState, http::request_context};
use axum::http::{Extensions, HeaderMap};
use base::{AppId, Uuid};
use governor::{
    Quota, RateLimiter, clock::Clock as _, clock::MonotonicClock, middleware::StateInformationMiddleware,
    state::keyed::DashMapStateStore,
};
use std::{fmt::Debug, hash::Hash, num::NonZeroU32, time::Duration};

type KeyedRateLimiter<K> = RateLimiter<K, DashMapStateStore<K>, MonotonicClock, StateInformationMiddleware>;

/// How often one application may call; the section `[limits]`. Each process counts separately.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct RateLimitSettings {
    /// Calls in a minute, in the long run. `None`: no limit.
    pub calls_per_minute: Option<NonZeroU32>,
    /// Calls at once. `None`: as many as in a minute.
    pub burst: Option<NonZeroU32>,
}

/// A token bucket for each caller: it holds `burst` calls and refills evenly.
#[derive(Debug)]
pub struct RateLimit<K: Hash + Eq + Clone + Debug = AppId> {
    limiter: KeyedRateLimiter<K>,
    clock: MonotonicClock,
    burst: u32,
    /// How long an empty bucket takes to be full again.
    refill: Duration,
}

/// What a caller has left, for the `RateLimit-*` headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitAllowance {
    /// Calls a full bucket allows at once.
    pub limit: u32,
    /// Calls it allows now.
    pub remaining: u32,
    /// Until it is full again or, when it is empty, until the next call.
    pub reset: Duration,
}

/// The caller has reached the rate limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateLimitError(pub(crate) RateLimitAllowance);

/// Counts a call of an application, if the operator limits them.
pub(crate) fn count_application(api: &ApiState, app: AppId) -> Result<(), RateLimitError> {
    api.application_rate_limit.as_ref().map_or(Ok(()), |limit| limit.count(&app))
}

/// Counts a call of an end user, by their session, or of an anonymous caller, by their address.
pub(crate) fn count_end_user(api: &ApiState, person: Uuid) -> Result<(), RateLimitError> {
    api.end_user_rate_limit.count(&person)
}

/// Counts a call of somebody who has not proved who they are, by their address, before it costs anything. Unlike
/// [`count_end_user`] it adds no headers to the answer.
pub(crate) fn count_stranger(
    api: &ApiState,
    headers: &HeaderMap,
    extensions: &Extensions,
) -> Result<(), RateLimitError> {
    let address = api.geo_locator.rate_limit_key(headers, extensions);
    api.end_user_rate_limit.try_take(&address).map(drop).map_err(RateLimitError)
}

impl<K: Hash + Eq + Clone + Debug> RateLimit<K> {
    /// The limit that the operator has set; `None` if there is none.
    pub fn from_settings(settings: &RateLimitSettings) -> Option<Self> {
        let per_minute = settings.calls_per_minute?;
        Some(Self::new(per_minute, settings.burst.unwrap_or(per_minute)))
    }

    /// Allows `per_minute` calls in the long run, and `burst` at once.
    pub fn new(per_minute: NonZeroU32, burst: NonZeroU32) -> Self {
        Self::of_quota(Quota::per_minute(per_minute).allow_burst(burst), burst)
    }

    /// Allows `per_hour` calls in the long run, and as many at once.
    pub fn per_hour(per_hour: NonZeroU32) -> Self {
        Self::of_quota(Quota::per_hour(per_hour), per_hour)
    }

    fn of_quota(quota: Quota, burst: NonZeroU32) -> Self {
        let clock = MonotonicClock;
        let refill = quota.burst_size_replenished_in();
        let limiter = KeyedRateLimiter::new(quota, DashMapStateStore::default(), clock.clone());
        Self { limiter, clock, burst: burst.get(), refill }
    }

    /// Takes one call out of the caller's bucket, and notes what is left for the answer's headers.
    pub(crate) fn count(&self, caller: &K) -> Result<(), RateLimitError> {
        let taken = self.try_take(caller);
        request_context::note_allowance(taken.unwrap_or_else(|empty| empty));
        taken.map(drop).map_err(RateLimitError)
    }

    /// Takes one call out of the caller's bucket; `Err` when it is empty.
    pub(crate) fn try_take(&self, caller: &K) -> Result<RateLimitAllowance, RateLimitAllowance> {
        let limit = self.burst;
        match self.limiter.check_key(caller) {
            Ok(left) => {
                let remaining = left.remaining_burst_capacity();
                let reset = self.refill.mul_f64(f64::from(limit - remaining.min(limit)) / f64::from(limit));
                Ok(RateLimitAllowance { limit, remaining, reset })
            }
            Err(until) => {
                let reset = until.wait_time_from(self.clock.now());
                Err(RateLimitAllowance { limit, remaining: 0, reset })
            }
        }
    }

    /// Forgets callers whose buckets are full; to be called every few minutes.
    pub fn evict_full_buckets(&self) {
        self.limiter.retain_recent();
    }
}
