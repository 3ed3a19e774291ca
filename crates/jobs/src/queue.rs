//! Leasing jobs, and what a lease allows.

use crate::{Job, Lane, new_job::RECURRING_KEY};
use base::{AccountId, AppId, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, FromRow, Json, ReadTx, WriteTx, ids_json, sql};
use std::collections::HashMap;
use tokio::sync::watch;

/// Why a run may not change anything under its lease.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// The lease ran out and another worker has the job, or the job was discarded. Nothing of this run may count.
    #[error("the job is no longer leased to this run")]
    Lost,
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Where a job stands in its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuePosition {
    /// Whether it runs.
    pub is_running: bool,
    /// Jobs of the lane that were due before it and have not ended, running ones included.
    pub ahead: u64,
    /// Jobs of the lane that run, in all processes; itself included.
    pub running: u64,
}

/// Where the job of this kind and key stands ([`NewJob::unique`](crate::NewJob::unique)); `None` if it has ended, or waits for an
/// operator.
pub async fn queue_position<J: Job>(view: &mut ReadTx, key: &str) -> Result<Option<QueuePosition>, DbError> {
    #[derive(FromRow)]
    struct PositionRow {
        state: String,
        ahead: i64,
        running: i64,
    }
    let row: Option<PositionRow> = view
        .fetch_optional(sql!(
            "SELECT mine.state,
                    (SELECT count(*) FROM jobs AS other
                      WHERE other.lane = mine.lane AND (other.state = 'WAITING' OR other.state = 'RUNNING')
                        AND (other.run_at < mine.run_at OR (other.run_at = mine.run_at AND other.id < mine.id))) AS ahead,
                    (SELECT count(*) FROM jobs AS other
                      WHERE other.lane = mine.lane AND other.state = 'RUNNING') AS running
               FROM jobs AS mine WHERE mine.kind = $1 AND mine.unique_key = $2 AND mine.state <> 'PARKED'",
            J::KIND,
            key,
        ))
        .await?;
    Ok(row.map(|row| QueuePosition {
        is_running: row.state == "RUNNING",
        ahead: row.ahead.unsigned_abs(),
        running: row.running.unsigned_abs(),
    }))
}

/// Tells a worker, and the runs under its leases, to stop: once the value is `true`, or the sender is gone.
pub type ShutdownSignal = watch::Receiver<bool>;

/// A worker's claim on a job, for a limited time.
#[derive(Clone, Debug)]
pub struct Lease {
    /// The job's id.
    pub id: Uuid,
    /// Runs that were started, this one included; those whose process died do not count.
    pub attempts: i64,
    /// Runs that were started, interrupted ones included: no two runs of a job have the same number.
    pub(crate) run_number: i64,
    pub(crate) worker: Uuid,
    pub(crate) shutdown: ShutdownSignal,
    /// Tells this run alone to stop: others wait for its slot.
    pub(crate) slot_wanted: ShutdownSignal,
}

/// How a run counts when its job goes back to the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AttemptAccounting {
    /// It is one more attempt.
    Counted,
    /// It is none: this build does not know the kind of job.
    Uncounted,
    /// Attempts and interruptions are counted from zero.
    Reset,
}

/// How long a job waits after its process died, by how often that has happened. Most jobs that were running at that moment
/// are innocent, so the first two retries are at once; a job that kills its process must not do so again and again.
const INTERRUPTION_BACKOFF_SECONDS: [i64; 9] = [0, 0, 1, 2, 4, 8, 15, 30, 60];
/// The wait after every further interruption.
const MAX_INTERRUPTION_BACKOFF_SECONDS: i64 = 300;
/// A job that was interrupted so often without making progress is parked; one that recurs has its longest wait.
pub(crate) const MAX_INTERRUPTIONS: i64 = 20;

#[derive(Debug, FromRow)]
pub(crate) struct LeasedJob {
    pub(crate) id: Uuid,
    pub(crate) kind: String,
    pub(crate) unique_key: Option<String>,
    pub(crate) app_id: Option<AppId>,
    pub(crate) account_id: Option<AccountId>,
    pub(crate) payload: Json<serde_json::Value>,
    pub(crate) attempts: i64,
    pub(crate) interruptions: i64,
    /// Interruptions before the last [`Lease::record_progress`], which do not count any more.
    pub(crate) forgiven: i64,
}

