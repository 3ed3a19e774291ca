//! Which connections are idle, and which must go when there are too many.
//!
//! A connection is idle while none of its requests is being answered: one that has sent nothing yet, or half of its
//! headers, or that is kept open. So is one whose requests wait for the beginning of their bodies. One that waits for more of
//! a body, or whose answers are ready, is idle once its peer has sent or taken nothing for a while: between two packets of an
//! upload there is always a gap. An idle connection costs its holder nothing, so it must not cost others their turn.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{sync::Notify, time::Instant};

/// How long a peer that has sent some of a body may pause before its connection is idle. It is much less than what a body may
/// take in all, and less still before [`BODY_BEGINNING_BYTES`] have come: otherwise one byte would keep a slot for that long.
const BODY_QUIET: Duration = Duration::from_secs(3);
const BODY_BEGINNING_QUIET: Duration = Duration::from_secs(1);

/// About what a sender may put on the way before it hears from the receiver: ten segments (RFC 6928). Whoever has more to send
/// has usually sent as much at once.
const BODY_BEGINNING_BYTES: usize = 14_000;

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
    /// What it waits for has changed.
    changed: Notify,
}

/// What a request that is being answered waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallState {
    /// For us: its answer is being made.
    Working,
    /// For the peer, who has sent nothing of its body yet.
    Awaiting,
    /// For the peer, who has sent the beginning of its body ([`BODY_BEGINNING_BYTES`]) at most.
    Beginning,
    /// For the peer, who has sent more of its body, and not all yet.
    Receiving,
    /// For the peer, who has not taken its answer yet, which is ready as far as it goes.
    Sending,
}

#[derive(Debug)]
struct ConnectionUsage {
    /// Requests that are being answered, by what they wait for.
    working: usize,
    awaiting: usize,
    beginning: usize,
    receiving: usize,
    sending: usize,
    /// Whether there was a request at all.
    used: bool,
    /// Its place in line; none while it is not idle.
    place: Option<u64>,
    /// When a request began or ended, or the peer sent something of a body or took something of an answer.
    active_at: Instant,
}

impl ConnectionUsage {
    /// From when on the connection is idle, unless something happens before; `None` while an answer is being made. A peer that
    /// takes nothing of its answers is active for as long as `patience`, one that sends nothing more of a body for
    /// [`BODY_QUIET`] or [`BODY_BEGINNING_QUIET`] at most.
    fn idle_from(&self, patience: Duration) -> Option<Instant> {
        if self.working > 0 {
            return None;
        }
        let pause = if self.sending > 0 {
            patience
        } else if self.receiving > 0 {
            patience.min(BODY_QUIET)
        } else if self.beginning > 0 {
            patience.min(BODY_BEGINNING_QUIET)
        } else {
            Duration::ZERO
        };
        Some(self.active_at + pause)
    }

