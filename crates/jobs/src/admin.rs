//! Looking at jobs, and deciding about parked ones: for the command line, the console and the metrics.

use base::{Environment, Timestamp, Uuid};
use db::{Db, DbError, FromRow, Json, ReadTx, WriteTx, sql};

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum JobState {
    /// Waits for its moment or for a worker.
    Waiting,
    /// Leased by a worker.
    Running,
    /// Failed too often; waits for somebody to retry or discard it.
    Parked,
}

impl JobState {
    /// The words on the command line and in the database.
    pub const VARIANTS: [&'static str; 3] = ["WAITING", "RUNNING", "PARKED"];
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

/// A job as it stands in the database.
#[derive(Debug, FromRow, serde::Serialize)]
pub struct JobRecord {
    /// Its id.
    pub id: Uuid,
    /// What it is.
    pub kind: String,
    /// Which workers it waits for.
    pub lane: String,
    /// Where it is.
    #[sqlx(try_from = "String")]
    pub state: JobState,
    /// How often it was begun; runs that were interrupted do not count.
    pub attempts: i64,
    /// How often its process died or was stopped while it ran.
    pub interruptions: i64,
    /// When it may run, or was parked.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub run_at: Timestamp,
    /// What went wrong the last time.
    pub last_error: Option<String>,
    /// When it was queued.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    /// What is to be done: ids, never anything about a person.
    pub payload: Json<serde_json::Value>,
}

/// There is no such job, or it is not parked.
#[derive(Debug, thiserror::Error)]
pub enum JobAdminError {
    /// Neither parked nor waiting for another attempt.
    #[error("there is no job {0} that waits or is parked; a running one ends by itself")]
    Missing(Uuid),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Up to 200 jobs, the longest due first; of one state or kind where given.
pub async fn list(
    view: &mut ReadTx,
    state: Option<&str>,
    kind: Option<&str>,
) -> Result<Vec<JobRecord>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, kind, lane, state, attempts - interruptions AS attempts, interruptions, run_at, last_error, created_at,
                payload
           FROM jobs
          WHERE ($1 = '' OR state = $1) AND ($2 = '' OR kind = $2) ORDER BY run_at, id LIMIT 200",
        state.unwrap_or_default(),
        kind.unwrap_or_default(),
    ))
    .await
}

/// One job.
pub async fn show(view: &mut ReadTx, id: Uuid) -> Result<Option<JobRecord>, DbError> {
    view.fetch_optional(sql!(
        "SELECT id, kind, lane, state, attempts - interruptions AS attempts, interruptions, run_at, last_error, created_at,
                payload
           FROM jobs WHERE id = $1",
        id,
    ))
    .await
}

/// Lets a parked or waiting job run now, with a clean record.
pub async fn retry(tx: &mut WriteTx, world: &dyn Environment, id: Uuid) -> Result<(), JobAdminError> {
    let rows = tx
        .execute(sql!(
            "UPDATE jobs SET state = 'WAITING', attempts = 0, interruptions = 0, forgiven = 0, run_at = $2, worker = NULL,
                    leased_until = NULL
              WHERE id = $1 AND (state = 'PARKED' OR state = 'WAITING')",
            id,
            world.now(),
        ))
        .await?;
    tx.notify_on_commit();
    if rows == 1 { Ok(()) } else { Err(JobAdminError::Missing(id)) }
}

/// Gives a parked or waiting job up.
pub async fn discard(tx: &mut WriteTx, id: Uuid) -> Result<(), JobAdminError> {
    let rows = tx
        .execute(sql!("DELETE FROM jobs WHERE id = $1 AND (state = 'PARKED' OR state = 'WAITING')", id))
        .await?;
    if rows == 1 { Ok(()) } else { Err(JobAdminError::Missing(id)) }
}

/// Sets the gauges of jobs by kind and state.
pub async fn report_metrics(db: &Db) -> Result<(), DbError> {
    #[derive(FromRow)]
    struct JobCount {
        kind: String,
        state: String,
        jobs: i64,
    }
    let mut view = db.read().await?;
    let counted: Vec<JobCount> = view
        .fetch_all(sql!("SELECT kind, state, count(*) AS jobs FROM jobs GROUP BY kind, state LIMIT 1000"))
        .await?;
    for many in counted {
        metrics::gauge!("assay_jobs", "kind" => many.kind, "state" => many.state).set(many.jobs as f64);
    }
    Ok(())
}
