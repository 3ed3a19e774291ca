//! The loop that delivers.
//!
//! One task leases due messages and records how attempts ended, both in one transaction at a time; the attempts
//! themselves run side by side. What the loop knows of endpoints is in [`super::breaker`]. A process that dies leaves
//! leases behind; they run out, and what it was doing is done again.

use super::{
    breaker::{Endpoint, Health},
    message::{Message, Outbox, Verb},
    records::{Attempt, DeliveryState},
    schedule,
    secrets::{self, SigningSecret},
};
use base::{AppId, DeliveryId, SignedDuration, Timestamp, Uuid, World};
use db::{At, Db, DbError, Durability, FromRow, Tx, sql};
use futures_util::FutureExt as _;
use jobs::Stopped;
use media::fetch::{Answered, Call, FetchError, HeaderMap, HeaderName, HeaderValue, Method};
use std::{collections::HashMap, panic::AssertUnwindSafe, sync::Arc, time::Duration};
use tokio::{sync::mpsc, time::Instant};

/// A lease is extended long before it runs out; one that did run out belongs to a process that died or hangs.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
const EXTEND_EVERY: Duration = Duration::from_secs(15);
/// Another process's messages are seen within this time; our own at once.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Attempts get this long to end when the sender is told to stop.
const GRACE: Duration = Duration::from_secs(20);
/// A rotated secret is used within this time.
const SECRETS_FOR: Duration = Duration::from_secs(5);
/// Attempts that a record keeps: those of two whole schedules and a few replays.
const REMEMBERED: usize = 30;
/// Of an answer, only its status and a few headers matter.
const ANSWER_BYTES: u64 = 64 << 10;

/// How much is done at once.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Attempts at once.
    pub at_once: usize,
    /// Attempts at once to one endpoint, which it gets step by step while it answers.
    pub per_endpoint: usize,
    /// How long a receiver may take.
    pub timeout: Duration,
    /// How long a lease lasts that nobody extends: what a process that died was sending is sent again after this time.
    pub lease: SignedDuration,
}

impl Default for Settings {
    fn default() -> Self {
        Self { at_once: 256, per_endpoint: 64, timeout: Duration::from_secs(15), lease: LEASE }
    }
}

/// Delivers messages until it is told to stop; any number of processes may have one.
#[derive(Debug)]
pub struct Sender {
    db: Db,
    world: Arc<dyn World>,
    outbox: Outbox,
    settings: Settings,
    id: Uuid,
}

#[derive(Debug, FromRow)]
struct Leased {
    id: DeliveryId,
    app_id: AppId,
    topic: String,
    endpoint: String,
    sealed: Vec<u8>,
    tries: i64,
    #[sqlx(json)]
    attempts: Vec<Attempt>,
    #[sqlx(try_from = "db::At")]
    begun_at: Timestamp,
}

/// An attempt that ended and is to be recorded.
struct Tried {
    leased: Leased,
    attempt: Attempt,
    end: End,
    health: Health,
}

/// What comes after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Delivered,
    /// Again, and how long the receiver asked to be left alone.
    Again(Option<SignedDuration>),
    /// Never again.
    GivenUp,
}

#[derive(FromRow)]
struct Due {
    endpoint: String,
    due: Option<At>,
}

/// What the loop remembers.
struct Desk {
    endpoints: HashMap<String, Endpoint>,
    secrets: HashMap<AppId, (Instant, Arc<[SigningSecret]>)>,
    in_flight: usize,
    /// Ended, and not recorded yet.
    ended: Vec<Tried>,
    done: mpsc::Sender<Tried>,
}

impl Sender {
    /// A sender for what `outbox` takes.
    pub fn new(db: Db, world: Arc<dyn World>, outbox: Outbox, settings: Settings) -> Self {
        let id = world.uuid();
        Self { db, world, outbox, settings, id }
    }

