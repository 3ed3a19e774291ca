//! Jobs, live streams and stored bytes: counted where they are written, in the same transaction.

use super::{LimitError, LimitKind, LimitReachedError, LimitSettings, find};
use base::AppId;
use db::{DbError, FromRow, ReadTx, WriteTx, sql};
use std::time::Duration;

/// Slots become free all the time.
const RETRY_AFTER_JOBS: Duration = Duration::from_secs(5);
/// A live stream ends by itself or by a call.
const RETRY_AFTER_LIVE_STREAMS: Duration = Duration::from_mins(1);
/// Media of sessions are destroyed when their time is over, which is looked at every minute.
const RETRY_AFTER_STORED_BYTES: Duration = Duration::from_mins(10);

/// What an application has and does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow, serde::Serialize)]
pub struct Usage {
    pub running_jobs: i64,
    pub waiting_jobs: i64,
    pub live_streams: i64,
    pub stored_bytes: i64,
}

/// What an application has and does, in all processes.
pub async fn usage(view: &mut ReadTx, app: AppId) -> Result<Option<Usage>, DbError> {
    view.fetch_optional(sql!(
        "SELECT (SELECT count(*) FROM jobs j
                  WHERE j.app_id = a.id AND j.state = 'RUNNING' AND j.lane <> 'live') AS running_jobs,
                (SELECT count(*) FROM jobs j
                  WHERE j.app_id = a.id AND j.state = 'WAITING' AND j.lane <> 'live') AS waiting_jobs,
                (SELECT count(*) FROM jobs j
                  WHERE j.app_id = a.id AND j.state IN ('WAITING', 'RUNNING') AND j.lane = 'live') AS live_streams,
                coalesce((SELECT s.bytes FROM stored_files s WHERE s.app_id = a.id), 0) AS stored_bytes
           FROM applications a WHERE a.id = $1",
        app,
    ))
    .await
}

/// The bytes of files that are stored for all applications.
pub async fn total_stored_bytes(view: &mut ReadTx) -> Result<i64, DbError> {
    view.count(sql!("SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM stored_files")).await
}

/// The limit of an application; where there is one, other transactions that ask wait until this one ends.
async fn lock_limit(
    tx: &mut WriteTx,
    settings: &LimitSettings,
    app: AppId,
    kind: LimitKind,
) -> Result<Option<u64>, DbError> {
    let limit = settings.of(&find(tx, app).await?.unwrap_or_default(), kind);
    if limit.is_some() {
        // SQLite has one writer anyway.
        tx.execute(sql!(
            sqlite: "SELECT id FROM applications WHERE id = $1",
            postgres: "SELECT id FROM applications WHERE id = $1 FOR NO KEY UPDATE",
            app,
        ))
        .await?;
    }
    Ok(limit)
}

/// Refuses a request whose work would wait, if so much of the application's waits already. The transaction then queues the
/// work.
pub async fn ensure_queueing_allowed(
    tx: &mut WriteTx,
    settings: &LimitSettings,
    app: AppId,
) -> Result<(), LimitError> {
    let kind = LimitKind::WaitingJobs;
    let Some(limit) = lock_limit(tx, settings, app, kind).await? else { return Ok(()) };
    // No more are counted than matter.
    let waiting = tx
        .count(sql!(
            "SELECT count(*) FROM (
                 SELECT 1 AS one FROM jobs
                  WHERE app_id = $1 AND state = 'WAITING' AND lane IN ('quick', 'documents', 'heavy', 'upkeep')
                  LIMIT $2) AS waiting",
            app,
            i64::try_from(limit).unwrap_or(i64::MAX),
        ))
        .await?
        .unsigned_abs();
    if waiting < limit {
        return Ok(());
    }
    Err(LimitReachedError { kind, measured: waiting, limit, retry_after: RETRY_AFTER_JOBS }.into())
}

