//! How many sessions and steps begin, finish and are left, and how long they take: computed by the database.

use super::SessionKind;
use base::{AppId, Timestamp};
use db::{DbError, FromRow, ReadTx, sql};

/// The longest period of a funnel, days.
pub const MAX_FUNNEL_DAYS: i64 = 92;

/// What is counted: steps that began from `from` on and before `to`.
#[derive(Clone, Copy, Debug)]
pub struct FunnelQuery {
    /// `None`: those of all applications.
    pub app: Option<AppId>,
    pub kind: Option<SessionKind>,
    pub sandbox: bool,
    pub from: Timestamp,
    pub to: Timestamp,
}

/// How a step went, of all sessions together.
#[derive(Clone, Debug, FromRow)]
pub struct FunnelStep {
    pub kind: String,
    pub step: String,
    /// A method, a kind of resource, a check.
    pub subject: String,
    pub started: i64,
    pub passed: i64,
    pub failed: i64,
    pub undecided: i64,
    pub abandoned: i64,
    /// Of those that ended and were not left.
    pub median_seconds: Option<f64>,
    pub p90_seconds: Option<f64>,
}

/// Each step of each kind of session, with how many there were. Percentiles are by the nearest rank.
pub async fn funnel(view: &mut ReadTx, query: &FunnelQuery) -> Result<Vec<FunnelStep>, DbError> {
    view.fetch_all(sql!(
        "WITH chosen AS (
             SELECT kind, step, subject, outcome, seconds,
                    CASE WHEN seconds IS NOT NULL AND outcome <> 'LEFT' THEN 1 ELSE 0 END AS timed
               FROM session_steps
              WHERE started_at >= $1 AND started_at < $2 AND sandbox = $3
                AND (app_id = $4 OR $4 IS NULL) AND (kind = $5 OR $5 IS NULL)
                AND step NOT IN ('REDACTION', 'CLOCK_ADVANCED')),
         ranked AS (
             SELECT kind, step, subject, outcome, seconds, timed,
                    row_number() OVER (PARTITION BY kind, step, subject, timed ORDER BY seconds) AS place,
                    count(*) OVER (PARTITION BY kind, step, subject, timed) AS total
               FROM chosen)
         SELECT kind, step, subject, count(*) AS started,
                count(CASE WHEN outcome = 'PASSED' THEN 1 END) AS passed,
                count(CASE WHEN outcome = 'FAILED' THEN 1 END) AS failed,
                count(CASE WHEN outcome = 'UNDECIDED' THEN 1 END) AS undecided,
                count(CASE WHEN outcome = 'LEFT' THEN 1 END) AS abandoned,
                max(CASE WHEN timed = 1 AND place = (total + 1) / 2 THEN seconds END) AS median_seconds,
                max(CASE WHEN timed = 1 AND place = (9 * total + 9) / 10 THEN seconds END) AS p90_seconds
           FROM ranked GROUP BY kind, step, subject ORDER BY kind, step, started DESC, subject LIMIT 500",
        query.from,
        query.to,
        query.sandbox,
        query.app,
        query.kind.map(SessionKind::as_str),
    ))
    .await
}
