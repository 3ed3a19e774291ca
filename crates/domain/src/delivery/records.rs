//! The record of deliveries, for operators: listing, replaying, deleting.

use crate::wire_enum::wire_enum;
use base::{AppId, DeliveryId, Environment, SignedDuration, Timestamp, Uuid};
use db::{AuditEvent, Db, DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};
use serde::{Deserialize, Serialize};

wire_enum! {
    /// The state of a delivery.
    pub enum DeliveryState {
        /// Its next attempt is scheduled.
        Waiting => "WAITING",
        /// An attempt is under way.
        Running => "RUNNING",
        /// The receiver accepted it.
        Delivered => "DELIVERED",
        /// Given up: the schedule has ended, or the receiver responded with 410.
        Failed => "FAILED",
    }
}

/// One attempt at a delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryAttempt {
    /// When the attempt began.
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// The HTTP status of the response, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Why it failed, for the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A delivery as operators see it: everything but the message itself.
#[derive(Debug, Serialize, FromRow)]
pub struct DeliveryRecord {
    /// Receivers see it as `webhook-id`.
    pub id: DeliveryId,
    pub app_id: AppId,
    /// What it is about, for example `proof.result`.
    pub topic: String,
    /// The application and the origin that it goes to.
    pub endpoint: String,
    #[sqlx(try_from = "String")]
    pub state: DeliveryState,
    /// The latest attempts, at most 30.
    #[sqlx(json)]
    pub attempts: Vec<DeliveryAttempt>,
    /// When the next attempt is due, while the delivery is waiting.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub next_at: Timestamp,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    /// When it was delivered or given up.
    #[serde(serialize_with = "db::serialize_optional_timestamp")]
    pub ended_at: Option<DbTimestamp>,
}

/// Which deliveries to list; `None` does not restrict.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeliveryFilter {
    pub app: Option<AppId>,
    pub state: Option<DeliveryState>,
    /// Queued at this time or later.
    pub from: Option<Timestamp>,
    /// Queued before this time.
    pub to: Option<Timestamp>,
}

/// Why a delivery was not replayed.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryReplayError {
    /// There is none, or an attempt is under way.
    #[error("there is no delivery {0} that is not being tried already")]
    Missing(DeliveryId),
    /// What it said was erased with the person or session that it was about.
    #[error("what delivery {0} said was erased, because the person or session that it was about was deleted")]
    Erased(DeliveryId),
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

/// One delivery, if there is one of this id.
pub async fn show(view: &mut ReadTx, id: DeliveryId) -> Result<Option<DeliveryRecord>, DbError> {
    view.fetch_optional(sql!(
        "SELECT id, app_id, topic, endpoint, state, attempts, next_at, created_at, ended_at FROM deliveries
          WHERE id = $1",
        id,
    ))
    .await
}

/// Restarts the schedule of a delivery, in whatever state it ended. Its `webhook-id` stays the same, so a receiver that
/// has the message already can tell.
pub async fn replay(
    tx: &mut WriteTx,
    env: &dyn Environment,
    id: DeliveryId,
) -> Result<(), DeliveryReplayError> {
    let erased =
        tx.count(sql!("SELECT count(*) FROM deliveries WHERE id = $1 AND length(sealed) = 0", id)).await?;
    if erased > 0 {
        return Err(DeliveryReplayError::Erased(id));
    }
    let rows = tx
        .execute(sql!(
            "UPDATE deliveries SET state = 'WAITING', tries = 0, begun_at = $2, next_at = $2, ended_at = NULL
              WHERE id = $1 AND state <> 'RUNNING'",
            id,
            env.now(),
        ))
        .await?;
    tx.notify_on_commit();
    tx.audit(AuditEvent::new("delivery.replay").target(id));
    if rows == 1 { Ok(()) } else { Err(DeliveryReplayError::Missing(id)) }
}

/// Restarts the schedules of an application's deliveries that were queued from `from` up to but without `to`; returns
/// how many. Without a state: of those that were given up.
pub async fn replay_range(
    tx: &mut WriteTx,
    env: &dyn Environment,
    app: AppId,
    state: Option<DeliveryState>,
    from: Timestamp,
    to: Timestamp,
) -> Result<u64, DbError> {
    let rows = tx
        .execute(sql!(
            "UPDATE deliveries SET state = 'WAITING', tries = 0, begun_at = $5, next_at = $5, ended_at = NULL
              WHERE app_id = $1 AND state = $2 AND created_at >= $3 AND created_at < $4 AND state <> 'RUNNING'
                AND length(sealed) > 0",
            app,
            state.unwrap_or(DeliveryState::Failed),
            from,
            to,
            env.now(),
        ))
        .await?;
    tx.notify_on_commit();
    tx.audit(AuditEvent::new("delivery.replay").app(app).detail("deliveries", rows));
    Ok(rows)
}

/// Erases what messages about a person, session or moderation say: those that ended are emptied, and those that wait end
/// as given up. One that is being sent at this moment is emptied, and not tried again if that fails.
pub async fn erase_messages_about(tx: &mut WriteTx, subject: Uuid, now: Timestamp) -> Result<(), DbError> {
    tx.execute(sql!(
        "UPDATE deliveries
            SET sealed = $2, ended_at = CASE WHEN state = 'WAITING' THEN CAST($3 AS TIMESTAMPTZ) ELSE ended_at END,
                state = CASE WHEN state = 'WAITING' THEN 'FAILED' ELSE state END
          WHERE id IN (SELECT delivery_id FROM delivery_subjects WHERE subject_id = $1)",
        subject,
        Vec::new(),
        now,
    ))
    .await?;
    tx.execute(sql!("DELETE FROM delivery_subjects WHERE subject_id = $1", subject)).await.map(drop)
}

/// Deletes deliveries that ended longer ago than `retention`, at most 5,000 at a time; returns how many.
pub async fn purge(db: &Db, env: &dyn Environment, retention: SignedDuration) -> Result<u64, DbError> {
    let mut tx = db.write().await?;
    let rows = tx
        .execute(sql!(
            "DELETE FROM deliveries WHERE id IN
                (SELECT id FROM deliveries WHERE ended_at < $1 ORDER BY ended_at LIMIT 5000)",
            env.now() - retention,
        ))
        .await?;
    tx.commit().await?;
    Ok(rows)
}

/// Sets the gauges of waiting and running deliveries.
pub async fn report_metrics(db: &Db) -> Result<(), DbError> {
    let mut view = db.read().await?;
    let waiting = view.count(sql!("SELECT count(*) FROM deliveries WHERE state = 'WAITING'")).await?;
    let running = view.count(sql!("SELECT count(*) FROM deliveries WHERE state = 'RUNNING'")).await?;
    metrics::gauge!("assay_deliveries_pending", "state" => "WAITING").set(waiting as f64);
    metrics::gauge!("assay_deliveries_pending", "state" => "RUNNING").set(running as f64);
    Ok(())
}
