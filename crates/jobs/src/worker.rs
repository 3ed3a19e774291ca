//! The loop that leases jobs and runs them.

use crate::{
    Job, JobError, JobIds, JobOutcome, Lane, Lease, RetryPolicy, ShutdownSignal,
    queue::{self, AttemptAccounting, LeaseLimits, MAX_INTERRUPTIONS},
};
use base::{AppId, Environment, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError};
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::watch, task::JoinSet, time::Instant};
use tracing::Instrument as _;

/// A lease is extended long before it runs out, so one that did run out belongs to a process that died or hangs.
const LEASE_DURATION: SignedDuration = SignedDuration::from_secs(60);
const LEASE_EXTENSION_INTERVAL: Duration = Duration::from_secs(15);
/// Jobs that another process enqueued are seen within this time; those of this process at once.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How long running jobs may go on after the worker was told to stop; then their leases are released.
const SHUTDOWN_GRACE_PERIOD: Duration = Duration::from_secs(20);

/// How often a worker looks whether others wait while all slots of a lane are taken.
const SLOT_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// How long a run that was asked for its slot is given before another is asked.
const LEAVING_TIME: Duration = Duration::from_secs(20);

/// How long a run may have its slot while an application waits that has none, though nobody has more than their share.
const TURN: Duration = Duration::from_mins(1);

/// From so many slots of [`Lane::Heavy`] on, one is kept for applications that have none. Fewer are too few for that, and in the
/// other lanes work is short, or keeps its slot for so long that none may be idle.
const MIN_SLOTS_TO_KEEP_ONE: usize = 4;

/// A slot of a lane that a run has.
struct TakenSlot {
    app: Option<AppId>,
    since: Instant,
    /// Tells the run to give it up. Closed once the run has ended.
    give_up: watch::Sender<bool>,
    /// When it was told.
    told_at: Option<Instant>,
}

type JobFuture = Pin<Box<dyn Future<Output = Result<JobOutcome, JobError>> + Send>>;
type JobRunner = Box<dyn Fn(Value, Lease) -> JobFuture + Send + Sync>;
type LaneReadiness = Box<dyn Fn(Lane) -> bool + Send + Sync>;

struct JobHandler {
    run: JobRunner,
    retry: RetryPolicy,
}

/// Leases jobs and runs them until it is told to stop.
pub struct Worker {
    db: Db,
    environment: Arc<dyn Environment>,
    id: Uuid,
    handlers: HashMap<&'static str, JobHandler>,
    slots: [(Lane, usize); 5],
    is_ready: LaneReadiness,
    shutdown: ShutdownSignal,
    lease: SignedDuration,
    turn: Duration,
    max_running: Option<u64>,
    /// The runs under way, by job and number: their leases are extended.
    runs: Mutex<HashSet<(Uuid, i64)>>,
}

/// A run under way, until it is dropped.
struct RunUnderWay {
    worker: Arc<Worker>,
    run: (Uuid, i64),
}

impl Drop for RunUnderWay {
    fn drop(&mut self) {
        self.worker.lock_runs().remove(&self.run);
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Worker({})", self.id)
    }
}

impl Worker {
    /// A worker that knows no kind of job yet; see [`Self::register`].
    pub fn new(db: Db, environment: Arc<dyn Environment>) -> Self {
        let id = environment.uuid_v7();
        let slots =
            [(Lane::Quick, 64), (Lane::Documents, 4), (Lane::Heavy, 2), (Lane::Live, 16), (Lane::Upkeep, 1)];
        // Replaced when the worker is run.
        let shutdown = watch::channel(false).1;
        Self {
            db,
            environment,
            id,
            handlers: HashMap::new(),
            slots,
            is_ready: Box::new(|_| true),
            shutdown,
            lease: LEASE_DURATION,
            turn: TURN,
            max_running: None,
            runs: Mutex::default(),
        }
    }

    /// Sets how many jobs of a lane run at once. Default: 64 quick, 4 documents, 2 heavy, 16 live, 1 upkeep.
    #[must_use]
    pub fn slots(mut self, lane: Lane, limit: usize) -> Self {
        self.slots.iter_mut().filter(|(of, _)| *of == lane).for_each(|(_, slots)| *slots = limit);
        self
    }