impl LeasedJob {
    /// Whether it was queued as one that recurs ([`NewJob::recurring`](crate::NewJob::recurring)).
    pub(crate) fn is_recurring(&self) -> bool {
        self.unique_key.as_deref() == Some(RECURRING_KEY)
    }
}

/// How many jobs a worker leases.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeaseLimits {
    /// The slots of the lane that are free.
    pub(crate) free: usize,
    /// The slots that one application may have in this worker.
    pub(crate) slots_per_application: usize,
    /// The jobs of one application that may run in all workers, if it has no limit of its own.
    pub(crate) max_running: Option<u64>,
}

/// Leases due jobs of a lane, fairly between applications. First puts back jobs whose lease has run out, so that they are
/// due soon.
pub(crate) async fn lease_due(
    db: &Db,
    lane: Lane,
    worker: Uuid,
    now: Timestamp,
    until: Timestamp,
    limits: LeaseLimits,
) -> Result<Vec<LeasedJob>, DbError> {
    let LeaseLimits { free: limit, slots_per_application, max_running } = limits;
    let mut tx = db.write().await?;
    let soon = |seconds: i64| now + SignedDuration::from_secs(seconds);
    tx.execute(sql!(
        sqlite: "UPDATE jobs SET state = 'WAITING', worker = NULL, leased_until = NULL, interruptions = interruptions + 1,
                        run_at = CASE interruptions - forgiven WHEN 0 THEN CAST($3 AS TIMESTAMPTZ) WHEN 1 THEN $4 WHEN 2 THEN $5 WHEN 3 THEN $6 WHEN 4 THEN $7
                                      WHEN 5 THEN $8 WHEN 6 THEN $9 WHEN 7 THEN $10 WHEN 8 THEN $11 ELSE $12 END
                  WHERE lane = $1 AND state = 'RUNNING' AND leased_until <= $2",
        // One that is being changed at this moment is not waited for: it is put back the next time, if it must be.
        postgres: "WITH expired AS MATERIALIZED (
                       SELECT id FROM jobs WHERE lane = $1 AND state = 'RUNNING' AND leased_until <= $2
                          FOR UPDATE SKIP LOCKED)
                   UPDATE jobs SET state = 'WAITING', worker = NULL, leased_until = NULL, interruptions = interruptions + 1,
                          run_at = CASE interruptions - forgiven WHEN 0 THEN CAST($3 AS TIMESTAMPTZ) WHEN 1 THEN $4 WHEN 2 THEN $5 WHEN 3 THEN $6 WHEN 4 THEN $7
                                        WHEN 5 THEN $8 WHEN 6 THEN $9 WHEN 7 THEN $10 WHEN 8 THEN $11 ELSE $12 END
                    WHERE id IN (SELECT id FROM expired)",
        lane.as_str(),
        now,
        soon(INTERRUPTION_BACKOFF_SECONDS[0]),
        soon(INTERRUPTION_BACKOFF_SECONDS[1]),
        soon(INTERRUPTION_BACKOFF_SECONDS[2]),
        soon(INTERRUPTION_BACKOFF_SECONDS[3]),
        soon(INTERRUPTION_BACKOFF_SECONDS[4]),
        soon(INTERRUPTION_BACKOFF_SECONDS[5]),
        soon(INTERRUPTION_BACKOFF_SECONDS[6]),
        soon(INTERRUPTION_BACKOFF_SECONDS[7]),
        soon(INTERRUPTION_BACKOFF_SECONDS[8]),
        soon(MAX_INTERRUPTION_BACKOFF_SECONDS),
    ))
    .await?;
    let mut leased = Vec::new();
    lock_limited_applications(&mut tx, lane, max_running).await?;
    let due = due_applications(&mut tx, lane, now, max_running).await?;
    let mut waiting: Vec<_> = due.iter().map(|due| due.app).collect();
    let mut running = running_by_application(&mut tx, lane, worker).await?;
    let mut room: HashMap<_, _> = HashMap::new();
    for DueApplication { app, room: left } in due {
        let slots = slots_per_application.saturating_sub(running.get(&app).copied().unwrap_or(0));
        room.insert(app, left.min(slots));
    }
    waiting.retain(|app| room.get(app).is_some_and(|room| *room > 0));
    // In turns: whoever has the fewest slots gets the next ones, until nobody waits or no slot is free.
    while leased.len() < limit && !waiting.is_empty() {
        let free = limit - leased.len();
        let shares = fair_shares(free, &waiting, &running);
        for (app, share) in shares {
            let room = room.entry(app).or_default();
            let share = share.min(*room);
            let jobs = lease_of_application(&mut tx, lane, worker, app, now, until, share).await?;
            *room -= jobs.len();
            if jobs.len() < share || *room == 0 {
                waiting.retain(|other| *other != app);
            }
            *running.entry(app).or_default() += jobs.len();
            leased.extend(jobs);
        }
    }
    tx.commit().await?;
    Ok(leased)
}

