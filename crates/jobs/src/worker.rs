//! The loop that leases jobs and runs them.

use crate::{
    Job, JobError, JobOutcome, Lane, Lease, RetryPolicy,
    queue::{self, AttemptAccounting, MAX_INTERRUPTIONS},
};
use base::{Environment, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError};
use serde_json::Value;
use std::{collections::HashMap, future::Future, pin::Pin, sync::Arc, time::Duration};
use tokio::{sync::watch, task::JoinSet, time::Instant};

/// A lease is extended long before it runs out; one that did run out belongs to a process that died or hangs.
const LEASE_DURATION: SignedDuration = SignedDuration::from_secs(60);
const LEASE_EXTENSION_INTERVAL: Duration = Duration::from_secs(15);
/// Another process's jobs are seen within this time; our own at once.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Running jobs get this long when the worker is told to stop; then their leases are given back.
const SHUTDOWN_GRACE_PERIOD: Duration = Duration::from_secs(20);

type JobFuture = Pin<Box<dyn Future<Output = Result<JobOutcome, JobError>> + Send>>;
type JobRunner = Box<dyn Fn(Value, Lease) -> JobFuture + Send + Sync>;

struct JobHandler {
    run: JobRunner,
    retry: RetryPolicy,
}

/// Runs jobs until it is told to stop.
pub struct Worker {
    db: Db,
    world: Arc<dyn Environment>,
    id: Uuid,
    handlers: HashMap<&'static str, JobHandler>,
    slots: [(Lane, usize); 4],
    shutdown: ShutdownSignal,
    lease: SignedDuration,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Worker({})", self.id)
    }
}

/// Tells a worker to stop: when the sender says `true`, or is gone.
pub type ShutdownSignal = watch::Receiver<bool>;

impl Worker {
    /// A worker that knows no kind of job yet.
    pub fn new(db: Db, world: Arc<dyn Environment>) -> Self {
        let id = world.uuid_v7();
        let slots = [(Lane::Quick, 64), (Lane::Heavy, 2), (Lane::Live, 16), (Lane::Upkeep, 1)];
        // Until it works, nobody can tell it to stop.
        let stopped = watch::channel(false).1;
        Self { db, world, id, handlers: HashMap::new(), slots, shutdown: stopped, lease: LEASE_DURATION }
    }

    /// How many jobs of a lane run at once.
    #[must_use]
    pub fn slots(mut self, lane: Lane, most: usize) -> Self {
        self.slots.iter_mut().filter(|(of, _)| *of == lane).for_each(|(_, slots)| *slots = most);
        self
    }

    /// How long a lease lasts that nobody extends: a minute, unless told otherwise.
    #[must_use]
    pub fn lease_duration(mut self, lasts: SignedDuration) -> Self {
        self.lease = lasts;
        self
    }

