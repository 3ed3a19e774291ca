//! The loop that delivers.
//!
//! One task leases due messages and records how attempts ended, both in one transaction at a time; the attempts
//! themselves run side by side. What the loop knows of endpoints is in [`super::circuit_breaker`]. A process that dies leaves
//! leases behind; they run out, and what it was doing is done again.

use super::{
    circuit_breaker::{EndpointBreaker, EndpointHealth},
    message::{Outbox, WebhookMessage, WebhookMethod},
    records::{DeliveryAttempt, DeliveryState},
    schedule,
    secrets::{self, WebhookSecret},
};
use base::{AppId, DeliveryId, Environment, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, DbTimestamp, Durability, FromRow, WriteTx, sql};
use futures_util::FutureExt as _;
use jobs::ShutdownSignal;
use media::fetch::{BufferedResponse, FetchError, FetchRequest, HeaderMap, HeaderName, HeaderValue, Method};
use std::{collections::HashMap, panic::AssertUnwindSafe, sync::Arc, time::Duration};
use tokio::{sync::mpsc, time::Instant};
use tracing::{Instrument as _, Span};

/// A lease is extended long before it runs out; one that did run out belongs to a process that died or hangs.
const LEASE_DURATION: SignedDuration = SignedDuration::from_secs(60);
const LEASE_EXTENSION_INTERVAL: Duration = Duration::from_secs(15);
/// Another process's messages are seen within this time; our own at once.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Attempts get this long to end when the sender is told to stop.
const SHUTDOWN_GRACE_PERIOD: Duration = Duration::from_secs(20);
/// A rotated secret is used within this time.
const SECRET_CACHE_TTL: Duration = Duration::from_secs(5);
/// Attempts that a record keeps: those of two whole schedules and a few replays.
const MAX_RECORDED_ATTEMPTS: usize = 30;
/// Of an answer, only its status and a few headers matter.
const MAX_RESPONSE_BYTES: u64 = 64 << 10;

/// How messages are delivered to applications' own servers; the section `[delivery]`.
#[derive(Clone, Copy, Debug, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeliverySettings {
    /// Concurrent attempts of one process, at least 1.
    #[serde(rename = "at_once", deserialize_with = "base::settings::at_least_one")]
    pub max_concurrent: usize,
    /// Concurrent attempts to one endpoint (an application and a host), at least 1. An endpoint starts with fewer and gets
    /// more while it answers.
    #[serde(rename = "per_endpoint", deserialize_with = "base::settings::at_least_one")]
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

/// Delivers messages until it is told to stop; any number of processes may have one.
#[derive(Debug)]
pub struct DeliveryDispatcher {
    db: Db,
    world: Arc<dyn Environment>,
    outbox: Outbox,
    settings: DeliverySettings,
    id: Uuid,
}

#[derive(Debug, FromRow)]
struct LeasedDelivery {
    id: DeliveryId,
    app_id: AppId,
    topic: String,
    endpoint: String,
    sealed: Vec<u8>,
    tries: i64,
    #[sqlx(json)]
    attempts: Vec<DeliveryAttempt>,
    #[sqlx(try_from = "db::DbTimestamp")]
    begun_at: Timestamp,
}

/// An attempt that ended and is to be recorded.
struct CompletedDeliveryAttempt {
    leased: LeasedDelivery,
    /// The span `delivery` that the attempt was made in.
    span: Span,
    attempt: DeliveryAttempt,
    end: DeliveryOutcome,
    health: EndpointHealth,
}

/// What comes after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeliveryOutcome {
    Delivered,
    /// Again, and how long the receiver asked to be left alone.
    Retry(Option<SignedDuration>),
    /// Never again.
    GivenUp,
}

#[derive(FromRow)]
struct DueEndpoint {
    endpoint: String,
    due: Option<DbTimestamp>,
}

/// What the loop remembers.
struct DispatchState {
    endpoints: HashMap<String, EndpointBreaker>,
    secrets: HashMap<AppId, (Instant, Arc<[WebhookSecret]>)>,
    in_flight: usize,
    /// Ended, and not recorded yet.
    ended: Vec<CompletedDeliveryAttempt>,
    done: mpsc::Sender<CompletedDeliveryAttempt>,
}

