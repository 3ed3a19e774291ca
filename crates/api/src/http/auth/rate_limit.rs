//! Rate limits: of applications if the operator sets one, over all processes; of end users always, each process separately.

use crate::{ApiState, http::request_context};
use axum::http::{Extensions, HeaderMap};
use base::{AppId, Uuid};
use domain::tenancy::limits::{ApplicationLimits, CallAllowance, CallRefusal};
use governor::{
    Quota, RateLimiter, clock::Clock as _, clock::MonotonicClock, middleware::StateInformationMiddleware,
    state::keyed::DashMapStateStore,
};
use std::{fmt::Debug, hash::Hash, num::NonZeroU32, time::Duration};

type KeyedRateLimiter<K> = RateLimiter<K, DashMapStateStore<K>, MonotonicClock, StateInformationMiddleware>;

/// A token bucket for each caller: it holds `burst` calls and refills evenly.
#[derive(Debug)]
pub struct RateLimit<K: Hash + Eq + Clone + Debug> {
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

/// The caller's bucket is empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateLimitError(pub(crate) RateLimitAllowance);

tokio::task_local! {
    /// Set while somebody is looked up again whose call was counted before.
    static IS_COUNTED: ();
}

/// Looks the sender of a request up again; what is counted when they are found was counted the first time.
pub(super) async fn without_counting<T>(again: impl Future<Output = T>) -> T {
    IS_COUNTED.scope((), again).await
}

fn is_counted() -> bool {
    IS_COUNTED.try_with(|()| ()).is_ok()
}

/// Counts a call of an application, if its calls are limited, and notes what is left for the answer's headers.
pub(crate) async fn count_application(
    api: &ApiState,
    app: AppId,
    limits: &ApplicationLimits,
) -> Result<(), CallRefusal> {
    if is_counted() {
        return Ok(());
    }
    let allowance = |left: CallAllowance| RateLimitAllowance {
        limit: u32::try_from(left.limit).unwrap_or(u32::MAX),
        remaining: u32::try_from(left.remaining).unwrap_or(u32::MAX),
        reset: left.reset,
    };
    let counted = api.call_limiter.count(app, limits).await;
    let left = match &counted {
        Ok(left) => *left,
        Err(CallRefusal::UsedUp(refused)) => Some(refused.left),
        Err(CallRefusal::Db(_)) => None,
    };
    if let Some(left) = left {
        request_context::note_allowance(allowance(left));
    }
    counted.map(drop)
}

/// Counts a call of an end user, by their session, or of an anonymous caller, by their address.
pub(crate) fn count_end_user(api: &ApiState, person: Uuid) -> Result<(), RateLimitError> {
    if is_counted() {
        return Ok(());
    }
    api.end_user_rate_limit.count(&person)
}

/// Counts a call of somebody who is signed in to the console. Unlike [`count_end_user`] it adds no headers to the answer.
pub(crate) fn count_console_session(api: &ApiState, holder: Uuid) -> Result<(), RateLimitError> {
    if is_counted() {
        return Ok(());
    }
    api.end_user_rate_limit.try_take(&holder).map(drop).map_err(RateLimitError)
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
