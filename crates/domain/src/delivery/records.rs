//! The record of deliveries, for operators: listing, replaying, deleting.

use super::endpoints::split_destination;
use crate::{erasure_keys, wire_enum::wire_enum};
use base::{AppId, DeliveryId, Environment, SignedDuration, Timestamp, Uuid};
use db::{AuditEvent, Db, DbError, DbTimestamp, FromRow, ReadTx, WriteTx, ids_json, sql};
use media::fetch::FetchError;
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

wire_enum! {
    /// Why an attempt sent nothing, as it is stored with the attempt. Each is a fact about the message alone.
    pub(super) enum UnsentReason {
        Erased => "what it said was erased with the person or session that it was about",
        Undecryptable => "the message cannot be decrypted: it was damaged, or the master key is another one",
        HeaderName => "a header's name cannot be sent",
        HeaderValue => "a header's value cannot be sent",
        Panicked => "the attempt panicked",
    }
}

impl DeliveryAttempt {
    /// Why it failed, for whoever supplied the address. Without a response, that is why nothing was sent, or else the error
    /// of a call, which would reveal what is reachable inside the operator's network.
    fn public_error(&self) -> Option<&str> {
        let error = self.error.as_deref()?;
        let told = self.status.is_some() || UnsentReason::VARIANTS.contains(&error);
        Some(if told { error } else { FetchError::PUBLIC_MESSAGE })
    }
}

/// A delivery as operators see it: everything but the message itself, which [`super::Outbox::open_message`] reads.
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

impl DeliveryRecord {
    /// The origin that it goes to, such as `https://hooks.example.com`, and whether its certificate is verified.
    pub fn destination(&self) -> (&str, bool) {
        // The application's id and a space come first.
        split_destination(
            self.endpoint.split_once(' ').map_or(&*self.endpoint, |(_, destination)| destination),
        )
    }

    /// The same for whoever supplied the address: of a call that failed they learn no more than that it did.
    #[must_use]
    pub fn without_call_errors(mut self) -> Self {
        for attempt in &mut self.attempts {
            attempt.error = attempt.public_error().map(str::to_owned);
        }
        self
    }
}

/// Which deliveries; `None` does not restrict.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeliveryFilter<'a> {
    pub app: Option<AppId>,
    pub state: Option<DeliveryState>,
    /// What it is about, for example `proof.result`.
    pub topic: Option<&'a str>,
    /// The origin that it goes to, such as `https://hooks.example.com`.
    pub origin: Option<&'a str>,
    /// The session, moderation or profile that it is about.
    pub subject: Option<Uuid>,
    /// Queued at this time or later.
    pub from: Option<Timestamp>,
    /// Queued before this time.
    pub to: Option<Timestamp>,
}