    /// Delivers until told to stop, then lets running attempts end.
    pub async fn work(self, mut stopped: Stopped) {
        let sender = Arc::new(self);
        let (done, mut ended) = mpsc::channel(sender.settings.at_once.max(1));
        let mut desk = Desk {
            endpoints: HashMap::new(),
            secrets: HashMap::new(),
            in_flight: 0,
            ended: Vec::new(),
            done,
        };
        let mut beat = tokio::time::interval(EXTEND_EVERY.min(sender.settings.lease.unsigned_abs() / 4));
        while !*stopped.borrow() {
            // Registered before looking, so that nothing queued in between is overlooked.
            let announced = sender.db.announced();
            let wait = match sender.turn(&mut desk, true).await {
                Ok(wait) => wait,
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "deliveries cannot be leased or recorded"
                    );
                    // One of them may have been made in the transaction that did not come about.
                    desk.secrets.clear();
                    LOOK_EVERY
                }
            };
            let free = desk.in_flight < sender.settings.at_once;
            tokio::select! {
                changed = stopped.changed() => if changed.is_err() { break },
                _ = beat.tick() => sender.beat().await,
                taken = ended.recv_many(&mut desk.ended, sender.settings.at_once) => sender.note(&mut desk, taken),
                () = announced, if free => {}
                () = tokio::time::sleep(wait), if free => {}
            }
        }
        sender.wind_up(desk, ended).await;
    }

    /// Records what ended and leases what is due. How long nothing else can become due.
    async fn turn(self: &Arc<Self>, desk: &mut Desk, lease: bool) -> Result<Duration, DbError> {
        let now = self.world.now();
        let mut wait = LOOK_EVERY;
        let mut wanted = Vec::new();
        let mut room = if lease { self.settings.at_once.saturating_sub(desk.in_flight) } else { 0 };
        if room > 0 {
            let mut due = due_endpoints(&self.db).await?;
            due.sort_by_key(|endpoint| endpoint.due.map(|at| at.0));
            let clock = Instant::now();
            for Due { endpoint, due: at } in due {
                let Some(At(at)) = at else { continue };
                if at > now {
                    wait = wait.min(at.duration_since(now).unsigned_abs());
                    continue;
                }
                let free = desk
                    .endpoints
                    .get(&endpoint)
                    .map_or_else(|| Endpoint::new().room(clock), |e| e.room(clock));
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
        let mut tx = self.db.write_as(Durability::Process).await?;
        for tried in &desk.ended {
            self.record(&mut tx, tried, now).await?;
        }
        let mut leased = Vec::new();
        for (endpoint, many) in &wanted {
            leased.extend(self.lease_some(&mut tx, endpoint, *many, now).await?);
        }
        // Before the leases count: whatever fails here leaves nothing leased that nobody attempts.
        let mut begun = Vec::with_capacity(leased.len());
        for one in leased {
            let secrets = self.secrets(desk, &mut tx, one.app_id).await?;
            begun.push((one, secrets));
        }
        tx.commit().await?;
        desk.ended.clear();
        for (one, secrets) in begun {
            self.begin(desk, one, secrets);
        }
        Ok(wait)
    }

    async fn secrets(
        &self,
        desk: &mut Desk,
        tx: &mut Tx,
        app: AppId,
    ) -> Result<Arc<[SigningSecret]>, DbError> {
        match desk.secrets.get(&app) {
            Some((since, known)) if since.elapsed() < SECRETS_FOR => Ok(known.clone()),
            _ => {
                let read = secrets::ensure(tx, self.outbox.vault(), &*self.world, app).await?;
                let read: Arc<[_]> = read.into();
                if desk.secrets.len() >= 1000 {
                    desk.secrets.retain(|_, (since, _)| since.elapsed() < SECRETS_FOR);
                }
                desk.secrets.insert(app, (Instant::now(), read.clone()));
                Ok(read)
            }
        }
    }

    async fn lease_some(
        &self,
        tx: &mut Tx,
        endpoint: &str,
        most: usize,
        now: Timestamp,
    ) -> Result<Vec<Leased>, DbError> {
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
    fn begin(self: &Arc<Self>, desk: &mut Desk, leased: Leased, secrets: Arc<[SigningSecret]>) {
        desk.endpoints.entry(leased.endpoint.clone()).or_insert_with(Endpoint::new).began(1);
        desk.in_flight += 1;
        let (sender, done) = (self.clone(), desk.done.clone());
        tokio::spawn(async move {
            // The loop must hear of every attempt, of one that panics too: its lease would be extended for ever.
            let ended = AssertUnwindSafe(sender.attempt(&leased, &secrets)).catch_unwind().await;
            let (attempt, end, health) = ended.unwrap_or_else(|_| {
                metrics::counter!("assay_job_panics_total").increment(1);
                (sender.failed("the attempt panicked"), End::Again(None), Health::Well)
            });
            let _gone = done.send(Tried { leased, attempt, end, health }).await;
        });
    }

    async fn attempt(&self, leased: &Leased, secrets: &[SigningSecret]) -> (Attempt, End, Health) {
        let (at, began) = (self.world.now(), Instant::now());
        if leased.tries == 1 {
            let lag = at.duration_since(leased.begun_at).as_secs_f64().max(0.0);
            metrics::histogram!("assay_delivery_lag_seconds").record(lag);
        }
        let Some(message) = self.outbox.open(leased.id, &leased.sealed) else {
            let error = "the message does not open: it was damaged, or the master key is another one";
            return (self.failed(error), End::GivenUp, Health::Well);
        };
        let answered = match self.call(leased.id, &message, secrets, at) {
            Ok(call) => self.outbox.fetcher().call(&message.url, call).await,
            Err(error) => return (self.failed(error), End::GivenUp, Health::Well),
        };
        let took = began.elapsed();
        let (end, health) = judge(&message, &answered, at);
        let attempt = Attempt {
            at,
            took_ms: took.as_millis() as u64,
            status: answered.as_ref().ok().map(|answered| answered.status),
            error: match (&answered, end) {
                (Err(error), _) => Some(error.to_string()),
                (Ok(_), End::Delivered) => None,
                (Ok(_), End::GivenUp) => Some("the receiver wants no more of these".to_owned()),
                (Ok(_), End::Again(_)) => Some("the receiver did not take it".to_owned()),
            },
        };
        let outcome = match (&answered, end) {
            (_, End::Delivered) => "delivered",
            (Err(FetchError::Refused(_)), _) => "refused",
            (Err(_), _) => "unanswered",
            (Ok(_), _) => "rejected",
        };
        metrics::counter!("assay_delivery_attempts_total", "outcome" => outcome).increment(1);
        metrics::histogram!("assay_delivery_attempt_seconds").record(took.as_secs_f64());
        (attempt, end, health)
    }

    /// An attempt that sent nothing.
    fn failed(&self, error: &str) -> Attempt {
        Attempt { at: self.world.now(), took_ms: 0, status: None, error: Some(error.to_owned()) }
    }

    fn call(
        &self,
        id: DeliveryId,
        message: &Message,
        secrets: &[SigningSecret],
        now: Timestamp,
    ) -> Result<Call, &'static str> {
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
        if message.verb == Verb::Post {
            set("content-type", "application/json")?;
        }
        for (name, value) in secrets::headers(secrets, &id.to_string(), now, message.body.as_bytes()) {
            set(name, &value)?;
        }
        Ok(Call {
            method: match message.verb {
                Verb::Post => Method::POST,
                Verb::Get => Method::GET,
            },
            headers,
            body: message.body.clone().into(),
            verify_tls: message.verify_tls,
            timeout: self.settings.timeout,
            most_bytes: ANSWER_BYTES,
        })
    }

    /// Notes the last `taken` attempts that ended.
    fn note(&self, desk: &mut Desk, taken: usize) {
        let now = Instant::now();
        desk.in_flight = desk.in_flight.saturating_sub(taken);
        let from = desk.ended.len().saturating_sub(taken);
        for tried in desk.ended.get(from..).unwrap_or_default() {
            let name = &tried.leased.endpoint;
            let Some(endpoint) = desk.endpoints.get_mut(name) else { continue };
            if endpoint.ended(tried.health, now, self.settings.per_endpoint) {
                metrics::counter!("assay_delivery_endpoints_closed_total").increment(1);
                tracing::warn!(endpoint = name, "an endpoint does not answer; it is left alone for a while");
            }
        }
        // Nothing need be remembered of those that are well; the map stays as small as the trouble is.
        if desk.endpoints.len() > 1000 {
            desk.endpoints.retain(|_, endpoint| !endpoint.is_idle());
        }
        let closed = desk.endpoints.values().filter(|endpoint| endpoint.is_closed(now)).count();
        metrics::gauge!("assay_delivery_endpoints_closed").set(closed as f64);
    }

    async fn record(&self, tx: &mut Tx, tried: &Tried, now: Timestamp) -> Result<(), DbError> {
        let Tried { leased, attempt, end, .. } = tried;
        let again = match end {
            End::Again(patience) => {
                schedule::next(leased.begun_at, leased.tries, now, *patience, self.chance())
            }
            End::Delivered | End::GivenUp => None,
        };
        let state = match (end, again) {
            (End::Delivered, _) => DeliveryState::Delivered,
            (_, Some(_)) => DeliveryState::Waiting,
            (_, None) => DeliveryState::Failed,
        };
        let skipped = (leased.attempts.len() + 1).saturating_sub(REMEMBERED);
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
            tracing::warn!(delivery = %leased.id, topic = leased.topic, endpoint = leased.endpoint, "a delivery was given up");
        }
        Ok(())
    }

    fn chance(&self) -> f64 {
        let mut bytes = [0; 4];
        self.world.fill(&mut bytes);
        f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
    }

    /// Extends our leases, and puts back what somebody's lease has run out on. Whoever died, it was not the receiver:
    /// the attempt does not count.
    async fn beat(&self) {
        let now = self.world.now();
        let beaten = async {
            let mut tx = self.db.write_as(Durability::Process).await?;
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

    async fn wind_up(self: Arc<Self>, mut desk: Desk, mut ended: mpsc::Receiver<Tried>) {
        let deadline = Instant::now() + GRACE;
        while desk.in_flight > 0 {
            let taken = ended.recv_many(&mut desk.ended, self.settings.at_once);
            match tokio::time::timeout_at(deadline, taken).await {
                Ok(taken) if taken > 0 => self.note(&mut desk, taken),
                _ => break,
            }
        }
        let recorded = self.turn(&mut desk, false).await.map(drop);
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
async fn due_endpoints(db: &Db) -> Result<Vec<Due>, DbError> {
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
fn judge(message: &Message, answered: &Result<Answered, FetchError>, now: Timestamp) -> (End, Health) {
    let Ok(answered) = answered else {
        return (End::Again(None), Health::Ill);
    };
    let patience = answered.headers.get("retry-after").and_then(|value| patience(value.to_str().ok()?, now));
    match answered.status {
        status if message.success.takes(status) => (End::Delivered, Health::Well),
        410 => (End::GivenUp, Health::Well),
        429 | 503 if patience.is_some() => {
            let wait = patience.map_or(Duration::ZERO, SignedDuration::unsigned_abs);
            (End::Again(patience), Health::Busy(wait))
        }
        500.. => (End::Again(patience), Health::Ill),
        // It answers; it only does not like this message.
        _ => (End::Again(patience), Health::Well),
    }
}

/// `Retry-After` as a wait (RFC 9110, section 10.2.3).
fn patience(text: &str, now: Timestamp) -> Option<SignedDuration> {
    let wait = match text.trim().parse::<u32>() {
        Ok(seconds) => SignedDuration::from_secs(seconds.into()),
        Err(_) => base::http_date(text.trim())?.duration_since(now),
    };
    Some(wait.max(SignedDuration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::Success;

    fn answered(status: u16, retry_after: Option<&str>) -> Answered {
        let mut headers = HeaderMap::new();
        if let Some(wait) = retry_after {
            headers.insert("retry-after", HeaderValue::from_str(wait).unwrap());
        }
        Answered { status, headers, body: Vec::new() }
    }

    #[test]
    fn the_status_decides() {
        let message = |success| Message {
            url: String::new(),
            verb: Verb::Post,
            headers: Vec::new(),
            body: String::new(),
            verify_tls: true,
            success,
        };
        let (any, exact) = (message(Success::Any2xx), message(Success::Only200));
        let now: Timestamp = "2026-01-16T14:40:00Z".parse().unwrap();
        let minute = SignedDuration::from_mins(1);
        for (message, status, retry_after, expected) in [
            (&any, 200, None, (End::Delivered, Health::Well)),
            (&any, 204, None, (End::Delivered, Health::Well)),
            (&exact, 204, None, (End::Again(None), Health::Well)),
            (&any, 301, None, (End::Again(None), Health::Well)),
            (&any, 404, None, (End::Again(None), Health::Well)),
            (&any, 410, None, (End::GivenUp, Health::Well)),
            (&any, 429, Some("60"), (End::Again(Some(minute)), Health::Busy(minute.unsigned_abs()))),
            (
                &any,
                503,
                Some("Fri, 16 Jan 2026 14:41:00 GMT"),
                (End::Again(Some(minute)), Health::Busy(minute.unsigned_abs())),
            ),
            (&any, 503, None, (End::Again(None), Health::Ill)),
            (&any, 500, Some("60"), (End::Again(Some(minute)), Health::Ill)),
        ] {
            assert_eq!(
                judge(message, &Ok(answered(status, retry_after)), now),
                expected,
                "{status} {retry_after:?}"
            );
        }
        let none = Err(FetchError::TooSlow(Duration::from_secs(15)));
        assert_eq!(judge(&any, &none, now), (End::Again(None), Health::Ill));
    }
}
