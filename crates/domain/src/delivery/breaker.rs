//! How much an endpoint is given to do at once: one that answers gets more, one that does not is left alone for a while.
//!
//! Each process learns for itself, so nothing has to be kept, and a restart begins with a clean slate.

use std::time::Duration;
use tokio::time::Instant;

/// Calls at once to an endpoint that nothing is known of.
const FIRST: usize = 4;
/// Failures in a row after which an endpoint is left alone.
const PATIENCE: u32 = 5;
/// For how long at first; twice as long each time it fails again.
const REST: Duration = Duration::from_secs(10);
/// For how long at most.
const LONGEST: Duration = Duration::from_mins(5);

/// What is known of an endpoint.
#[derive(Debug)]
pub(super) struct Endpoint {
    /// Calls at once.
    window: usize,
    in_flight: usize,
    failures: u32,
    /// Left alone until then; afterwards one call at a time tells whether it is back.
    closed_until: Option<Instant>,
}

/// How a call ended, as far as the endpoint's health goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    /// It answered.
    Well,
    /// It asked to be left alone for a while.
    Busy(Duration),
    /// No answer, or that it is broken (5xx).
    Ill,
}

impl Endpoint {
    pub(super) fn new() -> Self {
        Self { window: FIRST, in_flight: 0, failures: 0, closed_until: None }
    }

    /// Calls that may begin now.
    pub(super) fn room(&self, now: Instant) -> usize {
        match self.closed_until {
            Some(until) if now < until => 0,
            Some(_) => 1_usize.saturating_sub(self.in_flight),
            None => self.window.saturating_sub(self.in_flight),
        }
    }

    pub(super) fn began(&mut self, calls: usize) {
        self.in_flight += calls;
    }

    /// Notes how a call ended; `most` is the cap of calls at once. Whether the endpoint is left alone from now on.
    pub(super) fn ended(&mut self, health: Health, now: Instant, most: usize) -> bool {
        self.in_flight = self.in_flight.saturating_sub(1);
        match health {
            Health::Well => {
                self.failures = 0;
                self.closed_until = None;
                self.window = (self.window + 1).min(most);
                false
            }
            Health::Busy(wait) => {
                self.window = (self.window / 2).max(1);
                self.closed_until = Some(now + wait.min(LONGEST));
                false
            }
            Health::Ill => {
                self.failures += 1;
                self.window = (self.window / 2).max(1);
                if self.failures < PATIENCE {
                    return false;
                }
                let rest = REST * 2_u32.pow((self.failures - PATIENCE).min(8));
                let opened = self.closed_until.is_none();
                self.closed_until = Some(now + rest.min(LONGEST));
                opened
            }
        }
    }

    /// Whether nothing is known of it that a new one would not know.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight == 0 && self.failures == 0 && self.closed_until.is_none()
    }

    pub(super) fn is_closed(&self, now: Instant) -> bool {
        self.closed_until.is_some_and(|until| now < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_answers_gets_more_up_to_the_cap() {
        let (mut endpoint, now) = (Endpoint::new(), Instant::now());
        assert_eq!(endpoint.room(now), 4);
        for _ in 0..100 {
            endpoint.began(1);
            endpoint.ended(Health::Well, now, 32);
        }
        assert_eq!(endpoint.room(now), 32);
    }

    #[test]
    fn one_that_does_not_is_left_alone_longer_and_longer_and_then_tried_once() {
        let (mut endpoint, mut now) = (Endpoint::new(), Instant::now());
        for _ in 0..PATIENCE {
            endpoint.began(1);
            endpoint.ended(Health::Ill, now, 32);
        }
        let mut rests = Vec::new();
        for _ in 0..7 {
            assert_eq!(endpoint.room(now), 0);
            let mut rest = Duration::ZERO;
            while endpoint.room(now + rest) == 0 {
                rest += Duration::from_secs(1);
            }
            rests.push(rest.as_secs());
            now += rest;
            assert_eq!(endpoint.room(now), 1, "one call tells");
            endpoint.began(1);
            assert_eq!(endpoint.room(now), 0, "and no second beside it");
            endpoint.ended(Health::Ill, now, 32);
        }
        assert_eq!(rests, [10, 20, 40, 80, 160, 300, 300]);

        now += LONGEST;
        endpoint.began(1);
        endpoint.ended(Health::Well, now, 32);
        assert!(endpoint.room(now) > 0 && !endpoint.is_closed(now));
    }

    #[test]
    fn one_that_asks_for_patience_gets_it() {
        let (mut endpoint, now) = (Endpoint::new(), Instant::now());
        endpoint.began(1);
        endpoint.ended(Health::Busy(Duration::from_secs(7)), now, 32);
        assert_eq!(endpoint.room(now + Duration::from_secs(6)), 0);
        assert_eq!(endpoint.room(now + Duration::from_secs(7)), 1);
    }
}