/// The last delivery of a page; the next page begins behind it.
#[derive(Clone, Copy, Debug)]
pub struct DeliveryPosition {
    pub created_at: Timestamp,
    pub id: DeliveryId,
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

/// Up to `limit` deliveries, newest first, those behind `after`.
pub async fn list(
    view: &mut ReadTx,
    filter: DeliveryFilter<'_>,
    after: Option<DeliveryPosition>,
    limit: i64,
) -> Result<Vec<DeliveryRecord>, DbError> {
    view.fetch_all(sql!(
        "SELECT id, app_id, topic, endpoint, state, attempts, next_at, created_at, ended_at FROM deliveries
          WHERE (app_id = $1 OR $1 IS NULL) AND (state = $2 OR $2 IS NULL) AND (topic = $3 OR $3 IS NULL)
            AND (substr(endpoint, 38) = $4 OR substr(endpoint, 38) = $4 || ' unverified' OR $4 IS NULL)
            AND (id IN (SELECT s.delivery_id FROM delivery_subjects s WHERE s.subject_id = $5) OR $5 IS NULL)
            AND (created_at >= $6 OR $6 IS NULL) AND (created_at < $7 OR $7 IS NULL)
            AND (created_at < $8 OR (created_at = $8 AND id < $9) OR $8 IS NULL)
          ORDER BY created_at DESC, id DESC LIMIT $10",
        filter.app,
        filter.state.map(DeliveryState::as_str),
        filter.topic,
        filter.origin,
        filter.subject,
        filter.from,
        filter.to,
        after.map(|position| position.created_at),
        after.map(|position| position.id),
        limit,
    ))
    .await
}

/// One delivery, if there is one of this id; with `app`, only if it is that application's.
pub async fn show(
    view: &mut ReadTx,
    app: Option<AppId>,
    id: DeliveryId,
) -> Result<Option<DeliveryRecord>, DbError> {
    view.fetch_optional(sql!(
        "SELECT id, app_id, topic, endpoint, state, attempts, next_at, created_at, ended_at FROM deliveries
          WHERE id = $1 AND (app_id = $2 OR $2 IS NULL)",
        id,
        app,
    ))
    .await
}

/// Restarts the schedule of a delivery, in whatever state it ended; with `app`, only if it is that application's. Its
/// `webhook-id` stays the same, so a receiver that has the message already can tell.
pub async fn replay(
    tx: &mut WriteTx,
    env: &dyn Environment,
    app: Option<AppId>,
    id: DeliveryId,
) -> Result<(), DeliveryReplayError> {
    let erased = tx
        .count(sql!(
            "SELECT count(*) FROM deliveries WHERE id = $1 AND (app_id = $2 OR $2 IS NULL) AND length(sealed) = 0",
            id,
            app,
        ))
        .await?;
    if erased > 0 {
        return Err(DeliveryReplayError::Erased(id));
    }
    let rows = tx
        .execute(sql!(
            "UPDATE deliveries SET state = 'WAITING', tries = 0, begun_at = $2, next_at = $2, ended_at = NULL
              WHERE id = $1 AND (app_id = $3 OR $3 IS NULL) AND state <> 'RUNNING'",
            id,
            env.now(),
            app,
        ))
        .await?;
    tx.notify_on_commit();
    tx.audit(AuditEvent::new("delivery.replay").target(id));
    if rows == 1 { Ok(()) } else { Err(DeliveryReplayError::Missing(id)) }
}

/// Restarts the schedules of up to `limit` deliveries that the filter fits, the oldest first; returns how many. Without a
/// state: of those that were given up. What is being tried at this moment, or was erased, is left out.
pub async fn replay_matching(
    tx: &mut WriteTx,
    env: &dyn Environment,
    filter: DeliveryFilter<'_>,
    limit: i64,
) -> Result<u64, DbError> {
    let rows = tx
        .execute(sql!(
            sqlite: "UPDATE deliveries SET state = 'WAITING', tries = 0, begun_at = $8, next_at = $8, ended_at = NULL
                      WHERE id IN
                        (SELECT d.id FROM deliveries d
                          WHERE (d.app_id = $1 OR $1 IS NULL) AND d.state = $2 AND (d.topic = $3 OR $3 IS NULL)
                            AND (substr(d.endpoint, 38) = $4 OR substr(d.endpoint, 38) = $4 || ' unverified'
                                 OR $4 IS NULL)
                            AND (d.id IN (SELECT s.delivery_id FROM delivery_subjects s WHERE s.subject_id = $5)
                                 OR $5 IS NULL)
                            AND (d.created_at >= $6 OR $6 IS NULL) AND (d.created_at < $7 OR $7 IS NULL)
                            AND d.state <> 'RUNNING' AND length(d.sealed) > 0
                          ORDER BY d.created_at, d.id LIMIT $9)",
            // Whoever has locked one erases, deletes or replays it.
            postgres: "WITH chosen AS MATERIALIZED (
                           SELECT d.id FROM deliveries d
                            WHERE (d.app_id = $1 OR $1 IS NULL) AND d.state = $2 AND (d.topic = $3 OR $3 IS NULL)
                              AND (substr(d.endpoint, 38) = $4 OR substr(d.endpoint, 38) = $4 || ' unverified'
                                   OR $4 IS NULL)
                              AND (d.id IN (SELECT s.delivery_id FROM delivery_subjects s WHERE s.subject_id = $5)
                                   OR $5 IS NULL)
                              AND (d.created_at >= $6 OR $6 IS NULL) AND (d.created_at < $7 OR $7 IS NULL)
                              AND d.state <> 'RUNNING' AND length(d.sealed) > 0
                            ORDER BY d.created_at, d.id LIMIT $9 FOR UPDATE OF d SKIP LOCKED)
                       UPDATE deliveries SET state = 'WAITING', tries = 0, begun_at = $8, next_at = $8, ended_at = NULL
                        WHERE id IN (SELECT id FROM chosen)",
            filter.app,
            filter.state.unwrap_or(DeliveryState::Failed),
            filter.topic,
            filter.origin,
            filter.subject,
            filter.from,
            filter.to,
            env.now(),
            limit,
        ))
        .await?;
    tx.notify_on_commit();
    let event = AuditEvent::new("delivery.replay").detail("deliveries", rows);
    tx.audit(match filter.app {
        Some(app) => event.app(app),
        None => event,
    });
    Ok(rows)
}