    /// How many requests are in a state.
    fn count_mut(&mut self, state: CallState) -> &mut usize {
        match state {
            CallState::Working => &mut self.working,
            CallState::Awaiting => &mut self.awaiting,
            CallState::Beginning => &mut self.beginning,
            CallState::Receiving => &mut self.receiving,
            CallState::Sending => &mut self.sending,
        }
    }
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
pub(super) struct RunningCall {
    connection: Arc<TrackedConnection>,
    state: Mutex<CallState>,
    /// How much of its body has come.
    received_bytes: AtomicUsize,
}

impl ConnectionTracker {
    /// A new connection, which is idle.
    pub(super) fn track(self: &Arc<Self>) -> Arc<TrackedConnection> {
        let evicted = Arc::new(Notify::new());
        let place = self.stand_in_line(&evicted);
        let usage = ConnectionUsage {
            working: 0,
            awaiting: 0,
            beginning: 0,
            receiving: 0,
            sending: 0,
            used: false,
            place: Some(place),
            active_at: Instant::now(),
        };
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
    pub(super) fn begin_call(self: &Arc<Self>) -> Arc<RunningCall> {
        let mut usage = self.lock();
        usage.working += 1;
        usage.used = true;
        self.note_activity(&mut usage);
        drop(usage);
        self.changed.notify_one();
        Arc::new(RunningCall {
            connection: self.clone(),
            state: Mutex::new(CallState::Working),
            received_bytes: AtomicUsize::new(0),
        })
    }

    /// Waits until the connection must go: because it is in the way of another one, or has been idle for too long:
    /// `first` before its first request, `later` after the last. It is also idle when its peer has taken nothing of
    /// its answers for as long as `first`, or sent nothing more of a body for [`BODY_QUIET`] or [`BODY_BEGINNING_QUIET`].
    pub(super) async fn must_go(&self, first: Duration, later: Duration) -> MustGo {
        loop {
            let now = Instant::now();
            let look_again_at = {
                let mut usage = self.lock();
                match usage.idle_from(first) {
                    Some(from) if from <= now => {
                        if usage.place.is_none() {
                            usage.place = Some(self.tracker.stand_in_line(&self.evicted));
                        }
                        if usage.awaiting + usage.beginning + usage.receiving > 0 {
                            // Whoever reads the body knows how long it may take.
                            None
                        } else {
                            let allowed = if usage.used { later } else { first };
                            let until = from + allowed;
                            if until <= now {
                                return MustGo::Gracefully;
                            }
                            Some(until)
                        }
                    }
                    from => from,
                }
            };
            let time_passed = async {
                match look_again_at {
                    Some(moment) => tokio::time::sleep_until(moment).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // It may have become busy again since it was chosen.
                () = self.evicted.notified() => {
                    let idle_from = self.lock().idle_from(first);
                    if idle_from.is_some_and(|from| from <= Instant::now()) {
                        return MustGo::AtOnce;
                    }
                }
                () = self.changed.notified() => {}
                () = time_passed => {}
            }
        }
    }

    /// A request goes over from one state to the other, or its peer took more of its answer.
    fn note_progress(&self, before: CallState, now: CallState) {
        let mut usage = self.lock();
        *usage.count_mut(before) -= 1;
        *usage.count_mut(now) += 1;
        let was_idle = usage.place.is_some();
        self.note_activity(&mut usage);
        drop(usage);
        // Whoever waits for the time to pass looks at the time of the last activity then.
        if was_idle || before != now {
            self.changed.notify_one();
        }
    }

    fn end_call(&self, state: CallState) {
        let mut usage = self.lock();
        *usage.count_mut(state) -= 1;
        self.note_activity(&mut usage);
        if usage.working + usage.awaiting + usage.beginning + usage.receiving + usage.sending == 0 {
            usage.place = Some(self.tracker.stand_in_line(&self.evicted));
        }
        drop(usage);
        self.changed.notify_one();
    }

    /// The connection is not idle at the moment, and leaves the line.
    fn note_activity(&self, usage: &mut ConnectionUsage) {
        usage.active_at = Instant::now();
        if let Some(place) = usage.place.take() {
            self.tracker.lock().by_place.remove(&place);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ConnectionUsage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningCall {
    /// More of the body is needed, and has not come yet.
    pub(super) fn note_receiving(&self) {
        let mut state = self.lock();
        if *state == CallState::Working {
            let awaits = match self.received_bytes.load(Ordering::Relaxed) {
                0 => CallState::Awaiting,
                1..=BODY_BEGINNING_BYTES => CallState::Beginning,
                _ => CallState::Receiving,
            };
            self.set(&mut state, awaits);
        }
    }

    /// More of the body has come: so many bytes.
    pub(super) fn note_received(&self, bytes: usize) {
        self.received_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.note_read();
    }

    /// No more of the body is waited for: it has ended, or is read no more.
    pub(super) fn note_read(&self) {
        let mut state = self.lock();
        if matches!(*state, CallState::Awaiting | CallState::Beginning | CallState::Receiving) {
            self.set(&mut state, CallState::Working);
        }
    }

    /// The answer, or more of it, is ready or was taken: whether it goes on is up to the peer.
    pub(super) fn note_sent(&self) {
        self.set(&mut self.lock(), CallState::Sending);
    }

    /// The peer would take more of the answer, and that is being made.
    pub(super) fn note_unready(&self) {
        self.set(&mut self.lock(), CallState::Working);
    }

    fn set(&self, state: &mut CallState, to: CallState) {
        self.connection.note_progress(*state, to);
        *state = to;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CallState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        let state = *self.lock();
        self.connection.end_call(state);
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
    async fn whoever_takes_nothing_of_their_answers_is_idle_after_a_while() {
        let tracker = Arc::new(ConnectionTracker::default());
        let connection = tracker.track();
        let (patience, hour) = (Duration::from_millis(200), Duration::from_hours(1));
        let (taken, made) = (connection.begin_call(), connection.begin_call());
        taken.note_sent();
        let stays =
            tokio::time::timeout(Duration::from_millis(400), connection.must_go(patience, hour)).await;
        assert!(stays.is_err(), "one of its answers is being made: {stays:?}");
        made.note_sent();
        assert!(!tracker.evict_one(), "it was just made");

        let began = Instant::now();
        let evicted = async {
            while !tracker.evict_one() {
                tracker.freed().await;
            }
        };
        let ((), how) = tokio::join!(evicted, connection.must_go(patience, hour));
        assert_eq!(how, MustGo::AtOnce);
        assert!(began.elapsed() >= patience / 2, "{:?}", began.elapsed());

        taken.note_sent();
        assert!(!tracker.evict_one(), "more was taken");
        made.note_unready();
        let stays =
            tokio::time::timeout(Duration::from_millis(400), connection.must_go(patience, hour)).await;
        assert!(stays.is_err(), "more is being made: {stays:?}");
        made.note_sent();
        let began = Instant::now();
        let takes = async {
            for _ in 0..3 {
                tokio::time::sleep(Duration::from_millis(100)).await;
                taken.note_sent();
            }
        };
        let patience = Duration::from_secs(1);
        let ((), how) = tokio::join!(takes, connection.must_go(patience, patience));
        assert_eq!(how, MustGo::Gracefully);
        assert!(began.elapsed() >= Duration::from_millis(2300), "{:?}", began.elapsed());
    }

    #[tokio::test]
    async fn whoever_sends_nothing_of_a_body_is_idle_at_once_and_between_two_packets_after_a_while() {
        let tracker = Arc::new(ConnectionTracker::default());
        let connection = tracker.track();
        let (moment, hour) = (Duration::from_millis(100), Duration::from_hours(1));
        let (reads, works) = (connection.begin_call(), connection.begin_call());
        reads.note_receiving();
        let stays = tokio::time::timeout(2 * moment, connection.must_go(moment, moment)).await;
        assert!(stays.is_err() && !tracker.evict_one(), "another request is being answered: {stays:?}");
        drop(works);
        let stays = tokio::time::timeout(2 * moment, connection.must_go(moment, moment)).await;
        assert!(stays.is_err(), "nobody waits for its slot: {stays:?}");
        assert!(tracker.evict_one(), "nothing has come");
        assert_eq!(connection.must_go(hour, hour).await, MustGo::AtOnce);
        reads.note_received(1);
        assert!(!tracker.evict_one(), "it begins to come");

        reads.note_receiving();
        let stays = tokio::time::timeout(2 * moment, connection.must_go(hour, hour)).await;
        assert!(stays.is_err() && !tracker.evict_one(), "it was just sending: {stays:?}");
        reads.note_received(1);
        reads.note_receiving();
        let began = Instant::now();
        let evicted = async {
            while !tracker.evict_one() {
                tracker.freed().await;
            }
        };
        let patience = 2 * moment;
        let ((), how) = tokio::join!(evicted, connection.must_go(patience, hour));
        assert_eq!(how, MustGo::AtOnce);
        assert!(began.elapsed() >= patience / 2, "{:?}", began.elapsed());
        reads.note_read();
        assert!(!tracker.evict_one(), "its answer is being made");
    }

    #[tokio::test]
    async fn the_more_of_a_body_has_come_the_longer_its_peer_may_pause() {
        let tracker = Arc::new(ConnectionTracker::default());
        let connection = tracker.track();
        let call = connection.begin_call();
        let hour = Duration::from_hours(1);
        for (bytes, pause) in
            [(1, BODY_BEGINNING_QUIET), (BODY_BEGINNING_BYTES - 1, BODY_BEGINNING_QUIET), (1, BODY_QUIET)]
        {
            call.note_received(bytes);
            call.note_receiving();
            let usage = connection.lock();
            assert_eq!(usage.idle_from(hour), Some(usage.active_at + pause));
        }
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
