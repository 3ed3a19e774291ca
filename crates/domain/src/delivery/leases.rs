//! Leases: which process is delivering which message. A process that dies leaves its leases to expire, and another one
//! does its work again.

use super::records::DeliveryAttempt;
use base::{AppId, DeliveryId, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, DbTimestamp, Durability, FromRow, ReadTx, WriteTx, ids_json, sql};

/// A message that this process is delivering.
#[derive(Debug, FromRow)]
pub(super) struct LeasedDelivery {
    pub(super) id: DeliveryId,
    pub(super) app_id: AppId,
    pub(super) topic: String,
    pub(super) endpoint: String,
    pub(super) sealed: Vec<u8>,
    /// Attempts of this schedule, the leased one included.
    pub(super) tries: i64,
    /// The recorded attempts before the leased one.
    #[sqlx(json)]
    pub(super) attempts: Vec<DeliveryAttempt>,
    /// When the schedule began.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub(super) begun_at: Timestamp,
}

/// An application with waiting messages, and when the first of them is due.
#[derive(FromRow)]
pub(super) struct DueApplication {
    pub(super) app_id: AppId,
    pub(super) due: Option<DbTimestamp>,
}

/// Every application with a waiting message. The query jumps through the index from application to application, so that a
/// long queue of one costs no more than a short one.
pub(super) async fn due_applications(view: &mut ReadTx) -> Result<Vec<DueApplication>, DbError> {
    view.fetch_all(sql!(
        "WITH RECURSIVE found (app_id) AS (
             SELECT (SELECT d.app_id FROM deliveries d WHERE d.state = 'WAITING' ORDER BY d.app_id LIMIT 1)
             UNION ALL
             SELECT (SELECT d.app_id FROM deliveries d WHERE d.state = 'WAITING' AND d.app_id > found.app_id
                      ORDER BY d.app_id LIMIT 1)
               FROM found WHERE found.app_id IS NOT NULL
         )
         SELECT app_id, (SELECT min(d.next_at) FROM deliveries d
                          WHERE d.state = 'WAITING' AND d.app_id = found.app_id) AS due
           FROM found WHERE app_id IS NOT NULL"
    ))
    .await
}

/// An endpoint with waiting messages, and when the first of them is due.
#[derive(FromRow)]
pub(super) struct DueEndpoint {
    pub(super) endpoint: String,
    pub(super) due: Option<DbTimestamp>,
}

/// Up to `limit` endpoints of an application with a waiting message, in the order of their names, those behind `after`. The
/// query jumps through the index as [`due_applications`] does.
pub(super) async fn due_endpoints(
    view: &mut ReadTx,
    app: AppId,
    after: &str,
    limit: usize,
) -> Result<Vec<DueEndpoint>, DbError> {
    // The names of an application's endpoints begin with its id and a space; behind the space comes the exclamation mark.
    let (first, end) = (format!("{app} "), format!("{app}!"));
    view.fetch_all(sql!(
        "WITH RECURSIVE found (endpoint) AS (
             SELECT (SELECT min(d.endpoint) FROM deliveries d
                      WHERE d.state = 'WAITING' AND d.endpoint > $1 AND d.endpoint < $2)
             UNION ALL
             SELECT (SELECT min(d.endpoint) FROM deliveries d
                      WHERE d.state = 'WAITING' AND d.endpoint > found.endpoint AND d.endpoint < $2)
               FROM found WHERE found.endpoint IS NOT NULL
         )
         SELECT endpoint, (SELECT min(d.next_at) FROM deliveries d
                            WHERE d.state = 'WAITING' AND d.endpoint = found.endpoint) AS due
           FROM found WHERE endpoint IS NOT NULL LIMIT $3",
        if after > &*first { after.to_owned() } else { first },
        end,
        limit as i64,
    ))
    .await
}