/// Erases what messages about persons, sessions or moderations say: those that ended are emptied, and those that wait end
/// as given up. One that is being sent at this moment is emptied, and not tried again if that fails.
///
/// Called once in a transaction, for all subjects: messages are locked in the order of their ids, so that no two
/// transactions wait for each other.
pub async fn erase_messages_about(
    tx: &mut WriteTx,
    subjects: &[Uuid],
    now: Timestamp,
) -> Result<(), DbError> {
    tx.execute(sql!(
        sqlite: "UPDATE deliveries
                    SET sealed = $2, ended_at = CASE WHEN state = 'WAITING' THEN $3 ELSE ended_at END,
                        state = CASE WHEN state = 'WAITING' THEN 'FAILED' ELSE state END
                  WHERE id IN (SELECT delivery_id FROM delivery_subjects
                                WHERE subject_id IN (SELECT unhex(value) FROM json_each($1)))",
        postgres: "WITH erased AS MATERIALIZED (
                       SELECT id FROM deliveries
                        WHERE id IN (SELECT delivery_id FROM delivery_subjects WHERE subject_id IN
                                        (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($1)))
                        ORDER BY id FOR UPDATE)
                   UPDATE deliveries
                      SET sealed = $2,
                          ended_at = CASE WHEN state = 'WAITING' THEN CAST($3 AS TIMESTAMPTZ) ELSE ended_at END,
                          state = CASE WHEN state = 'WAITING' THEN 'FAILED' ELSE state END
                    WHERE id IN (SELECT id FROM erased)",
        ids_json(subjects),
        Vec::new(),
        now,
    ))
    .await?;
    tx.execute(sql!(
        sqlite: "DELETE FROM delivery_subjects WHERE subject_id IN (SELECT unhex(value) FROM json_each($1))",
        postgres: "DELETE FROM delivery_subjects
                    WHERE subject_id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($1))",
        ids_json(subjects),
    ))
    .await
    .map(drop)
}

/// Deletes deliveries that ended longer ago than `retention`, at most 5,000 at a time; returns how many.
pub async fn purge(db: &Db, env: &dyn Environment, retention: SignedDuration) -> Result<u64, DbError> {
    let mut tx = db.write().await?;
    let rows = tx
        .execute(sql!(
            sqlite: "DELETE FROM deliveries WHERE id IN
                        (SELECT id FROM deliveries WHERE ended_at < $1 ORDER BY ended_at LIMIT 5000)",
            // One that is being changed at this moment is not waited for: it is deleted the next time.
            postgres: "WITH ended AS MATERIALIZED (
                           SELECT id FROM deliveries WHERE ended_at < $1
                            ORDER BY ended_at LIMIT 5000 FOR UPDATE SKIP LOCKED)
                       DELETE FROM deliveries WHERE id IN (SELECT id FROM ended)",
            env.now() - retention,
        ))
        .await?;
    if rows > 0 {
        erasure_keys::record_erasure(&mut tx).await?;
    }
    tx.commit().await?;
    Ok(rows)
}

/// How the queue of messages is.
#[derive(Clone, Copy, Debug)]
pub struct DeliveryQueueFigures {
    pub waiting: i64,
    pub running: i64,
    /// Since when the message has been due that has been due for longest.
    pub oldest_due_at: Option<Timestamp>,
}

/// How the queue of messages is.
pub async fn queue_figures(view: &mut ReadTx, now: Timestamp) -> Result<DeliveryQueueFigures, DbError> {
    #[derive(FromRow)]
    struct OldestDueRow {
        oldest: Option<DbTimestamp>,
    }
    let (waiting, running) = count_pending(view).await?;
    let oldest: Option<OldestDueRow> = view
        .fetch_optional(sql!(
            "SELECT min(next_at) AS oldest FROM deliveries WHERE state = 'WAITING' AND next_at <= $1",
            now,
        ))
        .await?;
    let oldest_due_at = oldest.and_then(|row| row.oldest).map(Timestamp::from);
    Ok(DeliveryQueueFigures { waiting, running, oldest_due_at })
}

/// How many messages wait, and how many are being sent.
async fn count_pending(view: &mut ReadTx) -> Result<(i64, i64), DbError> {
    let waiting = view.count(sql!("SELECT count(*) FROM deliveries WHERE state = 'WAITING'")).await?;
    let running = view.count(sql!("SELECT count(*) FROM deliveries WHERE state = 'RUNNING'")).await?;
    Ok((waiting, running))
}

/// Sets the gauges of waiting and running deliveries.
pub async fn report_metrics(db: &Db) -> Result<(), DbError> {
    let (waiting, running) = count_pending(&mut db.read().await?).await?;
    metrics::gauge!("assay_deliveries_pending", "state" => "WAITING").set(waiting as f64);
    metrics::gauge!("assay_deliveries_pending", "state" => "RUNNING").set(running as f64);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_supplied_an_address_does_not_learn_why_a_call_failed() {
        let attempt = |status, error: &str| DeliveryAttempt {
            at: "2026-01-16T14:40:00Z".parse().unwrap(),
            took_ms: 3,
            status,
            error: Some(error.to_owned()),
        };
        for (status, error, told) in [
            (None, "refused: this host is not on the public internet", FetchError::PUBLIC_MESSAGE),
            (None, "the call failed: dns error: no record found", FetchError::PUBLIC_MESSAGE),
            (None, "a text of an earlier version", FetchError::PUBLIC_MESSAGE),
            (None, UnsentReason::Erased.as_str(), UnsentReason::Erased.as_str()),
            (Some(404), "the receiver did not take it", "the receiver did not take it"),
        ] {
            assert_eq!(attempt(status, error).public_error(), Some(told), "{status:?} {error}");
        }
    }
}
