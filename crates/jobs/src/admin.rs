//! Jobs as an operator sees them: listed, shown, retried and discarded on the command line and in the console, and counted.

use crate::Lane;
use base::{AccountId, AppId, Environment, Timestamp, Uuid};
use db::{AuditEvent, Db, DbError, DbTimestamp, FromRow, Json, ReadTx, WriteTx, sql};
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum JobState {
    /// Waits until it is due, or for a free worker.
    Waiting,
    /// Leased by a worker.
    Running,
    /// A dead letter: it failed for good, and waits until an operator retries or discards it.
    Parked,
}

impl JobState {
    /// The states as the command line and the database spell them.
    pub const VARIANTS: [&'static str; 3] = ["WAITING", "RUNNING", "PARKED"];

    /// The state as the command line and the database spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "WAITING",
            Self::Running => "RUNNING",
            Self::Parked => "PARKED",
        }
    }
}

impl TryFrom<String> for JobState {
    type Error = String;
    fn try_from(word: String) -> Result<Self, String> {
        match word.as_str() {
            "WAITING" => Ok(Self::Waiting),
            "RUNNING" => Ok(Self::Running),
            "PARKED" => Ok(Self::Parked),
            _ => Err(word),
        }
    }
}

/// A job's row.
#[derive(Debug, FromRow, serde::Serialize)]
pub struct JobRecord {
    /// [`NewJob::id`](crate::NewJob::id)
    pub id: Uuid,
    /// [`Job::KIND`](crate::Job::KIND)
    pub kind: String,
    /// The name of its lane, [`Lane::as_str`](crate::Lane::as_str).
    pub lane: String,
    /// Whether it waits, runs or was parked.
    #[sqlx(try_from = "String")]
    pub state: JobState,
    /// Runs that were started, without those that were interrupted.
    pub attempts: i64,
    /// Runs that never ended, because their process died or was stopped.
    pub interruptions: i64,
    /// When it is due; of a parked job, when it was parked.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub run_at: Timestamp,
    /// Why the last run failed.
    pub last_error: Option<String>,
    /// When it was enqueued.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    /// The payload: ids, and nothing about a person that is not sealed.
    pub payload: Json<serde_json::Value>,
    /// The application whose work it is; `None`: the server's own.
    pub app_id: Option<AppId>,
    /// The moderation account whose work it is.
    pub account_id: Option<AccountId>,
}

impl JobRecord {
    /// What it is about: the ids in its payload, by the names that they have there.
    pub fn subjects(&self) -> BTreeMap<String, Uuid> {
        let members = self.payload.0.as_object().into_iter().flatten();
        let id = |(name, value): (&String, &serde_json::Value)| {
            Some((name.clone(), Uuid::parse_str(value.as_str()?).ok()?))
        };
        members.filter_map(id).collect()
    }
}

/// Which jobs; `None` does not restrict.
#[derive(Clone, Copy, Debug, Default)]
pub struct JobFilter<'a> {
    /// In this state.
    pub state: Option<JobState>,
    /// In this lane.
    pub lane: Option<Lane>,
    /// Of this kind, [`Job::KIND`](crate::Job::KIND).
    pub kind: Option<&'a str>,
    /// Of this application.
    pub app: Option<AppId>,
}

/// The last job of a page; the next page begins behind it.
#[derive(Clone, Copy, Debug)]
pub struct JobPosition {
    /// [`JobRecord::run_at`]
    pub run_at: Timestamp,
    /// [`JobRecord::id`]
    pub id: Uuid,
}

/// How a lane is.
#[derive(Clone, Debug)]
pub struct LaneFigures {
    /// The lane.
    pub lane: Lane,
    /// Jobs that wait for a free slot.
    pub due: i64,
    /// Jobs that wait until they are due.
    pub scheduled: i64,
    /// Jobs that run.
    pub running: i64,
    /// Dead letters.
    pub parked: i64,
    /// Since when the job has been due that has been due for longest.
    pub oldest_due_at: Option<Timestamp>,
}

/// Why a job cannot be retried or discarded.
#[derive(Debug, thiserror::Error)]
pub enum JobAdminError {
    /// There is no such job, or it is running.
    #[error("there is no job {0} that waits or is parked; a running one ends by itself")]
    Missing(Uuid),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Lists up to 200 jobs, the one that has been due longest first; only those of a state or kind, if one is given.
pub async fn list(
    view: &mut ReadTx,
    state: Option<JobState>,
    kind: Option<&str>,
) -> Result<Vec<JobRecord>, DbError> {
    list_matching(view, JobFilter { state, kind, ..JobFilter::default() }, None, 200).await
}

/// Lists up to `limit` jobs that the filter fits, the one that has been due longest first, those behind `after`.
pub async fn list_matching(
    view: &mut ReadTx,
    filter: JobFilter<'_>,
    after: Option<JobPosition>,
    limit: i64,
) -> Result<Vec<JobRecord>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, kind, lane, state, attempts - interruptions AS attempts, interruptions, run_at, last_error, created_at,
                payload, app_id, account_id
           FROM jobs
          WHERE (state = $1 OR $1 IS NULL) AND (lane = $2 OR $2 IS NULL) AND (kind = $3 OR $3 IS NULL)
            AND (app_id = $4 OR $4 IS NULL)
            AND (run_at > $5 OR (run_at = $5 AND id > $6) OR $5 IS NULL)
          ORDER BY run_at, id LIMIT $7",
        filter.state.map(JobState::as_str),
        filter.lane.map(Lane::as_str),
        filter.kind,
        filter.app,
        after.map(|position| position.run_at),
        after.map(|position| position.id),
        limit,
    ))
    .await
}

