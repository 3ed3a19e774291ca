//! The loop that delivers.
//!
//! One task leases due messages and records completed attempts, both in one transaction at a time; the attempts
//! themselves run concurrently. [`super::circuit_breaker`] tracks how well each endpoint responds.

use super::{
    attempt::{self, AttemptResult, DeliveryOutcome},
    circuit_breaker::EndpointBreaker,
    leases::{self, DueApplication, DueEndpoint, LeasedDelivery},
    message::Outbox,
    records::{DeliveryState, UnsentReason},
    retry_schedule,
    secrets::{self, WebhookSecret},
};
use base::{AppId, DeliveryId, Environment, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, DbTimestamp, Durability, Query, ReadTx, WriteTx, sql};
use futures_util::FutureExt as _;
use jobs::ShutdownSignal;
use std::{
    collections::{HashMap, HashSet},
    panic::AssertUnwindSafe,
    sync::Arc,
    time::Duration,
};
use tokio::{sync::mpsc, time::Instant};
use tracing::{Instrument as _, Span};

/// A lease is extended long before it expires; an expired one belongs to a process that died or hangs.
const LEASE_DURATION: SignedDuration = SignedDuration::from_secs(60);
const LEASE_EXTENSION_INTERVAL: Duration = Duration::from_secs(15);
/// Messages that another process queued are seen within this time; our own at once.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How long running attempts may take to end when the dispatcher is told to stop.
const SHUTDOWN_GRACE_PERIOD: Duration = Duration::from_secs(20);
/// A rotated secret is used within this time.
const SECRET_CACHE_TTL: Duration = Duration::from_secs(5);
/// Attempts that a record keeps: those of two whole schedules and a few replays.
const MAX_RECORDED_ATTEMPTS: usize = 30;
/// Endpoints of one application that one round looks at.
const ENDPOINTS_PER_ROUND: usize = 500;
/// Endpoints, and applications' secrets, above which the ones no longer needed are dropped from memory.
const CACHE_CLEANUP_SIZE: usize = 1000;

/// How messages are delivered to applications' own servers; the section `[delivery]`.
#[derive(Clone, Copy, Debug, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeliverySettings {
    /// Concurrent attempts of one process, 1 to a million.
    #[serde(rename = "at_once", deserialize_with = "base::settings::number_at_once")]
    pub max_concurrent: usize,
    /// Concurrent attempts to one endpoint (an application and a host), 1 to a million. An endpoint starts with fewer and gets
    /// more while it answers.
    #[serde(rename = "per_endpoint", deserialize_with = "base::settings::number_at_once")]
    pub max_concurrent_per_endpoint: usize,
    /// How long a receiver may take to send its whole answer; written in seconds, at least 1.
    #[serde(rename = "timeout_seconds", with = "base::settings::positive_seconds")]
    pub timeout: Duration,
    /// How long deliveries are kept once they have ended; written in days.
    #[serde(rename = "keep_days", with = "base::settings::days")]
    pub retention: SignedDuration,
    /// How long a lease lasts unless it is extended: what a process was sending when it died is sent again after this
    /// time. It is the lease of jobs (`jobs.lease_seconds`), and no setting of this section.
    #[serde(skip)]
    pub lease: SignedDuration,
}

impl Default for DeliverySettings {
    fn default() -> Self {
        Self {
            max_concurrent: 256,
            max_concurrent_per_endpoint: 64,
            timeout: Duration::from_secs(15),
            retention: SignedDuration::from_hours(24 * 30),
            lease: LEASE_DURATION,
        }
    }
}

/// Delivers messages until it is told to stop. Any number of processes may run one.
#[derive(Debug)]
pub struct DeliveryDispatcher {
    db: Db,
    env: Arc<dyn Environment>,
    outbox: Outbox,
    settings: DeliverySettings,
    /// Names this dispatcher in its leases.
    id: Uuid,
}