/// An application with jobs that are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DueApplication {
    /// `None` is the server itself.
    pub(crate) app: Option<AppId>,
    /// How many more of its jobs may run, at least one.
    room: usize,
}

/// Makes the workers that lease jobs of an application with a limit of running jobs wait for each other, so that none counts
/// while another leases. Live streams have a limit of their own, which is enforced when they are created.
async fn lock_limited_applications(
    tx: &mut WriteTx,
    lane: Lane,
    max_running: Option<u64>,
) -> Result<(), DbError> {
    if lane == Lane::Live {
        return Ok(());
    }
    // SQLite has one writer anyway. Always in the same order, so that no two workers wait for each other.
    tx.execute(sql!(
        sqlite: "SELECT a.id FROM applications a WHERE coalesce(a.running_jobs, $2) > 0
                    AND EXISTS (SELECT 1 FROM jobs j WHERE j.lane = $1 AND j.state = 'WAITING' AND j.app_id = a.id) LIMIT 0",
        postgres: "SELECT a.id FROM applications a WHERE coalesce(a.running_jobs, $2) > 0
                      AND EXISTS (SELECT 1 FROM jobs j WHERE j.lane = $1 AND j.state = 'WAITING' AND j.app_id = a.id)
                    ORDER BY a.id FOR NO KEY UPDATE OF a",
        lane.as_str(),
        limit_parameter(max_running),
    ))
    .await
    .map(drop)
}

/// 0: no limit.
fn limit_parameter(max_running: Option<u64>) -> i64 {
    max_running.map_or(0, |limit| i64::try_from(limit).unwrap_or(i64::MAX))
}