/// How each lane is.
pub async fn lane_figures(view: &mut ReadTx, now: Timestamp) -> Result<Vec<LaneFigures>, DbError> {
    #[derive(FromRow)]
    struct LaneRow {
        lane: String,
        due: i64,
        scheduled: i64,
        running: i64,
        parked: i64,
        oldest_due_at: Option<DbTimestamp>,
    }
    let rows: Vec<LaneRow> = view
        .fetch_all(sql!(
            "SELECT lane, CAST(sum(CASE WHEN state = 'WAITING' AND run_at <= $1 THEN 1 ELSE 0 END) AS BIGINT) AS due,
                    CAST(sum(CASE WHEN state = 'WAITING' AND run_at > $1 THEN 1 ELSE 0 END) AS BIGINT) AS scheduled,
                    CAST(sum(CASE WHEN state = 'RUNNING' THEN 1 ELSE 0 END) AS BIGINT) AS running,
                    CAST(sum(CASE WHEN state = 'PARKED' THEN 1 ELSE 0 END) AS BIGINT) AS parked,
                    min(CASE WHEN state = 'WAITING' AND run_at <= $1 THEN run_at END) AS oldest_due_at
               FROM jobs GROUP BY lane LIMIT 100",
            now,
        ))
        .await?;
    let figures = |lane: Lane| {
        let row = rows.iter().find(|row| row.lane == lane.as_str());
        let number = |read: fn(&LaneRow) -> i64| row.map_or(0, read);
        LaneFigures {
            lane,
            due: number(|row| row.due),
            scheduled: number(|row| row.scheduled),
            running: number(|row| row.running),
            parked: number(|row| row.parked),
            oldest_due_at: row.and_then(|row| row.oldest_due_at).map(Timestamp::from),
        }
    };
    Ok(Lane::ALL.map(figures).into())
}

/// A job by its id; `None` if there is none.
pub async fn show(view: &mut ReadTx, id: Uuid) -> Result<Option<JobRecord>, DbError> {
    view.fetch_optional(sql!(
        "SELECT id, kind, lane, state, attempts - interruptions AS attempts, interruptions, run_at, last_error, created_at,
                payload, app_id, account_id
           FROM jobs WHERE id = $1",
        id,
    ))
    .await
}

/// Makes a parked or waiting job due now, with attempts and interruptions counted from zero.
pub async fn retry(tx: &mut WriteTx, environment: &dyn Environment, id: Uuid) -> Result<(), JobAdminError> {
    let rows = tx
        .execute(sql!(
            "UPDATE jobs SET state = 'WAITING', attempts = 0, interruptions = 0, forgiven = 0, run_at = $2, worker = NULL,
                    leased_until = NULL
              WHERE id = $1 AND (state = 'PARKED' OR state = 'WAITING')",
            id,
            environment.now(),
        ))
        .await?;
    tx.notify_on_commit();
    tx.audit(AuditEvent::new("job.retry").target(id));
    if rows == 1 { Ok(()) } else { Err(JobAdminError::Missing(id)) }
}

/// Deletes a parked or waiting job.
pub async fn discard(tx: &mut WriteTx, id: Uuid) -> Result<(), JobAdminError> {
    let rows = tx
        .execute(sql!("DELETE FROM jobs WHERE id = $1 AND (state = 'PARKED' OR state = 'WAITING')", id))
        .await?;
    tx.audit(AuditEvent::new("job.discard").target(id));
    if rows == 1 { Ok(()) } else { Err(JobAdminError::Missing(id)) }
}

/// How many jobs there were at the last report, by kind and state. Those that are gone stay here: a gauge keeps its value until
/// it is set to another.
static REPORTED: Mutex<BTreeMap<(String, String), i64>> = Mutex::new(BTreeMap::new());

/// Sets the gauge `assay_jobs`, by kind and state.
pub async fn report_metrics(db: &Db) -> Result<(), DbError> {
    #[derive(FromRow)]
    struct JobCount {
        kind: String,
        state: String,
        jobs: i64,
    }
    let mut view = db.read_once().await?;
    let counted: Vec<JobCount> = view
        .fetch_all(sql!("SELECT kind, state, count(*) AS jobs FROM jobs GROUP BY kind, state LIMIT 1000"))
        .await?;
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    reported.values_mut().for_each(|jobs| *jobs = 0);
    reported.extend(counted.into_iter().map(|count| ((count.kind, count.state), count.jobs)));
    for ((kind, state), jobs) in &*reported {
        metrics::gauge!("assay_jobs", "kind" => kind.clone(), "state" => state.clone()).set(*jobs as f64);
    }
    Ok(())
}