/// Leases up to `limit` due messages of an endpoint for a worker.
pub(super) async fn lease_due(
    tx: &mut WriteTx,
    worker: Uuid,
    endpoint: &str,
    limit: usize,
    now: Timestamp,
    lease: SignedDuration,
) -> Result<Vec<LeasedDelivery>, DbError> {
    tx.fetch_all(sql!(
        sqlite: "UPDATE deliveries SET state = 'RUNNING', worker = $2, leased_until = $4, tries = tries + 1
                  WHERE id IN (SELECT id FROM deliveries WHERE state = 'WAITING' AND endpoint = $1
                                  AND next_at <= $3 ORDER BY next_at LIMIT $5)
                  RETURNING id, app_id, topic, endpoint, sealed, tries, attempts, begun_at",
        // Materialised, since a query inside `IN` may run once for each row of `deliveries`, and lock as many rows each time.
        postgres: "WITH due AS MATERIALIZED (
                       SELECT id FROM deliveries WHERE state = 'WAITING' AND endpoint = $1
                          AND next_at <= $3 ORDER BY next_at LIMIT $5 FOR UPDATE SKIP LOCKED)
                   UPDATE deliveries SET state = 'RUNNING', worker = $2, leased_until = $4, tries = tries + 1
                    WHERE id IN (SELECT id FROM due)
                    RETURNING id, app_id, topic, endpoint, sealed, tries, attempts, begun_at",
        endpoint,
        worker,
        now,
        now + lease,
        limit as i64,
    ))
    .await
}

/// Extends a worker's leases on the messages that it has, and on no others: one that was leased without the worker being
/// told, because the connection was lost at the commit, is sent when its lease is over. Requeues messages whose lease has
/// expired. The worker died, the receiver did not fail: so the interrupted attempt does not count.
pub(super) async fn extend(
    db: &Db,
    worker: Uuid,
    held: &[DeliveryId],
    now: Timestamp,
    lease: SignedDuration,
) -> Result<(), DbError> {
    let mut tx = db.write_with_durability(Durability::Process).await?;
    let extended = sql!(
        sqlite: "UPDATE deliveries SET leased_until = $2 WHERE state = 'RUNNING' AND worker = $1
                    AND id IN (SELECT unhex(value) FROM json_each($3))",
        // By their ids, as whoever erases messages locks them.
        postgres: "WITH held AS MATERIALIZED (
                       SELECT id FROM deliveries WHERE state = 'RUNNING' AND worker = $1
                          AND id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($3))
                        ORDER BY id FOR UPDATE)
                   UPDATE deliveries SET leased_until = $2 WHERE id IN (SELECT id FROM held)",
        worker,
        now + lease,
        ids_json(held),
    );
    let requeued = sql!(
        sqlite: "UPDATE deliveries SET state = 'WAITING', tries = tries - 1, worker = NULL, leased_until = NULL
                  WHERE state = 'RUNNING' AND leased_until <= $1",
        // One that is being changed at this moment is not waited for: it is requeued the next time, if it must be.
        postgres: "WITH expired AS MATERIALIZED (
                       SELECT id FROM deliveries WHERE state = 'RUNNING' AND leased_until <= $1 FOR UPDATE SKIP LOCKED)
                   UPDATE deliveries SET state = 'WAITING', tries = tries - 1, worker = NULL, leased_until = NULL
                    WHERE id IN (SELECT id FROM expired)",
        now,
    );
    tx.execute_all(vec![extended, requeued]).await?;
    tx.commit().await
}

/// Requeues everything that a worker has leased, without counting the attempts.
pub(super) async fn release(db: &Db, worker: Uuid) -> Result<(), DbError> {
    let mut tx = db.write().await?;
    tx.execute(sql!(
        sqlite: "UPDATE deliveries SET state = 'WAITING', tries = tries - 1, worker = NULL, leased_until = NULL
                  WHERE state = 'RUNNING' AND worker = $1",
        postgres: "WITH leased AS MATERIALIZED (
                       SELECT id FROM deliveries WHERE state = 'RUNNING' AND worker = $1 ORDER BY id FOR UPDATE)
                   UPDATE deliveries SET state = 'WAITING', tries = tries - 1, worker = NULL, leased_until = NULL
                    WHERE id IN (SELECT id FROM leased)",
        worker,
    ))
    .await?;
    tx.commit().await
}