/// The applications with jobs that are due in a lane and may run, the one that has waited longest first. An application has
/// `max_running` running jobs at most, in all lanes but [`Lane::Live`], unless an operator has set another limit for it.
pub(crate) async fn due_applications(
    view: &mut ReadTx,
    lane: Lane,
    now: Timestamp,
    max_running: Option<u64>,
) -> Result<Vec<DueApplication>, DbError> {
    #[derive(FromRow)]
    struct DueApplicationRow {
        app_id: Option<AppId>,
        due: Option<db::DbTimestamp>,
        /// `None` without a limit.
        room: Option<i64>,
    }
    // The query jumps through the index from application to application, so that a long queue of one costs no more than a
    // short one.
    let mut rows: Vec<DueApplicationRow> = view
        .fetch_all(sql!(
            "WITH RECURSIVE found (app_id) AS (
                 SELECT (SELECT j.app_id FROM jobs j
                          WHERE j.lane = $1 AND j.state = 'WAITING' AND j.app_id IS NOT NULL ORDER BY j.app_id LIMIT 1)
                 UNION ALL
                 SELECT (SELECT j.app_id FROM jobs j
                          WHERE j.lane = $1 AND j.state = 'WAITING' AND j.app_id > found.app_id ORDER BY j.app_id LIMIT 1)
                   FROM found WHERE found.app_id IS NOT NULL
             )
             SELECT app_id, (SELECT min(j.run_at) FROM jobs j
                              WHERE j.lane = $1 AND j.state = 'WAITING' AND j.app_id = found.app_id) AS due,
                    CASE WHEN $1 = 'live' THEN NULL ELSE
                        nullif(coalesce((SELECT a.running_jobs FROM applications a WHERE a.id = found.app_id), $2), 0)
                        - (SELECT count(*) FROM jobs j
                            WHERE j.state = 'RUNNING' AND j.lane <> 'live' AND j.app_id = found.app_id)
                    END AS room
               FROM found WHERE app_id IS NOT NULL
             UNION ALL
             SELECT NULL, (SELECT min(j.run_at) FROM jobs j
                            WHERE j.lane = $1 AND j.state = 'WAITING' AND j.app_id IS NULL), NULL",
            lane.as_str(),
            limit_parameter(max_running),
        ))
        .await?;
    rows.retain(|row| row.due.is_some_and(|due| due.0 <= now));
    rows.sort_by_key(|row| row.due.map(|due| due.0));
    let due = rows.into_iter().map(|row| DueApplication {
        app: row.app_id,
        room: row.room.map_or(usize::MAX, |room| usize::try_from(room).unwrap_or(0)),
    });
    Ok(due.filter(|due| due.room > 0).collect())
}

/// How many slots of a worker's lane each application has.
async fn running_by_application(
    view: &mut ReadTx,
    lane: Lane,
    worker: Uuid,
) -> Result<HashMap<Option<AppId>, usize>, DbError> {
    #[derive(FromRow)]
    struct RunningRow {
        app_id: Option<AppId>,
        number: i64,
    }
    let rows: Vec<RunningRow> = view
        .fetch_all(sql!(
            "SELECT app_id, count(*) AS number FROM jobs
              WHERE state = 'RUNNING' AND worker = $1 AND lane = $2 GROUP BY app_id",
            worker,
            lane.as_str(),
        ))
        .await?;
    Ok(rows.into_iter().map(|row| (row.app_id, row.number as usize)).collect())
}

/// Shares out free slots so that those who wait have as equal numbers of slots as possible. `waiting` is in the order in
/// which they get a slot where not all can. Nobody is listed with a share of 0; there is one share at least.
fn fair_shares(
    free: usize,
    waiting: &[Option<AppId>],
    running: &HashMap<Option<AppId>, usize>,
) -> Vec<(Option<AppId>, usize)> {
    let slots = |app: &Option<AppId>| running.get(app).copied().unwrap_or(0);
    let mut shares: Vec<(Option<AppId>, usize)> = waiting.iter().map(|app| (*app, 0)).collect();
    for _ in 0..free {
        let Some(next) = shares.iter_mut().min_by_key(|(app, share)| slots(app) + *share) else { break };
        next.1 += 1;
    }
    shares.retain(|(_, share)| *share > 0);
    shares
}

async fn lease_of_application(
    tx: &mut WriteTx,
    lane: Lane,
    worker: Uuid,
    app: Option<AppId>,
    now: Timestamp,
    until: Timestamp,
    limit: usize,
) -> Result<Vec<LeasedJob>, DbError> {
    tx.fetch_all(sql!(
        sqlite: "UPDATE jobs SET state = 'RUNNING', worker = $2, leased_until = $4, attempts = attempts + 1
                  WHERE id IN (SELECT id FROM jobs WHERE lane = $1 AND state = 'WAITING' AND run_at <= $3
                                  AND app_id IS $6 ORDER BY run_at, id LIMIT $5)
                  RETURNING id, kind, unique_key, app_id, account_id, payload, attempts, interruptions, forgiven",
        // Materialised, since a query inside `IN` may run once for each row of `jobs`, and lock as many rows each time.
        postgres: "WITH due AS MATERIALIZED (
                       SELECT id FROM jobs WHERE lane = $1 AND state = 'WAITING' AND run_at <= $3
                          AND (app_id = $6 OR $6 IS NULL AND app_id IS NULL)
                        ORDER BY run_at, id LIMIT $5 FOR UPDATE SKIP LOCKED)
                   UPDATE jobs SET state = 'RUNNING', worker = $2, leased_until = $4, attempts = attempts + 1
                    WHERE id IN (SELECT id FROM due)
                    RETURNING id, kind, unique_key, app_id, account_id, payload, attempts, interruptions, forgiven",
        lane.as_str(),
        worker,
        now,
        until,
        limit as i64,
        app,
    ))
    .await
}