/// An attempt that ended and is to be recorded.
struct CompletedDelivery {
    leased: LeasedDelivery,
    /// The span `delivery` that the attempt was made in.
    span: Span,
    result: AttemptResult,
}

/// What the loop keeps in memory.
struct DispatchState {
    endpoints: HashMap<String, EndpointBreaker>,
    /// Attempts under way, by application.
    in_flight_of: HashMap<AppId, usize>,
    /// Applications with something due of which nothing can be sent, because its endpoints are left alone: until when they
    /// are not looked at.
    resting: HashMap<AppId, Instant>,
    /// Behind which of an application's endpoints the next round goes on, if it has too many for one round.
    next_after: HashMap<AppId, String>,
    secrets: HashMap<AppId, (Instant, Arc<[WebhookSecret]>)>,
    in_flight: usize,
    /// What is attempted, or was and is not recorded yet: its leases are extended.
    held: HashSet<DeliveryId>,
    /// Ended, and not recorded yet.
    completed: Vec<CompletedDelivery>,
    completed_sender: mpsc::Sender<CompletedDelivery>,
}

impl DeliveryDispatcher {
    /// A dispatcher for what is queued in `outbox`.
    pub fn new(db: Db, env: Arc<dyn Environment>, outbox: Outbox, settings: DeliverySettings) -> Self {
        let id = env.uuid_v7();
        Self { db, env, outbox, settings, id }
    }

