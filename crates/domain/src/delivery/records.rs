//! What became of messages, for operators.

use crate::wire_enum::wire_enum;
use base::{AppId, DeliveryId, Environment, SignedDuration, Timestamp};
use db::{Db, DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};
use serde::{Deserialize, Serialize};

wire_enum! {
    /// Where a delivery stands.
    pub enum DeliveryState {
        /// It is tried when its moment comes.
        Waiting => "WAITING",
        /// It is being tried.
        Running => "RUNNING",
        /// The receiver took it.
        Delivered => "DELIVERED",
        /// It was given up: the schedule is over, or the receiver said 410.
        Failed => "FAILED",
    }
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryAttempt {
    /// When it began.
    pub at: Timestamp,
    /// How long it took, milliseconds.
    pub took_ms: u64,
    /// What the receiver answered, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Why it failed, for the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A delivery as operators see it: everything but the message itself.
#[derive(Debug, Serialize, FromRow)]
pub struct DeliveryRecord {
    /// Its id, which receivers see as `webhook-id`.
    pub id: DeliveryId,
    /// Whose it is.
    pub app_id: AppId,
    /// What it is about.
    pub topic: String,
    /// The application and the host it goes to.
    pub endpoint: String,
    /// Where it stands.
    #[sqlx(try_from = "String")]
    pub state: DeliveryState,
    /// The latest attempts.
    #[sqlx(json)]
    pub attempts: Vec<DeliveryAttempt>,
    /// When it is tried next, where it is.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub next_at: Timestamp,
    /// When it was queued.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    /// When it was delivered or given up.
    #[serde(serialize_with = "db::serialize_optional_timestamp")]
    pub ended_at: Option<DbTimestamp>,
}

/// Which deliveries.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeliveryFilter {
    /// Of this application.
    pub app: Option<AppId>,
    /// In this state.
    pub state: Option<DeliveryState>,
    /// Queued then or later.
    pub from: Option<Timestamp>,
    /// Queued before.
    pub to: Option<Timestamp>,
}

/// There is none, or it is being tried right now.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryReplayError {
    /// None that can be replayed.
    #[error("there is no delivery {0} that is not being tried already")]
    Missing(DeliveryId),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Up to 200 deliveries, newest first.
pub async fn list(view: &mut ReadTx, filter: DeliveryFilter) -> Result<Vec<DeliveryRecord>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, app_id, topic, endpoint, state, attempts, next_at, created_at, ended_at FROM deliveries
          WHERE (app_id = $1 OR $1 IS NULL) AND (state = $2 OR $2 IS NULL)
            AND (created_at >= $3 OR $3 IS NULL) AND (created_at < $4 OR $4 IS NULL)
          ORDER BY created_at DESC, id DESC LIMIT 200",
        filter.app,
        filter.state.map(DeliveryState::as_str),
        filter.from,
        filter.to,
    ))
    .await
}

/// One delivery.
pub async fn show(view: &mut ReadTx, id: DeliveryId) -> Result<Option<DeliveryRecord>, DbError> {
    view.fetch_optional(sql!(
        "SELECT id, app_id, topic, endpoint, state, attempts, next_at, created_at, ended_at FROM deliveries
          WHERE id = $1",
        id,
    ))
    .await
}

/// Begins the schedule of a delivery anew, whatever became of it. Its `webhook-id` stays, so a receiver that has it
/// already knows.
pub async fn replay(
    tx: &mut WriteTx,
    world: &dyn Environment,
    id: DeliveryId,
) -> Result<(), DeliveryReplayError> {
    let rows = tx
        .execute(sql!(
            "UPDATE deliveries SET state = 'WAITING', tries = 0, begun_at = $2, next_at = $2, ended_at = NULL
              WHERE id = $1 AND state <> 'RUNNING'",
            id,
            world.now(),
        ))
        .await?;
    tx.notify_on_commit();
    if rows == 1 { Ok(()) } else { Err(DeliveryReplayError::Missing(id)) }
}

/// Begins the schedules of an application's deliveries anew; how many. Without a state: of those that were given up.
pub async fn replay_range(
    tx: &mut WriteTx,
    world: &dyn Environment,
    app: AppId,
    state: Option<DeliveryState>,
    from: Timestamp,
    to: Timestamp,
) -> Result<u64, DbError> {
    let rows = tx
        .execute(sql!(
            "UPDATE deliveries SET state = 'WAITING', tries = 0, begun_at = $5, next_at = $5, ended_at = NULL
              WHERE app_id = $1 AND state = $2 AND created_at >= $3 AND created_at < $4 AND state <> 'RUNNING'",
            app,
            state.unwrap_or(DeliveryState::Failed),
            from,
            to,
            world.now(),
        ))
        .await?;
    tx.notify_on_commit();
    Ok(rows)
}

/// Forgets deliveries that ended longer ago than `keep`, at most 5,000 at a time; how many.
pub async fn purge(db: &Db, world: &dyn Environment, keep: SignedDuration) -> Result<u64, DbError> {
    let mut tx = db.write().await?;
    let rows = tx
        .execute(sql!(
            "DELETE FROM deliveries WHERE id IN
                (SELECT id FROM deliveries WHERE ended_at < $1 ORDER BY ended_at LIMIT 5000)",
            world.now() - keep,
        ))
        .await?;
    tx.commit().await?;
    Ok(rows)
}

/// Sets the gauge of deliveries that are not over.
pub async fn report_metrics(db: &Db) -> Result<(), DbError> {
    let mut view = db.read().await?;
    let waiting = view.count(sql!("SELECT count(*) FROM deliveries WHERE state = 'WAITING'")).await?;
    let running = view.count(sql!("SELECT count(*) FROM deliveries WHERE state = 'RUNNING'")).await?;
    metrics::gauge!("assay_deliveries_pending", "state" => "WAITING").set(waiting as f64);
    metrics::gauge!("assay_deliveries_pending", "state" => "RUNNING").set(running as f64);
    Ok(())
}