    /// Sets in which lanes this process can do the work at this moment; it is asked whenever a lane has a free slot. Jobs of the
    /// others are left to processes that can. Default: in all.
    #[must_use]
    pub fn ready_when(mut self, is_ready: impl Fn(Lane) -> bool + Send + Sync + 'static) -> Self {
        self.is_ready = Box::new(is_ready);
        self
    }

    /// Sets how long a lease lasts that is not extended. Default: a minute.
    #[must_use]
    pub fn lease_duration(mut self, duration: SignedDuration) -> Self {
        self.lease = duration;
        self
    }

    /// Sets how long a run keeps its slot while an application waits that has none. Default: a minute.
    #[must_use]
    pub fn turn(mut self, turn: Duration) -> Self {
        self.turn = turn;
        self
    }

    /// Sets how many jobs of one application run at once, in all processes and in all lanes but [`Lane::Live`], unless an
    /// operator has set another limit for the application. Default: as many as there are slots.
    #[must_use]
    pub fn max_running_per_application(mut self, limit: Option<u64>) -> Self {
        self.max_running = limit;
        self
    }

    /// Runs jobs of the kind `J` by calling `run`. A run takes place in a task and in a span `job` of its own.
    #[must_use]
    pub fn register<J: Job, F>(mut self, run: impl Fn(J, Lease) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<JobOutcome, JobError>> + Send + 'static,
    {
        let run = Box::new(move |payload: Value, lease: Lease| -> JobFuture {
            match serde_json::from_value::<J>(payload) {
                Ok(job) => {
                    job.ids().record();
                    Box::pin(run(job, lease))
                }
                Err(error) => {
                    // Written by a newer build, or damaged: no attempt of this build can help.
                    let failure = JobError { permanent: true, ..JobError::from(error) };
                    Box::pin(std::future::ready(Err(failure)))
                }
            }
        });
        self.handlers.insert(J::KIND, JobHandler { run, retry: J::RETRY });
        self
    }

    /// Runs jobs until `stopped` says to stop, then lets running jobs end, and releases those that do not end in time.
    pub async fn run(mut self, stopped: ShutdownSignal) {
        self.shutdown = stopped.clone();
        let worker = Arc::new(self);
        let mut lanes = JoinSet::new();
        for (lane, slots) in worker.slots {
            lanes.spawn(worker.clone().run_lane(lane, slots, stopped.clone()));
        }
        let mut tick = tokio::time::interval(LEASE_EXTENSION_INTERVAL.min(worker.lease.unsigned_abs() / 4));
        loop {
            tokio::select! {
                ended = lanes.join_next() => match ended {
                    None => break,
                    // The other lanes must not go on as if all was well.
                    Some(Err(error)) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                    Some(_) => {}
                },
                _ = tick.tick() => worker.extend_leases().await,
            }
        }
    }

    async fn extend_leases(&self) {
        let running: Vec<Uuid> = self.lock_runs().iter().map(|(job, _)| *job).collect();
        let until = self.environment.now() + self.lease;
        if let Err(error) = queue::extend_leases(&self.db, self.id, &running, until).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "leases of jobs cannot be extended");
        }
    }

    /// Held for no longer than a look.
    fn lock_runs(&self) -> MutexGuard<'_, HashSet<(Uuid, i64)>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the lease of a job extended while it runs.
    fn note_run(self: &Arc<Self>, job: &queue::LeasedJob) -> RunUnderWay {
        let run = (job.id, job.attempts);
        self.lock_runs().insert(run);
        RunUnderWay { worker: self.clone(), run }
    }

    async fn run_lane(self: Arc<Self>, lane: Lane, slots: usize, mut stopped: ShutdownSignal) {
        let mut running = JoinSet::new();
        let mut taken: Vec<TakenSlot> = Vec::new();
        let mut slots_checked_at = Instant::now();
        while !*stopped.borrow() {
            // Subscribed before looking, so that no job enqueued in between is missed.
            let enqueued = self.db.notified();
            let free = slots - running.len();
            let leased = if free == 0 || !(self.is_ready)(lane) {
                Ok(Vec::new())
            } else {
                self.lease_due(lane, slots, free).await
            };
            let leased = leased.unwrap_or_else(|error| {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    lane = lane.as_str(),
                    "no jobs can be leased"
                );
                Vec::new()
            });
            let may_be_more = leased.len() == free;
            for job in leased {
                let (give_up, slot_wanted) = watch::channel(false);
                taken.push(TakenSlot { app: job.app_id, since: Instant::now(), give_up, told_at: None });
                let under_way = self.note_run(&job);
                running.spawn(self.clone().run_job(job, slot_wanted, under_way));
            }
            taken.retain(|slot| !slot.give_up.is_closed());
            if free == 0 && slots_checked_at.elapsed() >= SLOT_CHECK_INTERVAL {
                slots_checked_at = Instant::now();
                self.make_room(lane, slots, &mut taken).await;
            }
            if may_be_more && running.len() < slots {
                continue;
            }
            tokio::select! {
                ended = stopped.changed() => if ended.is_err() { break },
                Some(_) = running.join_next() => {}
                () = enqueued, if running.len() < slots => {}
                () = tokio::time::sleep(POLL_INTERVAL), if running.len() < slots => {}
                () = tokio::time::sleep(SLOT_CHECK_INTERVAL), if running.len() >= slots => {}
            }
            while running.try_join_next().is_some() {}
        }
        let deadline = Instant::now() + SHUTDOWN_GRACE_PERIOD;
        while let Ok(Some(_)) = tokio::time::timeout_at(deadline, running.join_next()).await {}
        running.shutdown().await;
        if let Err(error) = self.release_leases(lane).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "leases cannot be given back; they run out"
            );
        }
    }

    /// Makes room for an application that waits in a full lane. If it has less than half of the slots, the newest run of an
    /// application that has more than half is asked to stop. If no application has more than half, as in a lane with one
    /// slot, and the waiting one has none at all, the longest run of one of the applications with the most slots is asked,
    /// once that run has had its turn. Long runs save a checkpoint and continue later; others end soon.
    async fn make_room(&self, lane: Lane, slots: usize, taken: &mut [TakenSlot]) {
        // Somebody is leaving already. Not every kind of job can: those are not waited for.
        if taken.iter().any(|slot| slot.told_at.is_some_and(|told| told.elapsed() < LEAVING_TIME)) {
            return;
        }
        let waiting = async {
            let mut view = self.db.read().await?;
            queue::due_applications(&mut view, lane, self.environment.now(), self.max_running).await
        };
        let waiting = waiting.await.unwrap_or_else(|error| {
            tracing::warn!(error = &error as &dyn std::error::Error, "it is unknown who waits for a job");
            Vec::new()
        });
        let mut slots_of: HashMap<Option<AppId>, usize> = HashMap::new();
        for slot in &*taken {
            *slots_of.entry(slot.app).or_default() += 1;
        }
        let half = (slots / 2).max(1);
        let is_over = |app: &Option<AppId>| slots_of.get(app).is_some_and(|number| *number > half);
        let is_under = |app: &Option<AppId>| slots_of.get(app).is_none_or(|number| *number < half);
        let has_none = |app: &Option<AppId>| !slots_of.contains_key(app);
        let mut asked = None;
        if waiting.iter().any(|due| is_under(&due.app)) {
            asked = taken.iter().rposition(|slot| slot.told_at.is_none() && is_over(&slot.app));
        }
        if asked.is_none() && waiting.iter().any(|due| has_none(&due.app)) {
            let most = slots_of.values().copied().max();
            asked = taken.iter().position(|slot| {
                slot.told_at.is_none()
                    && slot.since.elapsed() >= self.turn
                    && slots_of.get(&slot.app).copied() == most
            });
        }
        if let Some(slot) = asked.and_then(|at| taken.get_mut(at)) {
            tracing::info!(lane = lane.as_str(), "a run gives its slot to another application");
            slot.give_up.send_replace(true);
            slot.told_at = Some(Instant::now());
        }
    }

    /// Leases due jobs. Looks first, because a read costs less than the write that leases.
    async fn lease_due(
        &self,
        lane: Lane,
        slots: usize,
        free: usize,
    ) -> Result<Vec<queue::LeasedJob>, DbError> {
        let now = self.environment.now();
        let keeps_one = lane == Lane::Heavy && slots >= MIN_SLOTS_TO_KEEP_ONE;
        let limits = LeaseLimits {
            free,
            slots_per_application: if keeps_one { slots - 1 } else { slots },
            max_running: self.max_running,
        };
        match queue::next_due(&self.db, lane).await? {
            Some(due) if due <= now => {
                queue::lease_due(&self.db, lane, self.id, now, now + self.lease, limits).await
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Puts back at once the jobs that this worker did not end, instead of when their leases run out.
    async fn release_leases(&self, lane: Lane) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        tx.execute(db::sql!(
            sqlite: "UPDATE jobs SET state = 'WAITING', worker = NULL, leased_until = NULL, interruptions = interruptions + 1
                      WHERE worker = $1 AND lane = $2 AND state = 'RUNNING'",
            // By their ids, as whoever deletes several jobs locks them.
            postgres: "WITH leased AS MATERIALIZED (
                           SELECT id FROM jobs WHERE worker = $1 AND lane = $2 AND state = 'RUNNING' ORDER BY id FOR UPDATE)
                       UPDATE jobs SET state = 'WAITING', worker = NULL, leased_until = NULL, interruptions = interruptions + 1
                        WHERE id IN (SELECT id FROM leased)",
            self.id,
            lane.as_str(),
        ))
        .await?;
        tx.commit().await
    }

    async fn run_job(
        self: Arc<Self>,
        leased: queue::LeasedJob,
        slot_wanted: ShutdownSignal,
        under_way: RunUnderWay,
    ) {
        let attempts = leased.attempts - leased.interruptions;
        let span = JobIds::span(leased.id, &leased.kind, attempts, leased.account_id);
        self.run_in_span(leased, attempts, slot_wanted).instrument(span).await;
        drop(under_way);
    }

    async fn run_in_span(&self, leased: queue::LeasedJob, attempts: i64, slot_wanted: ShutdownSignal) {
        let lease = Lease {
            id: leased.id,
            attempts,
            run_number: leased.attempts,
            worker: self.id,
            shutdown: self.shutdown.clone(),
            slot_wanted,
        };
        let is_recurring = leased.is_recurring();
        let kind = leased.kind;
        let Some(handler) = self.handlers.get(kind.as_str()) else {
            // Enqueued by a newer build that runs beside this one: leave the job to that one.
            let retry_at = self.environment.now() + SignedDuration::from_secs(30);
            let written = lease
                .requeue(
                    &self.db,
                    retry_at,
                    AttemptAccounting::Uncounted,
                    Some("this build knows no such kind"),
                )
                .await;
            return report_run(&kind, "unknown", written);
        };
        let started = Instant::now();
        // A job that kills its process must not do so for ever.
        let ended = if leased.interruptions - leased.forgiven >= MAX_INTERRUPTIONS {
            let error = "the process died while it ran, again and again".to_owned();
            Err(JobError { error, not_before: None, permanent: true })
        } else {
            // A task of its own: a panic ends the task, not the lane.
            let run = (handler.run)(leased.payload.0, lease.clone()).in_current_span();
            match tokio::spawn(run).await {
                Ok(ended) => ended,
                Err(panic) => {
                    metrics::counter!("assay_job_panics_total").increment(1);
                    let error = if panic.is_panic() { "it panicked" } else { "it was cancelled" };
                    Err(JobError { error: error.to_owned(), not_before: None, permanent: false })
                }
            }
        };
        metrics::histogram!("assay_job_seconds", "kind" => kind.clone())
            .record(started.elapsed().as_secs_f64());
        let counts = match &ended {
            Ok(JobOutcome::Again(_)) => AttemptAccounting::Reset,
            Ok(JobOutcome::Done) | Err(_) => AttemptAccounting::Counted,
        };
        let (ending, written) = self.record_outcome(&lease, handler.retry, is_recurring, ended).await;
        let is_written = written.is_ok();
        report_run(&kind, ending, written);
        if !is_written {
            self.give_back(&lease, counts).await;
        }
    }

    /// Puts a job whose end could not be written back into the queue, once the database takes it: otherwise nobody would run it
    /// again before its lease is over, and then as one that was interrupted.
    async fn give_back(&self, lease: &Lease, counts: AttemptAccounting) {
        let error = Some("its end could not be written");
        // Who is told to stop gives back all leases.
        while !*self.shutdown.borrow() {
            tokio::time::sleep(POLL_INTERVAL).await;
            let now = self.environment.now();
            if lease.requeue(&self.db, now, counts, error).await.is_ok() {
                break;
            }
        }
    }

    /// Writes how a run ended; returns the word for it in log and metrics, and whether it could be written.
    async fn record_outcome(
        &self,
        lease: &Lease,
        retry: RetryPolicy,
        is_recurring: bool,
        ended: Result<JobOutcome, JobError>,
    ) -> (&'static str, Result<(), DbError>) {
        let now = self.environment.now();
        match ended {
            Ok(JobOutcome::Done) => ("done", self.remove(lease).await),
            Ok(JobOutcome::Again(at)) => {
                ("again", lease.requeue(&self.db, at, AttemptAccounting::Reset, None).await)
            }
            Err(failure) if is_recurring => ("failed", self.repeat(lease, retry, &failure).await),
            Err(failure) => match retry.wait(lease.attempts, random_fraction(&*self.environment)) {
                Some(wait) if !failure.permanent => {
                    let at = failure.not_before.unwrap_or(Timestamp::MIN).max(now + wait);
                    (
                        "failed",
                        lease.requeue(&self.db, at, AttemptAccounting::Counted, Some(&failure.error)).await,
                    )
                }
                _ => ("parked", lease.park(&self.db, now, &failure.error).await),
            },
        }
    }

    /// Puts a recurring job that failed back into the queue, whatever its error: another build may be able to do it, or the
    /// cause may go away, and nobody would queue it anew.
    async fn repeat(&self, lease: &Lease, retry: RetryPolicy, failure: &JobError) -> Result<(), DbError> {
        // Interruptions are counted from zero as well: a job that had too many is not even begun.
        let (attempts, counts) = if failure.permanent {
            (i64::MAX, AttemptAccounting::Reset)
        } else {
            (lease.attempts, AttemptAccounting::Counted)
        };
        if attempts >= retry.attempts() {
            tracing::error!("a recurring job fails again and again; `assay jobs show` has its error");
        }
        let wait = retry.endless_wait(attempts, random_fraction(&*self.environment));
        let at = failure.not_before.unwrap_or(Timestamp::MIN).max(self.environment.now() + wait);
        lease.requeue(&self.db, at, counts, Some(&failure.error)).await
    }

    async fn remove(&self, lease: &Lease) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        match lease.finish(&mut tx).await {
            Ok(()) => tx.commit().await,
            // The run has deleted the row with its effect, or another worker has the job now.
            Err(queue::LeaseError::Lost) => Ok(()),
            Err(queue::LeaseError::Db(error)) => Err(error),
        }
    }
}

/// A random number from 0 to 1.
fn random_fraction(environment: &dyn Environment) -> f64 {
    let mut bytes = [0; 4];
    environment.fill_random(&mut bytes);
    f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
}

/// Counts and logs how a run ended.
fn report_run(kind: &str, ended: &'static str, written: Result<(), DbError>) {
    metrics::counter!("assay_job_runs_total", "kind" => kind.to_owned(), "ended" => ended).increment(1);
    tracing::Span::current().record("job.ended", ended);
    match written {
        Ok(()) if ended == "parked" => {
            tracing::error!("a job is parked; `assay jobs show` has its error");
        }
        Ok(()) => tracing::debug!("a run ended"),
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the end of a job could not be written; it will run again"
            );
        }
    }
}