    /// Delivers until told to stop, then lets running attempts end.
    pub async fn run(self, mut stopped: ShutdownSignal) {
        let dispatcher = Arc::new(self);
        let max_concurrent = dispatcher.settings.max_concurrent;
        let (completed_sender, mut completed) = mpsc::channel(max_concurrent.max(1));
        let mut state = DispatchState {
            endpoints: HashMap::new(),
            in_flight_of: HashMap::new(),
            next_after: HashMap::new(),
            resting: HashMap::new(),
            secrets: HashMap::new(),
            in_flight: 0,
            held: HashSet::new(),
            completed: Vec::new(),
            completed_sender,
        };
        let mut extension =
            tokio::time::interval(LEASE_EXTENSION_INTERVAL.min(dispatcher.settings.lease.unsigned_abs() / 4));
        while !*stopped.borrow() {
            // Subscribed before looking, so that nothing queued in between is missed.
            let queued = dispatcher.db.notified();
            let wait = match dispatcher.run_cycle(&mut state, true).await {
                Ok(wait) => wait,
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "deliveries cannot be leased or recorded"
                    );
                    // A cached secret may have been created in the transaction that failed.
                    state.secrets.clear();
                    POLL_INTERVAL
                }
            };
            let has_capacity = state.in_flight < max_concurrent;
            tokio::select! {
                changed = stopped.changed() => if changed.is_err() { break },
                _ = extension.tick() => dispatcher.extend_leases(&state.held).await,
                count = completed.recv_many(&mut state.completed, max_concurrent) => dispatcher.note_completed(&mut state, count),
                () = queued, if has_capacity => {}
                () = tokio::time::sleep(wait), if has_capacity => {}
            }
        }
        dispatcher.shut_down(state, completed).await;
    }

    /// Records completed attempts and, if `lease` is set, leases what is due. Returns for how long nothing else becomes
    /// due.
    async fn run_cycle(
        self: &Arc<Self>,
        state: &mut DispatchState,
        lease: bool,
    ) -> Result<Duration, DbError> {
        let now = self.env.now();
        let capacity = if lease { self.settings.max_concurrent.saturating_sub(state.in_flight) } else { 0 };
        let (quotas, wait) =
            if capacity > 0 { self.plan(state, capacity, now).await? } else { (Vec::new(), POLL_INTERVAL) };
        if state.completed.is_empty() && quotas.is_empty() {
            return Ok(wait);
        }
        // Need not reach the disk: what a power cut loses here is sent again, and receivers recognise a repeat by its
        // id.
        let mut tx = self.db.write_with_durability(Durability::Process).await?;
        self.record_attempts(&mut tx, &mut state.completed, now).await?;
        let mut leased = Vec::new();
        for (endpoint, quota) in &quotas {
            let lease = self.settings.lease;
            leased.extend(leases::lease_due(&mut tx, self.id, endpoint, *quota, now, lease).await?);
        }
        // Before the commit: if this fails, nothing stays leased that nobody attempts.
        let mut ready = Vec::with_capacity(leased.len());
        for delivery in leased {
            let secrets = self.cached_secrets(state, &mut tx, delivery.app_id).await?;
            ready.push((delivery, secrets));
        }
        tx.commit().await?;
        for recorded in state.completed.drain(..) {
            state.held.remove(&recorded.leased.id);
        }
        for (delivery, secrets) in ready {
            self.start_attempt(state, delivery, secrets);
        }
        Ok(wait)
    }

    /// Decides how many messages of which endpoints are leased now, and says for how long nothing else becomes due.
    /// Applications get free slots in turns, those with the fewest attempts under way first, so that none waits longer
    /// than a round for another, however many messages and hosts that one has.
    async fn plan(
        &self,
        state: &mut DispatchState,
        capacity: usize,
        now: Timestamp,
    ) -> Result<(Vec<(String, usize)>, Duration), DbError> {
        let mut wait = POLL_INTERVAL;
        let clock = Instant::now();
        state.resting.retain(|_, until| *until > clock);
        // Each statement may see a later state. That does no harm: what is no longer due is not leased.
        let mut view = self.db.read_once().await?;
        let mut applications = Vec::new();
        for DueApplication { app_id, due } in leases::due_applications(&mut view).await? {
            match due {
                Some(DbTimestamp(due)) if due <= now && state.resting.contains_key(&app_id) => {}
                Some(DbTimestamp(due)) if due <= now => {
                    applications.push((state.in_flight_of.get(&app_id).copied().unwrap_or(0), due, app_id));
                }
                Some(DbTimestamp(due)) => wait = wait.min(due.duration_since(now).unsigned_abs()),
                None => {}
            }
        }
        applications.sort_unstable();
        let (mut quotas, mut free) = (Vec::new(), capacity);
        let (mut left, mut wants_more) = (applications.len(), false);
        for (_, _, app) in applications {
            if free == 0 {
                break;
            }
            // What those before did not use is shared by those behind.
            let share = (free / left).max(1);
            left -= 1;
            let planned = plan_application(state, &mut view, app, share, now, clock).await?;
            let used = planned.iter().map(|(_, quota)| quota).sum::<usize>();
            free -= used;
            quotas.extend(planned);
            let has_more = state.next_after.contains_key(&app);
            if used == 0 && !has_more {
                state.resting.insert(app, clock + POLL_INTERVAL);
            }
            wants_more |= used == share || has_more;
        }
        // What others left free is shared out in the next round, which begins at once.
        Ok((quotas, if wants_more && free > 0 { Duration::ZERO } else { wait }))
    }

    async fn cached_secrets(
        &self,
        state: &mut DispatchState,
        tx: &mut WriteTx,
        app: AppId,
    ) -> Result<Arc<[WebhookSecret]>, DbError> {
        match state.secrets.get(&app) {
            Some((since, cached)) if since.elapsed() < SECRET_CACHE_TTL => Ok(cached.clone()),
            _ => {
                let secrets = secrets::list_or_create(tx, self.outbox.vault(), &*self.env, app).await?;
                let secrets: Arc<[_]> = secrets.into();
                if state.secrets.len() >= CACHE_CLEANUP_SIZE {
                    state.secrets.retain(|_, (since, _)| since.elapsed() < SECRET_CACHE_TTL);
                }
                state.secrets.insert(app, (Instant::now(), secrets.clone()));
                Ok(secrets)
            }
        }
    }

    /// Starts an attempt in a task of its own.
    fn start_attempt(
        self: &Arc<Self>,
        state: &mut DispatchState,
        leased: LeasedDelivery,
        secrets: Arc<[WebhookSecret]>,
    ) {
        state.endpoints.entry(leased.endpoint.clone()).or_insert_with(EndpointBreaker::new).record_start(1);
        state.in_flight += 1;
        state.held.insert(leased.id);
        *state.in_flight_of.entry(leased.app_id).or_default() += 1;
        let (dispatcher, sender) = (self.clone(), state.completed_sender.clone());
        // Level ERROR: whatever `log.filter` lets through, its lines say which delivery they belong to.
        let span = tracing::error_span!(
            parent: None,
            "delivery",
            delivery = %leased.id,
            app.id = %leased.app_id,
            topic = leased.topic,
            endpoint = leased.endpoint,
            attempt = leased.tries,
            outcome = tracing::field::Empty,
            http.status = tracing::field::Empty,
        );
        let attempt_span = span.clone();
        let task = async move {
            let Self { env, outbox, settings, .. } = &*dispatcher;
            let attempt = attempt::run(&**env, outbox, settings.timeout, &leased, &secrets);
            // The loop must learn of every attempt, even of one that panics: otherwise its lease would be extended for
            // ever.
            let result = AssertUnwindSafe(attempt).catch_unwind().await.unwrap_or_else(|_| {
                metrics::counter!("assay_job_panics_total").increment(1);
                AttemptResult::unsent(&**env, DeliveryOutcome::Retry(None), UnsentReason::Panicked)
            });
            let _loop_gone = sender.send(CompletedDelivery { leased, span: attempt_span, result }).await;
        };
        tokio::spawn(task.instrument(span));
    }

    /// Takes note of the last `count` completed attempts.
    fn note_completed(&self, state: &mut DispatchState, count: usize) {
        let now = Instant::now();
        state.in_flight = state.in_flight.saturating_sub(count);
        let from = state.completed.len().saturating_sub(count);
        for completed in state.completed.get(from..).unwrap_or_default() {
            let name = &completed.leased.endpoint;
            if let Some(number) = state.in_flight_of.get_mut(&completed.leased.app_id) {
                *number = number.saturating_sub(1);
            }
            let Some(endpoint) = state.endpoints.get_mut(name) else { continue };
            let max_calls = self.settings.max_concurrent_per_endpoint;
            if endpoint.record_end(completed.result.health, now, max_calls) {
                metrics::counter!("assay_delivery_endpoints_closed_total").increment(1);
                tracing::warn!(endpoint = name, "an endpoint does not answer; it is left alone for a while");
            }
        }
        state.in_flight_of.retain(|_, number| *number > 0);
        // Healthy endpoints need not be remembered, so the map stays as small as the trouble is.
        if state.endpoints.len() > CACHE_CLEANUP_SIZE {
            state.endpoints.retain(|_, endpoint| !endpoint.is_forgettable(now));
        }
        let closed = state.endpoints.values().filter(|endpoint| endpoint.is_open(now)).count();
        metrics::gauge!("assay_delivery_endpoints_closed").set(closed as f64);
    }

    async fn record_attempts(
        &self,
        tx: &mut WriteTx,
        completed: &mut [CompletedDelivery],
        now: Timestamp,
    ) -> Result<(), DbError> {
        // Each statement locks a row. In the order of their ids, as whoever erases messages locks them, so that no two
        // transactions wait for each other.
        completed.sort_unstable_by_key(|completed| completed.leased.id);
        let (states, written) =
            completed.iter().map(|completed| self.end_of(completed, now)).unzip::<_, _, Vec<_>, _>();
        let changed = tx.execute_all(written).await?;
        for ((completed, state), rows) in completed.iter().zip(states).zip(changed) {
            if rows == 0 {
                // The lease had expired: another process has the message, and the receiver may get it twice.
                metrics::counter!("assay_deliveries_repeated_total").increment(1);
            } else if state == DeliveryState::Failed {
                completed.span.in_scope(|| tracing::warn!("a delivery was given up"));
            }
        }
        Ok(())
    }

    /// The state that an attempt leaves a delivery in, and the statement that writes it.
    fn end_of(&self, completed: &CompletedDelivery, now: Timestamp) -> (DeliveryState, Query) {
        let CompletedDelivery { leased, result, .. } = completed;
        let next_at = match result.outcome {
            DeliveryOutcome::Retry(retry_after) => retry_schedule::next_attempt_at(
                leased.begun_at,
                leased.tries,
                now,
                retry_after,
                self.random_fraction(),
            ),
            DeliveryOutcome::Delivered | DeliveryOutcome::GivenUp => None,
        };
        let state = match (result.outcome, next_at) {
            (DeliveryOutcome::Delivered, _) => DeliveryState::Delivered,
            (_, Some(_)) => DeliveryState::Waiting,
            (_, None) => DeliveryState::Failed,
        };
        let skipped = (leased.attempts.len() + 1).saturating_sub(MAX_RECORDED_ATTEMPTS);
        let attempts: Vec<_> = leased.attempts.iter().chain([&result.record]).skip(skipped).collect();
        let written = sql!(
            "UPDATE deliveries SET state = $4, attempts = $5, next_at = $6, ended_at = $7, worker = NULL,
                    leased_until = NULL
              WHERE id = $1 AND worker = $2 AND tries = $3 AND state = 'RUNNING'",
            leased.id,
            self.id,
            leased.tries,
            state,
            serde_json::json!(attempts),
            next_at.unwrap_or(now),
            next_at.is_none().then_some(now),
        );
        (state, written)
    }

    fn random_fraction(&self) -> f64 {
        let mut bytes = [0; 4];
        self.env.fill_random(&mut bytes);
        f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
    }

    async fn extend_leases(&self, held: &HashSet<DeliveryId>) {
        let held: Vec<_> = held.iter().copied().collect();
        let extended = leases::extend(&self.db, self.id, &held, self.env.now(), self.settings.lease).await;
        if let Err(error) = extended {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "leases of deliveries cannot be extended"
            );
        }
    }

    async fn shut_down(
        self: Arc<Self>,
        mut state: DispatchState,
        mut completed: mpsc::Receiver<CompletedDelivery>,
    ) {
        let deadline = Instant::now() + SHUTDOWN_GRACE_PERIOD;
        while state.in_flight > 0 {
            let received = completed.recv_many(&mut state.completed, self.settings.max_concurrent);
            match tokio::time::timeout_at(deadline, received).await {
                Ok(count) if count > 0 => self.note_completed(&mut state, count),
                _ => break,
            }
        }
        let recorded = self.run_cycle(&mut state, false).await.map(drop);
        // What did not end is requeued at once, instead of when its lease expires.
        let released = leases::release(&self.db, self.id).await;
        if let Err(error) = recorded.and(released) {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "leases of deliveries cannot be given back; they run out"
            );
        }
    }
}

