//! How many calls an endpoint gets at once: one that responds gets more, one that does not is left alone for a while.
//!
//! Each process learns this for itself. Nothing is stored, and a restart begins with a clean slate.

use std::time::Duration;
use tokio::time::Instant;

/// Concurrent calls to an endpoint of which nothing is known yet.
const INITIAL_CONCURRENT_CALLS: usize = 4;
/// Consecutive failures after which the breaker opens.
const FAILURE_THRESHOLD: u32 = 5;
/// For how long it opens at first; twice as long for each further failure.
const INITIAL_COOLDOWN: Duration = Duration::from_secs(10);
/// For how long it opens at most.
const MAX_COOLDOWN: Duration = Duration::from_mins(5);
/// How long failures are remembered of an endpoint that gets no calls: longer than any wait of the retry schedule, after which
/// nothing is left to be sent there.
const FAILURE_MEMORY: Duration = Duration::from_hours(12);

/// What is known of an endpoint: how many calls it gets, and whether the breaker is open.
#[derive(Debug)]
pub(super) struct EndpointBreaker {
    /// Concurrent calls it may get.
    window: usize,
    in_flight: usize,
    failures: u32,
    /// Gets no calls until then; afterwards one at a time, until one shows that it is back.
    open_until: Option<Instant>,
    /// When the last call ended.
    last_end: Option<Instant>,
}

/// What a call showed about the endpoint's health.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndpointHealth {
    /// It responded.
    Healthy,
    /// It asked for a wait before the next call.
    Throttled(Duration),
    /// No response, or a 5xx.
    Unhealthy,
}

impl EndpointBreaker {
    pub(super) fn new() -> Self {
        Self { window: INITIAL_CONCURRENT_CALLS, in_flight: 0, failures: 0, open_until: None, last_end: None }
    }

    /// Calls that may start now.
    pub(super) fn available_calls(&self, now: Instant) -> usize {
        match self.open_until {
            Some(until) if now < until => 0,
            Some(_) => 1_usize.saturating_sub(self.in_flight),
            None => self.window.saturating_sub(self.in_flight),
        }
    }

    pub(super) fn record_start(&mut self, calls: usize) {
        self.in_flight += calls;
    }

    /// Records how a call ended. `max_calls` caps the concurrent calls. True if this opened the breaker.
    pub(super) fn record_end(&mut self, health: EndpointHealth, now: Instant, max_calls: usize) -> bool {
        self.in_flight = self.in_flight.saturating_sub(1);
        self.last_end = Some(now);
        match health {
            EndpointHealth::Healthy => {
                self.failures = 0;
                self.open_until = None;
                self.window = (self.window + 1).min(max_calls);
                false
            }
            EndpointHealth::Throttled(wait) => {
                self.window = (self.window / 2).max(1);
                self.open_until = Some(now + wait.min(MAX_COOLDOWN));
                false
            }
            EndpointHealth::Unhealthy => {
                self.failures += 1;
                self.window = (self.window / 2).max(1);
                if self.failures < FAILURE_THRESHOLD {
                    return false;
                }
                let cooldown = INITIAL_COOLDOWN * 2_u32.pow((self.failures - FAILURE_THRESHOLD).min(8));
                let opened = self.open_until.is_none();
                self.open_until = Some(now + cooldown.min(MAX_COOLDOWN));
                opened
            }
        }
    }

    /// Whether it may be forgotten: nothing is under way, and nothing has failed of late.
    pub(super) fn is_forgettable(&self, now: Instant) -> bool {
        let has_failed = self.failures > 0 || self.open_until.is_some();
        let is_recent = self.last_end.is_some_and(|end| now.duration_since(end) < FAILURE_MEMORY);
        self.in_flight == 0 && !(has_failed && is_recent)
    }

    pub(super) fn is_open(&self, now: Instant) -> bool {
        self.open_until.is_some_and(|until| now < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_that_responds_gets_more_calls_up_to_the_cap() {
        let (mut endpoint, now) = (EndpointBreaker::new(), Instant::now());
        assert_eq!(endpoint.available_calls(now), 4);
        for _ in 0..100 {
            endpoint.record_start(1);
            endpoint.record_end(EndpointHealth::Healthy, now, 32);
        }
        assert_eq!(endpoint.available_calls(now), 32);
    }

    #[test]
    fn an_endpoint_that_fails_is_left_alone_longer_each_time_and_then_gets_one_call() {
        let (mut endpoint, mut now) = (EndpointBreaker::new(), Instant::now());
        for _ in 0..FAILURE_THRESHOLD {
            endpoint.record_start(1);
            endpoint.record_end(EndpointHealth::Unhealthy, now, 32);
        }
        let mut cooldowns = Vec::new();
        for _ in 0..7 {
            assert_eq!(endpoint.available_calls(now), 0);
            let mut cooldown = Duration::ZERO;
            while endpoint.available_calls(now + cooldown) == 0 {
                cooldown += Duration::from_secs(1);
            }
            cooldowns.push(cooldown.as_secs());
            now += cooldown;
            assert_eq!(endpoint.available_calls(now), 1, "one call may try");
            endpoint.record_start(1);
            assert_eq!(endpoint.available_calls(now), 0, "and no second beside it");
            endpoint.record_end(EndpointHealth::Unhealthy, now, 32);
        }
        assert_eq!(cooldowns, [10, 20, 40, 80, 160, 300, 300]);

        now += MAX_COOLDOWN;
        endpoint.record_start(1);
        endpoint.record_end(EndpointHealth::Healthy, now, 32);
        assert!(endpoint.available_calls(now) > 0 && !endpoint.is_open(now));
    }

    #[test]
    fn an_endpoint_that_asks_for_a_wait_gets_it() {
        let (mut endpoint, now) = (EndpointBreaker::new(), Instant::now());
        endpoint.record_start(1);
        endpoint.record_end(EndpointHealth::Throttled(Duration::from_secs(7)), now, 32);
        assert_eq!(endpoint.available_calls(now + Duration::from_secs(6)), 0);
        assert_eq!(endpoint.available_calls(now + Duration::from_secs(7)), 1);
    }

    #[test]
    fn an_endpoint_is_forgotten_once_nothing_fails_there_any_more() {
        let (mut endpoint, now) = (EndpointBreaker::new(), Instant::now());
        endpoint.record_start(2);
        endpoint.record_end(EndpointHealth::Healthy, now, 32);
        assert!(!endpoint.is_forgettable(now), "a call is under way");
        endpoint.record_end(EndpointHealth::Healthy, now, 32);
        assert!(endpoint.is_forgettable(now));
        for health in [EndpointHealth::Unhealthy, EndpointHealth::Throttled(Duration::from_secs(7))] {
            let mut failing = EndpointBreaker::new();
            failing.record_start(1);
            failing.record_end(health, now, 32);
            assert!(!failing.is_forgettable(now + FAILURE_MEMORY - Duration::from_secs(1)), "{health:?}");
            assert!(failing.is_forgettable(now + FAILURE_MEMORY), "{health:?}");
        }
    }
}