/// When the next job of a lane is due, or the next lease runs out; in the past if a job is waiting for a worker.
pub(crate) async fn next_due(db: &Db, lane: Lane) -> Result<Option<Timestamp>, DbError> {
    #[derive(FromRow)]
    struct DueRow {
        due: Option<db::DbTimestamp>,
    }
    let mut view = db.read_once().await?;
    // State by state, so that an index has the first of those that wait: a worker asks this four times a second.
    let row: Option<DueRow> = view
        .fetch_optional(sql!(
            "SELECT min(due) AS due FROM
                (SELECT min(run_at) AS due FROM jobs WHERE lane = $1 AND state = 'WAITING'
                 UNION ALL
                 SELECT min(leased_until) AS due FROM jobs WHERE lane = $1 AND state = 'RUNNING') AS both_states",
            lane.as_str(),
        ))
        .await?;
    Ok(row.and_then(|row| row.due).map(Timestamp::from))
}

/// Extends a worker's leases on the jobs that it runs, and on no others: a job that was leased without the worker being told,
/// because the connection was lost at the commit, is run again when its lease is over.
pub(crate) async fn extend_leases(
    db: &Db,
    worker: Uuid,
    running: &[Uuid],
    until: Timestamp,
) -> Result<(), DbError> {
    if running.is_empty() {
        return Ok(());
    }
    let mut tx = db.write().await?;
    tx.execute(sql!(
        sqlite: "UPDATE jobs SET leased_until = $2 WHERE worker = $1 AND state = 'RUNNING'
                    AND id IN (SELECT unhex(value) FROM json_each($3))",
        // By their ids, as whoever deletes several jobs locks them.
        postgres: "WITH running AS MATERIALIZED (
                       SELECT id FROM jobs WHERE worker = $1 AND state = 'RUNNING'
                          AND id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($3))
                        ORDER BY id FOR UPDATE)
                   UPDATE jobs SET leased_until = $2 WHERE id IN (SELECT id FROM running)",
        worker,
        until,
        ids_json(running),
    ))
    .await?;
    tx.commit().await
}

impl Lease {
    /// Whether the worker was told to stop, or this run to give its slot to another application. A job that takes long
    /// then saves a checkpoint and ends with [`crate::JobOutcome::Again`], so that it goes on from there elsewhere or later.
    pub fn is_stopping(&self) -> bool {
        *self.shutdown.borrow() || *self.slot_wanted.borrow()
    }

    /// Waits until [`Self::is_stopping`].
    pub async fn stop_requested(&self) {
        // A sender that is gone means the same.
        let (mut shutdown, mut slot_wanted) = (self.shutdown.clone(), self.slot_wanted.clone());
        tokio::select! {
            _gone = shutdown.wait_for(|stopped| *stopped) => {}
            _gone = slot_wanted.wait_for(|wanted| *wanted) => {}
        }
    }

    /// Holds the lease until the end of a transaction, so that a run that has lost it writes nothing. On
    /// [`LeaseError::Lost`] the transaction must be dropped.
    pub async fn lock(&self, tx: &mut WriteTx) -> Result<(), LeaseError> {
        let rows = tx
            .execute(sql!(
                "UPDATE jobs SET worker = worker WHERE id = $1 AND worker = $2 AND attempts = $3 AND state = 'RUNNING'",
                self.id,
                self.worker,
                self.run_number,
            ))
            .await?;
        if rows == 1 { Ok(()) } else { Err(LeaseError::Lost) }
    }