impl DeliveryDispatcher {
    /// A sender for what `outbox` takes.
    pub fn new(db: Db, world: Arc<dyn Environment>, outbox: Outbox, settings: DeliverySettings) -> Self {
        let id = world.uuid_v7();
        Self { db, world, outbox, settings, id }
    }

    /// Delivers until told to stop, then lets running attempts end.
    pub async fn run(self, mut stopped: ShutdownSignal) {
        let sender = Arc::new(self);
        let (done, mut ended) = mpsc::channel(sender.settings.max_concurrent.max(1));
        let mut desk = DispatchState {
            endpoints: HashMap::new(),
            secrets: HashMap::new(),
            in_flight: 0,
            ended: Vec::new(),
            done,
        };
        let mut beat =
            tokio::time::interval(LEASE_EXTENSION_INTERVAL.min(sender.settings.lease.unsigned_abs() / 4));
        while !*stopped.borrow() {
            // Registered before looking, so that nothing queued in between is overlooked.
            let announced = sender.db.notified();
            let wait = match sender.run_cycle(&mut desk, true).await {
                Ok(wait) => wait,
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "deliveries cannot be leased or recorded"
                    );
                    // One of them may have been made in the transaction that did not come about.
                    desk.secrets.clear();
                    POLL_INTERVAL
                }
            };
            let free = desk.in_flight < sender.settings.max_concurrent;
            tokio::select! {
                changed = stopped.changed() => if changed.is_err() { break },
                _ = beat.tick() => sender.extend_leases().await,
                taken = ended.recv_many(&mut desk.ended, sender.settings.max_concurrent) => sender.note_completed(&mut desk, taken),
                () = announced, if free => {}
                () = tokio::time::sleep(wait), if free => {}
            }
        }
        sender.shut_down(desk, ended).await;
    }

    /// Records what ended and leases what is due. How long nothing else can become due.
    async fn run_cycle(self: &Arc<Self>, desk: &mut DispatchState, lease: bool) -> Result<Duration, DbError> {
        let now = self.world.now();
        let mut wait = POLL_INTERVAL;
        let mut wanted = Vec::new();
        let mut room = if lease { self.settings.max_concurrent.saturating_sub(desk.in_flight) } else { 0 };
        if room > 0 {
            let mut due = due_endpoints(&self.db).await?;
            due.sort_by_key(|endpoint| endpoint.due.map(|at| at.0));
            let clock = Instant::now();
            for DueEndpoint { endpoint, due: at } in due {
                let Some(DbTimestamp(at)) = at else { continue };
                if at > now {
                    wait = wait.min(at.duration_since(now).unsigned_abs());
                    continue;
                }
                let free = desk.endpoints.get(&endpoint).map_or_else(
                    || EndpointBreaker::new().available_calls(clock),
                    |e| e.available_calls(clock),
                );
                let many = free.min(room);
                if many > 0 {
                    room -= many;
                    wanted.push((endpoint, many));
                }
            }
        }
        if desk.ended.is_empty() && wanted.is_empty() {
            return Ok(wait);
        }
        // Not the disk: what a power cut takes away here is done again, and receivers know repeats by their id.
        let mut tx = self.db.write_with_durability(Durability::Process).await?;
        for tried in &desk.ended {
            self.record_attempt(&mut tx, tried, now).await?;
        }
        let mut leased = Vec::new();
        for (endpoint, many) in &wanted {
            leased.extend(self.lease_due(&mut tx, endpoint, *many, now).await?);
        }
        // Before the leases count: whatever fails here leaves nothing leased that nobody attempts.
        let mut begun = Vec::with_capacity(leased.len());
        for one in leased {
            let secrets = self.cached_secrets(desk, &mut tx, one.app_id).await?;
            begun.push((one, secrets));
        }
        tx.commit().await?;
        desk.ended.clear();
        for (one, secrets) in begun {
            self.start_attempt(desk, one, secrets);
        }
        Ok(wait)
    }

    async fn cached_secrets(
        &self,
        desk: &mut DispatchState,
        tx: &mut WriteTx,
        app: AppId,
    ) -> Result<Arc<[WebhookSecret]>, DbError> {
        match desk.secrets.get(&app) {
            Some((since, known)) if since.elapsed() < SECRET_CACHE_TTL => Ok(known.clone()),
            _ => {
                let read = secrets::list_or_create(tx, self.outbox.vault(), &*self.world, app).await?;
                let read: Arc<[_]> = read.into();
                if desk.secrets.len() >= 1000 {
                    desk.secrets.retain(|_, (since, _)| since.elapsed() < SECRET_CACHE_TTL);
                }
                desk.secrets.insert(app, (Instant::now(), read.clone()));
                Ok(read)
            }
        }
    }

    async fn lease_due(
        &self,
        tx: &mut WriteTx,
        endpoint: &str,
        most: usize,
        now: Timestamp,
    ) -> Result<Vec<LeasedDelivery>, DbError> {
        tx.fetch_all(sql!(
            sqlite: "UPDATE deliveries SET state = 'RUNNING', worker = $2, leased_until = $4, tries = tries + 1
                      WHERE id IN (SELECT id FROM deliveries WHERE state = 'WAITING' AND endpoint = $1
                                      AND next_at <= $3 ORDER BY next_at LIMIT $5)
                      RETURNING id, app_id, topic, endpoint, sealed, tries, attempts, begun_at",
            postgres: "UPDATE deliveries SET state = 'RUNNING', worker = $2, leased_until = $4, tries = tries + 1
                        WHERE id IN (SELECT id FROM deliveries WHERE state = 'WAITING' AND endpoint = $1
                                        AND next_at <= $3 ORDER BY next_at LIMIT $5 FOR UPDATE SKIP LOCKED)
                        RETURNING id, app_id, topic, endpoint, sealed, tries, attempts, begun_at",
            endpoint,
            self.id,
            now,
            now + self.settings.lease,
            most as i64,
        ))
        .await
    }

    /// Starts an attempt in a task of its own.
    fn start_attempt(
        self: &Arc<Self>,
        desk: &mut DispatchState,
        leased: LeasedDelivery,
        secrets: Arc<[WebhookSecret]>,
    ) {
        desk.endpoints.entry(leased.endpoint.clone()).or_insert_with(EndpointBreaker::new).record_start(1);
        desk.in_flight += 1;
        let (sender, done) = (self.clone(), desk.done.clone());
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
        let attempted = span.clone();
        let task = async move {
            // The loop must hear of every attempt, of one that panics too: its lease would be extended for ever.
            let ended = AssertUnwindSafe(sender.attempt(&leased, &secrets)).catch_unwind().await;
            let (attempt, end, health) = ended.unwrap_or_else(|_| {
                metrics::counter!("assay_job_panics_total").increment(1);
                (
                    sender.unsent_attempt("the attempt panicked"),
                    DeliveryOutcome::Retry(None),
                    EndpointHealth::Healthy,
                )
            });
            let _gone =
                done.send(CompletedDeliveryAttempt { leased, span: attempted, attempt, end, health }).await;
        };
        tokio::spawn(task.instrument(span));
    }

    async fn attempt(
        &self,
        leased: &LeasedDelivery,
        secrets: &[WebhookSecret],
    ) -> (DeliveryAttempt, DeliveryOutcome, EndpointHealth) {
        let (at, began) = (self.world.now(), Instant::now());
        if leased.tries == 1 {
            let lag = at.duration_since(leased.begun_at).as_secs_f64().max(0.0);
            metrics::histogram!("assay_delivery_lag_seconds").record(lag);
        }
        let Some(message) = self.outbox.unseal(leased.id, &leased.sealed) else {
            let error = "the message does not open: it was damaged, or the master key is another one";
            return (self.unsent_attempt(error), DeliveryOutcome::GivenUp, EndpointHealth::Healthy);
        };
        let answered = match self.build_call(leased.id, &message, secrets, at) {
            Ok(call) => self.outbox.fetcher().call(&message.url, call).await,
            Err(error) => {
                return (self.unsent_attempt(error), DeliveryOutcome::GivenUp, EndpointHealth::Healthy);
            }
        };
        let took = began.elapsed();
        let (end, health) = classify(&message, &answered, at);
        let attempt = DeliveryAttempt {
            at,
            took_ms: took.as_millis() as u64,
            status: answered.as_ref().ok().map(|answered| answered.status),
            error: match (&answered, end) {
                (Err(error), _) => Some(error.to_string()),
                (Ok(_), DeliveryOutcome::Delivered) => None,
                (Ok(_), DeliveryOutcome::GivenUp) => Some("the receiver wants no more of these".to_owned()),
                (Ok(_), DeliveryOutcome::Retry(_)) => Some("the receiver did not take it".to_owned()),
            },
        };
        let outcome = match (&answered, end) {
            (_, DeliveryOutcome::Delivered) => "delivered",
            (Err(FetchError::Refused(_)), _) => "refused",
            (Err(_), _) => "unanswered",
            (Ok(_), _) => "rejected",
        };
        metrics::counter!("assay_delivery_attempts_total", "outcome" => outcome).increment(1);
        let span = Span::current();
        span.record("outcome", outcome);
        span.record("http.status", attempt.status);
        metrics::histogram!("assay_delivery_attempt_seconds").record(took.as_secs_f64());
        (attempt, end, health)
    }

    /// An attempt that sent nothing.
    fn unsent_attempt(&self, error: &str) -> DeliveryAttempt {
        DeliveryAttempt { at: self.world.now(), took_ms: 0, status: None, error: Some(error.to_owned()) }
    }

    fn build_call(
        &self,
        id: DeliveryId,
        message: &WebhookMessage,
        secrets: &[WebhookSecret],
        now: Timestamp,
    ) -> Result<FetchRequest, &'static str> {
        let mut headers = HeaderMap::new();
        let mut set = |name: &str, value: &str| -> Result<(), &'static str> {
            let name =
                HeaderName::from_bytes(name.as_bytes()).map_err(|_| "a header's name cannot be sent")?;
            headers
                .insert(name, HeaderValue::from_str(value).map_err(|_| "a header's value cannot be sent")?);
            Ok(())
        };
        for (name, value) in &message.headers {
            set(name, value)?;
        }
        if message.verb == WebhookMethod::Post {
            set("content-type", "application/json")?;
        }
        for (name, value) in
            secrets::signature_headers(secrets, &id.to_string(), now, message.body.as_bytes())
        {
            set(name, &value)?;
        }
        Ok(FetchRequest {
            method: match message.verb {
                WebhookMethod::Post => Method::POST,
                WebhookMethod::Get => Method::GET,
            },
            headers,
            body: message.body.clone().into(),
            verify_tls: message.verify_tls,
            timeout: self.settings.timeout,
            max_bytes: MAX_RESPONSE_BYTES,
        })
    }

    /// Notes the last `taken` attempts that ended.
    fn note_completed(&self, desk: &mut DispatchState, taken: usize) {
        let now = Instant::now();
        desk.in_flight = desk.in_flight.saturating_sub(taken);
        let from = desk.ended.len().saturating_sub(taken);
        for tried in desk.ended.get(from..).unwrap_or_default() {
            let name = &tried.leased.endpoint;
            let Some(endpoint) = desk.endpoints.get_mut(name) else { continue };
            if endpoint.record_end(tried.health, now, self.settings.max_concurrent_per_endpoint) {
                metrics::counter!("assay_delivery_endpoints_closed_total").increment(1);
                tracing::warn!(endpoint = name, "an endpoint does not answer; it is left alone for a while");
            }
        }
        // Nothing need be remembered of those that are well; the map stays as small as the trouble is.
        if desk.endpoints.len() > 1000 {
            desk.endpoints.retain(|_, endpoint| !endpoint.is_idle());
        }
        let closed = desk.endpoints.values().filter(|endpoint| endpoint.is_open(now)).count();
        metrics::gauge!("assay_delivery_endpoints_closed").set(closed as f64);
    }

    async fn record_attempt(
        &self,
        tx: &mut WriteTx,
        tried: &CompletedDeliveryAttempt,
        now: Timestamp,
    ) -> Result<(), DbError> {
        let CompletedDeliveryAttempt { leased, span, attempt, end, .. } = tried;
        let again = match end {
            DeliveryOutcome::Retry(patience) => schedule::next_attempt_at(
                leased.begun_at,
                leased.tries,
                now,
                *patience,
                self.random_fraction(),
            ),
            DeliveryOutcome::Delivered | DeliveryOutcome::GivenUp => None,
        };
        let state = match (end, again) {
            (DeliveryOutcome::Delivered, _) => DeliveryState::Delivered,
            (_, Some(_)) => DeliveryState::Waiting,
            (_, None) => DeliveryState::Failed,
        };
        let skipped = (leased.attempts.len() + 1).saturating_sub(MAX_RECORDED_ATTEMPTS);
        let attempts: Vec<_> = leased.attempts.iter().chain([attempt]).skip(skipped).collect();
        let rows = tx
            .execute(sql!(
                "UPDATE deliveries SET state = $4, attempts = $5, next_at = $6, ended_at = $7, worker = NULL,
                        leased_until = NULL
                  WHERE id = $1 AND worker = $2 AND tries = $3 AND state = 'RUNNING'",
                leased.id,
                self.id,
                leased.tries,
                state,
                serde_json::json!(attempts),
                again.unwrap_or(now),
                again.is_none().then_some(now),
            ))
            .await?;
        if rows == 0 {
            // The lease had run out: another process has it, and the receiver may see it twice.
            metrics::counter!("assay_deliveries_repeated_total").increment(1);
        } else if state == DeliveryState::Failed {
            span.in_scope(|| tracing::warn!("a delivery was given up"));
        }
        Ok(())
    }

    fn random_fraction(&self) -> f64 {
        let mut bytes = [0; 4];
        self.world.fill_random(&mut bytes);
        f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
    }

    /// Extends our leases, and puts back what somebody's lease has run out on. Whoever died, it was not the receiver:
    /// the attempt does not count.
    async fn extend_leases(&self) {
        let now = self.world.now();
        let beaten = async {
            let mut tx = self.db.write_with_durability(Durability::Process).await?;
            tx.execute(sql!(
                "UPDATE deliveries SET leased_until = $2 WHERE state = 'RUNNING' AND worker = $1",
                self.id,
                now + self.settings.lease,
            ))
            .await?;
            tx.execute(sql!(
                "UPDATE deliveries SET state = 'WAITING', tries = tries - 1, worker = NULL, leased_until = NULL
                  WHERE state = 'RUNNING' AND leased_until <= $1",
                now,
            ))
            .await?;
            tx.commit().await
        };
        if let Err(error) = beaten.await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "leases of deliveries cannot be extended"
            );
        }
    }

    async fn shut_down(
        self: Arc<Self>,
        mut desk: DispatchState,
        mut ended: mpsc::Receiver<CompletedDeliveryAttempt>,
    ) {
        let deadline = Instant::now() + SHUTDOWN_GRACE_PERIOD;
        while desk.in_flight > 0 {
            let taken = ended.recv_many(&mut desk.ended, self.settings.max_concurrent);
            match tokio::time::timeout_at(deadline, taken).await {
                Ok(taken) if taken > 0 => self.note_completed(&mut desk, taken),
                _ => break,
            }
        }
        let recorded = self.run_cycle(&mut desk, false).await.map(drop);
        // What did not end goes back at once, instead of when its lease runs out.
        let given_back = async {
            let mut tx = self.db.write().await?;
            tx.execute(sql!(
                "UPDATE deliveries SET state = 'WAITING', tries = tries - 1, worker = NULL, leased_until = NULL
                  WHERE state = 'RUNNING' AND worker = $1",
                self.id,
            ))
            .await?;
            tx.commit().await
        };
        if let Err(error) = recorded.and(given_back.await) {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "leases of deliveries cannot be given back; they run out"
            );
        }
    }
}