/// Refuses one more live stream, if the application has as many as it may. The transaction then queues it.
pub async fn ensure_live_stream_allowed(
    tx: &mut WriteTx,
    settings: &LimitSettings,
    app: AppId,
) -> Result<(), LimitError> {
    let kind = LimitKind::LiveStreams;
    let Some(limit) = lock_limit(tx, settings, app, kind).await? else { return Ok(()) };
    let open = tx
        .count(sql!(
            "SELECT count(*) FROM jobs WHERE app_id = $1 AND lane = 'live' AND state IN ('WAITING', 'RUNNING')",
            app,
        ))
        .await?
        .unsigned_abs();
    if open < limit {
        return Ok(());
    }
    Err(LimitReachedError { kind, measured: open, limit, retry_after: RETRY_AFTER_LIVE_STREAMS }.into())
}

/// Refuses a file before it is written, if the application has no room for it. Another file may take the room until the file
/// is counted, so the limit is checked again then.
pub async fn ensure_storage_left(
    view: &mut ReadTx,
    settings: &LimitSettings,
    app: AppId,
    bytes: u64,
) -> Result<(), LimitError> {
    let row: Option<BytesRow> =
        view.fetch_optional(sql!("SELECT bytes FROM stored_files WHERE app_id = $1", app)).await?;
    let stored = row.map_or(0, |row| row.bytes).max(0).unsigned_abs();
    ensure_stored_bytes_allowed(view, settings, app, stored.saturating_add(bytes)).await
}

#[derive(FromRow)]
struct BytesRow {
    bytes: i64,
}

/// Counts files that rows of this transaction refer to from now on, or do not any more; returns the bytes that the
/// application has stored then.
pub async fn count_stored_bytes(tx: &mut WriteTx, app: AppId, change: i64) -> Result<u64, DbError> {
    let row: Option<BytesRow> = tx
        .fetch_optional(sql!(
            "INSERT INTO stored_files (app_id, bytes) VALUES ($1, $2)
             ON CONFLICT (app_id) DO UPDATE SET bytes = stored_files.bytes + excluded.bytes RETURNING bytes",
            app,
            change,
        ))
        .await?;
    Ok(row.map_or(0, |row| row.bytes).max(0).unsigned_abs())
}

/// Refuses more stored bytes than the application may have. A transaction that counted them must then be given up.
pub async fn ensure_stored_bytes_allowed(
    view: &mut ReadTx,
    settings: &LimitSettings,
    app: AppId,
    measured: u64,
) -> Result<(), LimitError> {
    let kind = LimitKind::StoredBytes;
    match settings.of(&find(view, app).await?.unwrap_or_default(), kind) {
        Some(limit) if measured > limit => {
            Err(LimitReachedError { kind, measured, limit, retry_after: RETRY_AFTER_STORED_BYTES }.into())
        }
        _ => Ok(()),
    }
}

/// Adds up the stored bytes of an application anew: an older build that ran beside this one does not count them.
pub async fn recount(tx: &mut WriteTx, app: AppId) -> Result<(), DbError> {
    // First the row's lock, then the sum in a statement of its own: whoever changes a file's row and the count has either
    // committed both by then, or changes the count after this.
    tx.execute(sql!(
        "INSERT INTO stored_files (app_id, bytes) VALUES ($1, 0)
         ON CONFLICT (app_id) DO UPDATE SET bytes = stored_files.bytes",
        app,
    ))
    .await?;
    tx.execute(sql!(
        "UPDATE stored_files SET bytes =
             (SELECT coalesce(CAST(sum(f.image_bytes) AS BIGINT), 0) FROM faces f
                JOIN accounts a ON a.id = f.account_id WHERE a.app_id = $1)
           + (SELECT coalesce(CAST(sum(u.bytes) AS BIGINT), 0) FROM content_uploads u
                JOIN accounts a ON a.id = u.account_id WHERE a.app_id = $1)
           + (SELECT coalesce(CAST(sum(i.bytes) AS BIGINT), 0) FROM finding_pictures i
                JOIN accounts a ON a.id = i.account_id WHERE a.app_id = $1)
           + (SELECT coalesce(CAST(sum(p.bytes) AS BIGINT), 0) FROM age_appeal_pictures p WHERE p.app_id = $1)
           + (SELECT coalesce(CAST(sum(s.media_bytes) AS BIGINT), 0) FROM identity_sessions s WHERE s.app_id = $1)
          WHERE app_id = $1",
        app,
    ))
    .await
    .map(drop)
}