    /// Like [`Self::lock`], and records that this run got further than those before it, so that interruptions until now do
    /// not count any more.
    pub async fn record_progress(&self, tx: &mut WriteTx) -> Result<(), LeaseError> {
        let rows = tx
            .execute(sql!(
                "UPDATE jobs SET forgiven = interruptions
                  WHERE id = $1 AND worker = $2 AND attempts = $3 AND state = 'RUNNING'",
                self.id,
                self.worker,
                self.run_number,
            ))
            .await?;
        if rows == 1 { Ok(()) } else { Err(LeaseError::Lost) }
    }

    /// Like [`Self::record_progress`], and stores how far the job got as its payload: whatever runs it next goes on from
    /// there.
    pub async fn record_checkpoint<J: Job>(&self, tx: &mut WriteTx, job: &J) -> Result<(), LeaseError> {
        let rows = tx
            .execute(sql!(
                "UPDATE jobs SET forgiven = interruptions, payload = $4
                  WHERE id = $1 AND worker = $2 AND attempts = $3 AND state = 'RUNNING'",
                self.id,
                self.worker,
                self.run_number,
                serde_json::to_value(job).expect("a payload of our own is JSON"),
            ))
            .await?;
        if rows == 1 { Ok(()) } else { Err(LeaseError::Lost) }
    }

    /// Deletes the job in the transaction of its effect, so that the effect happens once. On [`LeaseError::Lost`] the
    /// transaction must be dropped.
    pub async fn finish(&self, tx: &mut WriteTx) -> Result<(), LeaseError> {
        let rows = tx
            .execute(sql!(
                "DELETE FROM jobs WHERE id = $1 AND worker = $2 AND attempts = $3 AND state = 'RUNNING'",
                self.id,
                self.worker,
                self.run_number,
            ))
            .await?;
        if rows == 1 { Ok(()) } else { Err(LeaseError::Lost) }
    }

    /// Puts the job back into the queue, due at `run_at`; does nothing if the lease is lost.
    pub(crate) async fn requeue(
        &self,
        db: &Db,
        run_at: Timestamp,
        counts: AttemptAccounting,
        error: Option<&str>,
    ) -> Result<(), DbError> {
        self.release(db, "WAITING", run_at, counts, error).await
    }

    /// Makes the job a dead letter, with the error, until an operator decides; does nothing if the lease is lost.
    pub(crate) async fn park(&self, db: &Db, now: Timestamp, error: &str) -> Result<(), DbError> {
        self.release(db, "PARKED", now, AttemptAccounting::Counted, Some(error)).await
    }

