//! Which connections are idle, and which must go when there are too many.
//!
//! A connection is idle while none of its requests is being answered: one that has sent nothing yet, or half of its
//! headers, or that is kept open. An idle connection costs its holder nothing, so it must not cost others their turn.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{sync::Notify, time::Instant};

/// The connections of a listener.
#[derive(Debug, Default)]
pub(super) struct ConnectionTracker {
    idle: Mutex<IdleConnections>,
    /// A connection has become idle.
    freed: Notify,
}

/// Idle connections by their place in the queue: who has been idle for longest is the first.
#[derive(Debug, Default)]
struct IdleConnections {
    next_place: u64,
    by_place: BTreeMap<u64, Arc<Notify>>,
}

/// What is known about a connection, until it is dropped.
#[derive(Debug)]
pub(super) struct TrackedConnection {
    tracker: Arc<ConnectionTracker>,
    usage: Mutex<ConnectionUsage>,
    evicted: Arc<Notify>,
    /// The number of requests that are being answered has changed.
    changed: Notify,
}

#[derive(Debug)]
struct ConnectionUsage {
    /// Requests that are being answered.
    calls: usize,
    /// Whether there was a request at all.
    used: bool,
    /// Its place in line; none while a request is being answered.
    place: Option<u64>,
    idle_since: Instant,
}

/// How a connection must go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MustGo {
    /// Another one waits for its slot.
    AtOnce,
    /// It has been idle for too long.
    Gracefully,
}

/// A request that is being answered, until it is dropped.
#[derive(Debug)]
pub(super) struct RunningCall(Arc<TrackedConnection>);

impl ConnectionTracker {
    /// A new connection, which is idle.
    pub(super) fn track(self: &Arc<Self>) -> Arc<TrackedConnection> {
        let evicted = Arc::new(Notify::new());
        let place = self.stand_in_line(&evicted);
        let usage = ConnectionUsage { calls: 0, used: false, place: Some(place), idle_since: Instant::now() };
        Arc::new(TrackedConnection {
            tracker: self.clone(),
            usage: Mutex::new(usage),
            evicted,
            changed: Notify::new(),
        })
    }

    /// Tells the connection to go that has been idle for longest; `false` if none is idle.
    pub(super) fn evict_one(&self) -> bool {
        let first = self.lock().by_place.pop_first();
        if let Some((_, evicted)) = &first {
            evicted.notify_one();
        }
        first.is_some()
    }

    /// Waits until a connection becomes idle.
    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    fn stand_in_line(&self, evicted: &Arc<Notify>) -> u64 {
        let mut idle = self.lock();
        let place = idle.next_place;
        idle.next_place += 1;
        idle.by_place.insert(place, evicted.clone());
        drop(idle);
        self.freed.notify_one();
        place
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, IdleConnections> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TrackedConnection {
    /// A request begins.
    pub(super) fn begin_call(self: &Arc<Self>) -> RunningCall {
        let mut usage = self.lock();
        usage.calls += 1;
        usage.used = true;
        if let Some(place) = usage.place.take() {
            self.tracker.lock().by_place.remove(&place);
        }
        drop(usage);
        self.changed.notify_one();
        RunningCall(self.clone())
    }

    /// Waits until the connection must go: because it is in the way of another one, or has been idle for too long:
    /// `first` before its first request, `later` after the last.
    pub(super) async fn must_go(&self, first: Duration, later: Duration) -> MustGo {
        loop {
            let until = {
                let usage = self.lock();
                let allowed = if usage.used { later } else { first };
                (usage.calls == 0).then(|| usage.idle_since + allowed)
            };
            let too_long = async {
                match until {
                    Some(until) => tokio::time::sleep_until(until).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // It may have become busy again since it was chosen.
                () = self.evicted.notified() => {
                    if self.lock().calls == 0 {
                        return MustGo::AtOnce;
                    }
                }
                () = self.changed.notified() => {}
                () = too_long => return MustGo::Gracefully,
            }
        }
    }

    fn end_call(&self) {
        let mut usage = self.lock();
        usage.calls -= 1;
        if usage.calls == 0 {
            usage.idle_since = Instant::now();
            usage.place = Some(self.tracker.stand_in_line(&self.evicted));
        }
        drop(usage);
        self.changed.notify_one();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ConnectionUsage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.0.end_call();
    }
}

impl Drop for TrackedConnection {
    fn drop(&mut self) {
        if let Some(place) = self.lock().place {
            self.tracker.lock().by_place.remove(&place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_has_been_idle_for_longest_goes_first_and_who_is_answered_stays() {
        let tracker = Arc::new(ConnectionTracker::default());
        let (first, second, third) = (tracker.track(), tracker.track(), tracker.track());
        let hour = Duration::from_hours(1);
        let call = first.begin_call();
        assert!(tracker.evict_one());
        assert_eq!(second.must_go(hour, hour).await, MustGo::AtOnce);
        drop(call);
        assert!(tracker.evict_one());
        assert_eq!(third.must_go(hour, hour).await, MustGo::AtOnce);
        assert!(tracker.evict_one(), "its request was answered");
        assert_eq!(first.must_go(hour, hour).await, MustGo::AtOnce);
        assert!(!tracker.evict_one());
        drop((first, second, third));
        assert!(tracker.lock().by_place.is_empty());
    }

    #[tokio::test]
    async fn a_request_that_came_at_the_last_moment_is_answered() {
        let tracker = Arc::new(ConnectionTracker::default());
        let connection = tracker.track();
        assert!(tracker.evict_one());
        let call = connection.begin_call();
        let hour = Duration::from_hours(1);
        let stays = tokio::time::timeout(Duration::from_millis(200), connection.must_go(hour, hour)).await;
        assert!(stays.is_err(), "{stays:?}");
        drop(call);
        assert!(tracker.evict_one());
        assert_eq!(connection.must_go(hour, hour).await, MustGo::AtOnce);
    }

    #[tokio::test]
    async fn silence_ends_a_connection_and_a_request_puts_that_off() {
        let tracker = Arc::new(ConnectionTracker::default());
        let connection = tracker.track();
        let (first, later) = (Duration::from_millis(100), Duration::from_millis(300));
        let began = Instant::now();
        assert_eq!(connection.must_go(first, later).await, MustGo::Gracefully);
        assert!(began.elapsed() >= first);

        let connection = tracker.track();
        let began = Instant::now();
        let request = async {
            let call = connection.begin_call();
            tokio::time::sleep(Duration::from_millis(500)).await;
            drop(call);
        };
        tokio::join!(request, connection.must_go(first, later));
        assert!(began.elapsed() >= Duration::from_millis(800), "{:?}", began.elapsed());
    }
}