    /// Runs jobs of a kind with `run`.
    #[must_use]
    pub fn register<J: Job, F>(mut self, run: impl Fn(J, Lease) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<JobOutcome, JobError>> + Send + 'static,
    {
        let run = Box::new(move |payload: Value, lease: Lease| -> JobFuture {
            match serde_json::from_value::<J>(payload) {
                Ok(job) => Box::pin(run(job, lease)),
                Err(error) => {
                    // Written by a newer build, or by nobody we know: no attempt of ours can help.
                    let failure = JobError { permanent: true, ..JobError::from(error) };
                    Box::pin(std::future::ready(Err(failure)))
                }
            }
        });
        self.handlers.insert(J::KIND, JobHandler { run, retry: J::RETRY });
        self
    }

    /// Works until told to stop, then lets running jobs end, and gives back what does not end in time.
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
                done = lanes.join_next() => if done.is_none() { break },
                _ = tick.tick() => worker.extend_leases().await,
            }
        }
    }

    async fn extend_leases(&self) {
        if let Err(error) = queue::extend_leases(&self.db, self.id, self.world.now() + self.lease).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "leases of jobs cannot be extended");
        }
    }

    async fn run_lane(self: Arc<Self>, lane: Lane, slots: usize, mut stopped: ShutdownSignal) {
        let mut running = JoinSet::new();
        while !*stopped.borrow() {
            // Registered before looking, so that nothing queued in between is overlooked.
            let announced = self.db.notified();
            let free = slots - running.len();
            let found = if free == 0 { Ok(Vec::new()) } else { self.lease_due(lane, free).await };
            let found = found.unwrap_or_else(|error| {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    lane = lane.as_str(),
                    "no jobs can be leased"
                );
                Vec::new()
            });
            let full = found.len() == free;
            for leased in found {
                running.spawn(self.clone().run_job(leased));
            }
            if full && running.len() < slots {
                continue;
            }
            tokio::select! {
                ended = stopped.changed() => if ended.is_err() { break },
                Some(_) = running.join_next() => {}
                () = announced, if running.len() < slots => {}
                () = tokio::time::sleep(POLL_INTERVAL), if running.len() < slots => {}
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

    /// Leases what is due. The write that leases costs more than a look, so look first.
    async fn lease_due(&self, lane: Lane, free: usize) -> Result<Vec<queue::LeasedJob>, DbError> {
        let now = self.world.now();
        match queue::next_due(&self.db, lane).await? {
            Some(due) if due <= now => {
                queue::lease_due(&self.db, lane, self.id, now, now + self.lease, free).await
            }
            _ => Ok(Vec::new()),
        }
    }

    /// What this worker could not end goes back at once, instead of when its lease runs out.
    async fn release_leases(&self, lane: Lane) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        tx.execute(db::sql!(
            "UPDATE jobs SET state = 'WAITING', worker = NULL, leased_until = NULL, interruptions = interruptions + 1
              WHERE worker = $1 AND lane = $2 AND state = 'RUNNING'",
            self.id,
            lane.as_str(),
        ))
        .await?;
        tx.commit().await
    }

    async fn run_job(self: Arc<Self>, leased: queue::LeasedJob) {
        let attempts = leased.attempts - leased.interruptions;
        let stopped = self.shutdown.clone();
        let lease = Lease {
            id: leased.id,
            attempts,
            run_number: leased.attempts,
            worker: self.id,
            shutdown: stopped,
        };
        let kind = leased.kind;
        let Some(handler) = self.handlers.get(kind.as_str()) else {
            // Queued by a newer build that runs beside this one: leave it to that one.
            let later = self.world.now() + SignedDuration::from_secs(30);
            let back = lease
                .requeue(&self.db, later, AttemptAccounting::Uncounted, Some("this build knows no such kind"))
                .await;
            return log_run(&kind, &lease, "unknown", back);
        };
        let began = Instant::now();
        // Whoever takes the process down with them must not do so for ever.
        let ended = if leased.interruptions - leased.forgiven >= MAX_INTERRUPTIONS {
            let error = "the process died while it ran, again and again".to_owned();
            Err(JobError { error, not_before: None, permanent: true })
        } else {
            // A task of its own: a panic ends the task, not the lane.
            match tokio::spawn((handler.run)(leased.payload.0, lease.clone())).await {
                Ok(ended) => ended,
                Err(panic) => {
                    metrics::counter!("assay_job_panics_total").increment(1);
                    let error = if panic.is_panic() { "it panicked" } else { "it was cancelled" };
                    Err(JobError { error: error.to_owned(), not_before: None, permanent: false })
                }
            }
        };
        metrics::histogram!("assay_job_seconds", "kind" => kind.clone())
            .record(began.elapsed().as_secs_f64());
        let (word, written) = self.record_outcome(&lease, handler.retry, ended).await;
        log_run(&kind, &lease, word, written);
    }

    async fn record_outcome(
        &self,
        lease: &Lease,
        retry: RetryPolicy,
        ended: Result<JobOutcome, JobError>,
    ) -> (&'static str, Result<(), DbError>) {
        let now = self.world.now();
        match ended {
            Ok(JobOutcome::Done) => ("done", self.remove(lease).await),
            Ok(JobOutcome::Again(at)) => {
                ("again", lease.requeue(&self.db, at, AttemptAccounting::Reset, None).await)
            }
            Err(failure) => match retry.wait(lease.attempts, random_fraction(&*self.world)) {
                Some(wait) if !failure.permanent => {
                    let at = later(now + wait, failure.not_before);
                    (
                        "failed",
                        lease.requeue(&self.db, at, AttemptAccounting::Counted, Some(&failure.error)).await,
                    )
                }
                _ => ("parked", lease.park(&self.db, now, &failure.error).await),
            },
        }
    }

    async fn remove(&self, lease: &Lease) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        match lease.finish(&mut tx).await {
            Ok(()) => tx.commit().await,
            // It was finished within its own transaction, or somebody else has it now.
            Err(queue::LeaseError::Lost) => Ok(()),
            Err(queue::LeaseError::Db(error)) => Err(error),
        }
    }
}

fn later(at: Timestamp, not_before: Option<Timestamp>) -> Timestamp {
    not_before.map_or(at, |moment| moment.max(at))
}

/// 0 to 1.
fn random_fraction(world: &dyn Environment) -> f64 {
    let mut bytes = [0; 4];
    world.fill_random(&mut bytes);
    f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
}

fn log_run(kind: &str, lease: &Lease, ended: &'static str, written: Result<(), DbError>) {
    metrics::counter!("assay_job_runs_total", "kind" => kind.to_owned(), "ended" => ended).increment(1);
    match written {
        Ok(()) if ended == "parked" => {
            tracing::error!(job.id = %lease.id, job.kind = kind, attempts = lease.attempts, "a job is parked; `assay jobs show` has its error");
        }
        Ok(()) => {
            tracing::debug!(job.id = %lease.id, job.kind = kind, attempts = lease.attempts, ended, "job");
        }
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error, job.id = %lease.id, job.kind = kind, ended,
                "the end of a job could not be written; it will run again"
            );
        }
    }
}