/// Every endpoint for which something waits, with its earliest moment. The index is jumped through, an endpoint at a
/// time: a long queue of one costs no more than a short one.
async fn due_endpoints(db: &Db) -> Result<Vec<DueEndpoint>, DbError> {
    let mut view = db.read().await?;
    view.fetch_all(sql!(
        "WITH RECURSIVE found (endpoint) AS (
             SELECT min(endpoint) FROM deliveries WHERE state = 'WAITING'
             UNION ALL
             SELECT (SELECT min(d.endpoint) FROM deliveries d WHERE d.state = 'WAITING' AND d.endpoint > found.endpoint)
               FROM found WHERE found.endpoint IS NOT NULL
         )
         SELECT endpoint, (SELECT min(d.next_at) FROM deliveries d
                            WHERE d.state = 'WAITING' AND d.endpoint = found.endpoint) AS due
           FROM found WHERE endpoint IS NOT NULL LIMIT 10000"
    ))
    .await
}

/// What an answer means for the message and for the endpoint.
fn classify(
    message: &WebhookMessage,
    answered: &Result<BufferedResponse, FetchError>,
    now: Timestamp,
) -> (DeliveryOutcome, EndpointHealth) {
    let Ok(answered) = answered else {
        return (DeliveryOutcome::Retry(None), EndpointHealth::Unhealthy);
    };
    let patience =
        answered.headers.get("retry-after").and_then(|value| parse_retry_after(value.to_str().ok()?, now));
    match answered.status {
        status if message.success.accepts(status) => (DeliveryOutcome::Delivered, EndpointHealth::Healthy),
        410 => (DeliveryOutcome::GivenUp, EndpointHealth::Healthy),
        429 | 503 if patience.is_some() => {
            let wait = patience.map_or(Duration::ZERO, SignedDuration::unsigned_abs);
            (DeliveryOutcome::Retry(patience), EndpointHealth::Throttled(wait))
        }
        500.. => (DeliveryOutcome::Retry(patience), EndpointHealth::Unhealthy),
        // It answers; it only does not like this message.
        _ => (DeliveryOutcome::Retry(patience), EndpointHealth::Healthy),
    }
}