    async fn release(
        &self,
        db: &Db,
        state: &str,
        run_at: Timestamp,
        counts: AttemptAccounting,
        error: Option<&str>,
    ) -> Result<(), DbError> {
        let attempts = match counts {
            AttemptAccounting::Counted => self.run_number,
            AttemptAccounting::Uncounted => self.run_number - 1,
            AttemptAccounting::Reset => 0,
        };
        let mut tx = db.write().await?;
        tx.execute(sql!(
            "UPDATE jobs SET state = $4, run_at = $5, attempts = $6, last_error = $7, worker = NULL, leased_until = NULL,
                    interruptions = CASE WHEN CAST($6 AS BIGINT) = 0 THEN 0 ELSE interruptions END,
                    forgiven = CASE WHEN CAST($6 AS BIGINT) = 0 THEN 0 ELSE forgiven END
              WHERE id = $1 AND worker = $2 AND attempts = $3 AND state = 'RUNNING'",
            self.id,
            self.worker,
            self.run_number,
            state,
            run_at,
            attempts,
            error,
        ))
        .await?;
        tx.commit().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use db::testing::TestDb;

    /// On PostgreSQL, which would end one of two transactions that wait for each other.
    #[tokio::test]
    async fn leases_are_extended_while_their_jobs_are_deleted_and_neither_waits_for_the_other() {
        let test = TestDb::open().await;
        let (now, worker): (Timestamp, _) = ("2026-01-16T14:40:00Z".parse().unwrap(), Uuid::from_u128(100));
        let ids: Vec<Uuid> = (1..=16).map(Uuid::from_u128).collect();
        let mut tx = test.db.write().await.unwrap();
        // Rows are often found in the order in which they were written, which is not that of their ids here.
        for id in ids.iter().rev() {
            tx.execute(sql!(
                "INSERT INTO jobs (id, kind, lane, payload, state, attempts, run_at, created_at, worker, leased_until)
                 VALUES ($1, 'note', 'quick', $2, 'RUNNING', 1, $3, $3, $4, $3)",
                *id,
                serde_json::json!({}),
                now,
                worker,
            ))
            .await
            .unwrap();
        }
        tx.commit().await.unwrap();
        let delete = |id: Uuid| sql!("DELETE FROM jobs WHERE id = $1", id);
        let mut deleting = test.db.write().await.unwrap();
        assert_eq!(deleting.execute(delete(ids[0])).await.unwrap(), 1);
        let (extended, ()) = tokio::join!(extend_leases(&test.db, worker, &ids, now), async {
            test.wait_until_blocked(1).await;
            for id in &ids[1..] {
                assert_eq!(deleting.execute(delete(*id)).await.unwrap(), 1);
            }
            deleting.commit().await.unwrap();
        });
        extended.unwrap();
    }

    /// On PostgreSQL, where a worker waits for nobody who is changing a job.
    #[tokio::test]
    async fn other_jobs_are_leased_while_one_is_changed_whose_lease_is_over() {
        let test = TestDb::open().await;
        if test.db.engine() == db::Engine::Sqlite {
            return;
        }
        let (now, worker): (Timestamp, _) = ("2026-01-16T14:40:00Z".parse().unwrap(), Uuid::from_u128(100));
        let [over, waiting] = [Uuid::from_u128(1), Uuid::from_u128(2)];
        let mut tx = test.db.write().await.unwrap();
        for (id, state) in [(over, "RUNNING"), (waiting, "WAITING")] {
            tx.execute(sql!(
                "INSERT INTO jobs (id, kind, lane, payload, state, attempts, run_at, created_at, worker, leased_until)
                 VALUES ($1, 'note', 'quick', $2, $3, 1, $4, $4, $1, $4)",
                id,
                serde_json::json!({}),
                state,
                now,
            ))
            .await
            .unwrap();
        }
        tx.commit().await.unwrap();
        let limits = LeaseLimits { free: 2, slots_per_application: 2, max_running: None };
        let lease = async || {
            let leased = lease_due(&test.db, Lane::Quick, worker, now, now, limits).await.unwrap();
            leased.into_iter().map(|job| job.id).collect::<Vec<_>>()
        };
        let mut changing = test.db.write().await.unwrap();
        changing.execute(sql!("UPDATE jobs SET worker = worker WHERE id = $1", over)).await.unwrap();
        assert_eq!(lease().await, [waiting]);
        changing.commit().await.unwrap();
        assert!(lease().await.contains(&over), "its lease is over");
    }

    #[expect(clippy::unnecessary_wraps, reason = "the server's own jobs are of `None`")]
    fn app(number: u128) -> Option<AppId> {
        Some(Uuid::from_u128(number).into())
    }

    #[test]
    fn free_slots_go_to_those_who_have_fewest() {
        let running = HashMap::from([(app(1), 5), (app(2), 1)]);
        let shares = |free, waiting: &[Option<AppId>]| fair_shares(free, waiting, &running);
        assert_eq!(shares(4, &[app(1)]), [(app(1), 4)], "nobody else waits");
        assert_eq!(shares(4, &[app(1), app(2)]), [(app(2), 4)]);
        assert_eq!(shares(6, &[app(1), app(2)]), [(app(1), 1), (app(2), 5)]);
        assert_eq!(shares(3, &[app(1), app(2), None]), [(app(2), 1), (None, 2)]);
        assert_eq!(shares(1, &[app(3), app(4)]), [(app(3), 1)], "the one that waited longest");
        assert_eq!(shares(0, &[app(3)]), []);
        assert_eq!(shares(3, &[]), []);
    }
}
