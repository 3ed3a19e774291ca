//! Jobs as an operator sees them: listed, shown, retried and discarded on the command line, and counted for the metrics.

use base::{Environment, Timestamp, Uuid};
use db::{AuditEvent, Db, DbError, FromRow, Json, ReadTx, WriteTx, sql};

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
    /// The id that [`enqueue`](crate::enqueue) returned.
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

/// A job by its id; `None` if there is none.
pub async fn show(view: &mut ReadTx, id: Uuid) -> Result<Option<JobRecord>, DbError> {
    view.fetch_optional(sql!(
        "SELECT id, kind, lane, state, attempts - interruptions AS attempts, interruptions, run_at, last_error, created_at,
                payload
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

/// Sets the gauge `assay_jobs`, by kind and state.
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
    for count in counted {
        metrics::gauge!("assay_jobs", "kind" => count.kind, "state" => count.state).set(count.jobs as f64);
    }
    Ok(())
}