/// `Retry-After` as a wait (RFC 9110, section 10.2.3).
fn parse_retry_after(text: &str, now: Timestamp) -> Option<SignedDuration> {
    let wait = match text.trim().parse::<u32>() {
        Ok(seconds) => SignedDuration::from_secs(seconds.into()),
        Err(_) => base::parse_http_date(text.trim())?.duration_since(now),
    };
    Some(wait.max(SignedDuration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::SuccessCriterion;

    fn answered(status: u16, retry_after: Option<&str>) -> BufferedResponse {
        let mut headers = HeaderMap::new();
        if let Some(wait) = retry_after {
            headers.insert("retry-after", HeaderValue::from_str(wait).unwrap());
        }
        BufferedResponse { status, headers, body: Vec::new() }
    }

    #[test]
    fn the_status_decides() {
        let message = |success| WebhookMessage {
            url: String::new(),
            verb: WebhookMethod::Post,
            headers: Vec::new(),
            body: String::new(),
            verify_tls: true,
            success,
        };
        let (any, exact) = (message(SuccessCriterion::Any2xx), message(SuccessCriterion::Only200));
        let now: Timestamp = "2026-01-16T14:40:00Z".parse().unwrap();
        let minute = SignedDuration::from_mins(1);
        for (message, status, retry_after, expected) in [
            (&any, 200, None, (DeliveryOutcome::Delivered, EndpointHealth::Healthy)),
            (&any, 204, None, (DeliveryOutcome::Delivered, EndpointHealth::Healthy)),
            (&exact, 204, None, (DeliveryOutcome::Retry(None), EndpointHealth::Healthy)),
            (&any, 301, None, (DeliveryOutcome::Retry(None), EndpointHealth::Healthy)),
            (&any, 404, None, (DeliveryOutcome::Retry(None), EndpointHealth::Healthy)),
            (&any, 410, None, (DeliveryOutcome::GivenUp, EndpointHealth::Healthy)),
            (
                &any,
                429,
                Some("60"),
                (DeliveryOutcome::Retry(Some(minute)), EndpointHealth::Throttled(minute.unsigned_abs())),
            ),
            (
                &any,
                503,
                Some("Fri, 16 Jan 2026 14:41:00 GMT"),
                (DeliveryOutcome::Retry(Some(minute)), EndpointHealth::Throttled(minute.unsigned_abs())),
            ),
            (&any, 503, None, (DeliveryOutcome::Retry(None), EndpointHealth::Unhealthy)),
            (&any, 500, Some("60"), (DeliveryOutcome::Retry(Some(minute)), EndpointHealth::Unhealthy)),
        ] {
            assert_eq!(
                classify(message, &Ok(answered(status, retry_after)), now),
                expected,
                "{status} {retry_after:?}"
            );
        }
        let none = Err(FetchError::TooSlow(Duration::from_secs(15)));
        assert_eq!(classify(&any, &none, now), (DeliveryOutcome::Retry(None), EndpointHealth::Unhealthy));
    }
}
