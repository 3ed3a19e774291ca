//! How much an endpoint is given to do at once: one that answers gets more, one that does not is left alone for a while.
//!
//! Each process learns for itself, so nothing has to be kept, and a restart begins with a clean slate.

use std::time::Duration;
use tokio::time::Instant;

/// Calls at once to an endpoint that nothing is known of.
const INITIAL_CONCURRENT_CALLS: usize = 4;
/// Failures in a row after which an endpoint is left alone.
const FAILURE_THRESHOLD: u32 = 5;
/// For how long at first; twice as long each time it fails again.
const INITIAL_COOLDOWN: Duration = Duration::from_secs(10);
/// For how long at most.
const MAX_COOLDOWN: Duration = Duration::from_mins(5);

/// What is known of an endpoint.
#[derive(Debug)]
pub(super) struct EndpointBreaker {
    /// Calls at once.
    window: usize,
    in_flight: usize,
    failures: u32,
    /// Left alone until then; afterwards one call at a time tells whether it is back.
    open_until: Option<Instant>,
}

/// How a call ended, as far as the endpoint's health goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndpointHealth {
    /// It answered.
    Healthy,
    /// It asked to be left alone for a while.
    Throttled(Duration),
    /// No answer, or that it is broken (5xx).
    Unhealthy,
}

impl EndpointBreaker {
    pub(super) fn new() -> Self {
        Self { window: INITIAL_CONCURRENT_CALLS, in_flight: 0, failures: 0, open_until: None }
    }

    /// Calls that may begin now.
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

    /// Notes how a call ended; `most` is the cap of calls at once. Whether the endpoint is left alone from now on.
    pub(super) fn record_end(&mut self, health: EndpointHealth, now: Instant, most: usize) -> bool {
        self.in_flight = self.in_flight.saturating_sub(1);
        match health {
            EndpointHealth::Healthy => {
                self.failures = 0;
                self.open_until = None;
                self.window = (self.window + 1).min(most);
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
                let rest = INITIAL_COOLDOWN * 2_u32.pow((self.failures - FAILURE_THRESHOLD).min(8));
                let opened = self.open_until.is_none();
                self.open_until = Some(now + rest.min(MAX_COOLDOWN));
                opened
            }
        }
    }

    /// Whether nothing is known of it that a new one would not know.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight == 0 && self.failures == 0 && self.open_until.is_none()
    }

    pub(super) fn is_open(&self, now: Instant) -> bool {
        self.open_until.is_some_and(|until| now < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_answers_gets_more_up_to_the_cap() {
        let (mut endpoint, now) = (EndpointBreaker::new(), Instant::now());
        assert_eq!(endpoint.available_calls(now), 4);
        for _ in 0..100 {
            endpoint.record_start(1);
            endpoint.record_end(EndpointHealth::Healthy, now, 32);
        }
        assert_eq!(endpoint.available_calls(now), 32);
    }

    #[test]
    fn one_that_does_not_is_left_alone_longer_and_longer_and_then_tried_once() {
        let (mut endpoint, mut now) = (EndpointBreaker::new(), Instant::now());
        for _ in 0..FAILURE_THRESHOLD {
            endpoint.record_start(1);
            endpoint.record_end(EndpointHealth::Unhealthy, now, 32);
        }
        let mut rests = Vec::new();
        for _ in 0..7 {
            assert_eq!(endpoint.available_calls(now), 0);
            let mut rest = Duration::ZERO;
            while endpoint.available_calls(now + rest) == 0 {
                rest += Duration::from_secs(1);
            }
            rests.push(rest.as_secs());
            now += rest;
            assert_eq!(endpoint.available_calls(now), 1, "one call tells");
            endpoint.record_start(1);
            assert_eq!(endpoint.available_calls(now), 0, "and no second beside it");
            endpoint.record_end(EndpointHealth::Unhealthy, now, 32);
        }
        assert_eq!(rests, [10, 20, 40, 80, 160, 300, 300]);

        now += MAX_COOLDOWN;
        endpoint.record_start(1);
        endpoint.record_end(EndpointHealth::Healthy, now, 32);
        assert!(endpoint.available_calls(now) > 0 && !endpoint.is_open(now));
    }

    #[test]
    fn one_that_asks_for_patience_gets_it() {
        let (mut endpoint, now) = (EndpointBreaker::new(), Instant::now());
        endpoint.record_start(1);
        endpoint.record_end(EndpointHealth::Throttled(Duration::from_secs(7)), now, 32);
        assert_eq!(endpoint.available_calls(now + Duration::from_secs(6)), 0);
        assert_eq!(endpoint.available_calls(now + Duration::from_secs(7)), 1);
    }
}