/// Up to `share` messages of an application, by endpoint.
async fn plan_application(
    state: &mut DispatchState,
    view: &mut ReadTx,
    app: AppId,
    share: usize,
    now: Timestamp,
    clock: Instant,
) -> Result<Vec<(String, usize)>, DbError> {
    let after = state.next_after.remove(&app).unwrap_or_default();
    let mut endpoints = leases::due_endpoints(view, app, &after, ENDPOINTS_PER_ROUND).await?;
    if let (ENDPOINTS_PER_ROUND.., Some(last)) = (endpoints.len(), endpoints.last()) {
        state.next_after.insert(app, last.endpoint.clone());
    }
    endpoints.retain(|endpoint| endpoint.due.is_some_and(|due| due.0 <= now));
    endpoints.sort_by_key(|endpoint| endpoint.due.map(|due| due.0));
    let (mut planned, mut free) = (Vec::new(), share);
    for DueEndpoint { endpoint, .. } in endpoints {
        let available = state.endpoints.get(&endpoint).map_or_else(
            || EndpointBreaker::new().available_calls(clock),
            |breaker| breaker.available_calls(clock),
        );
        let quota = available.min(free);
        if quota > 0 {
            free -= quota;
            planned.push((endpoint, quota));
        }
    }
    Ok(planned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        delivery::{SuccessCriterion, WebhookMessage, WebhookMethod, erase_messages_about},
        keyring::Keyring,
        tenancy::applications::{self, NewApplication},
        vault::Vault,
    };
    use base::TestEnvironment;
    use db::testing::TestDb;
    use media::fetch::{EgressPolicy, Fetcher};

    #[tokio::test]
    async fn attempts_are_recorded_while_what_their_messages_say_is_erased() {
        let test = TestDb::open().await;
        let env: Arc<dyn Environment> = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let vault = Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let outbox = Outbox::new(Fetcher::new(&EgressPolicy::default()).unwrap(), vault);
        let (now, about) = (env.now(), Uuid::from_u128(7));
        let dispatcher = DeliveryDispatcher::new(
            test.db.clone(),
            env.clone(),
            outbox.clone(),
            DeliverySettings::default(),
        );

        let mut tx = test.db.write().await.unwrap();
        let new = NewApplication { name: "a", organisation: None, billing_source: None, features: &[] };
        let app = applications::create(&mut tx, &*env, &new).await.unwrap();
        let message = WebhookMessage {
            url: "https://hooks.example.com/".to_owned(),
            verb: WebhookMethod::Post,
            headers: Vec::new(),
            body: "{}".to_owned(),
            verify_tls: true,
            success: SuccessCriterion::Any2xx,
        };
        for _ in 0..2 {
            outbox.enqueue_about(&mut tx, &*env, (app, None), &[about], "test", &message).await.unwrap();
        }
        let endpoint = leases::due_endpoints(&mut tx, app, "", 1).await.unwrap().remove(0).endpoint;
        let mut leased =
            leases::lease_due(&mut tx, dispatcher.id, &endpoint, 2, now, LEASE_DURATION).await.unwrap();
        tx.commit().await.unwrap();
        leased.sort_unstable_by_key(|leased| leased.id);
        let first = leased[0].id;
        // The attempt that began last has ended first.
        let mut completed: Vec<_> = leased
            .into_iter()
            .rev()
            .map(|leased| CompletedDelivery {
                leased,
                span: Span::none(),
                result: AttemptResult::unsent(&*env, DeliveryOutcome::GivenUp, UnsentReason::Panicked),
            })
            .collect();

        let mut other = test.db.write().await.unwrap();
        other.execute(sql!("UPDATE deliveries SET state = state WHERE id = $1", first)).await.unwrap();
        let db = test.db.clone();
        let erasing = tokio::spawn(async move {
            let mut tx = db.write().await.unwrap();
            erase_messages_about(&mut tx, &[about], now).await.unwrap();
            tx.commit().await.unwrap();
        });
        test.wait_until_blocked(1).await;
        let db = test.db.clone();
        let recording = tokio::spawn(async move {
            let mut tx = db.write().await.unwrap();
            dispatcher.record_attempts(&mut tx, &mut completed, now).await.unwrap();
            tx.commit().await.unwrap();
        });
        test.wait_until_blocked(2).await;
        other.commit().await.unwrap();
        erasing.await.unwrap();
        recording.await.unwrap();

        let mut view = test.db.read().await.unwrap();
        let ended = sql!("SELECT count(*) FROM deliveries WHERE state = 'FAILED' AND length(sealed) = 0");
        assert_eq!(view.count(ended).await.unwrap(), 2);
    }
}
