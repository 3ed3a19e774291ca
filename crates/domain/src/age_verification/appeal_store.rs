//! Rows of appeals, and of their pictures.

use super::types::AppealState;
use crate::tenancy::limits;
use base::{AgeSessionId, AppId, CaseId, Timestamp};
use db::{Db, DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};

#[derive(FromRow)]
pub(super) struct AppealRow {
    pub(super) case_id: CaseId,
    #[sqlx(try_from = "String")]
    pub(super) state: AppealState,
    pub(super) sealed: Vec<u8>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub(super) created_at: Timestamp,
    pub(super) decided_at: Option<DbTimestamp>,
    pub(super) picture_until: Option<DbTimestamp>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub(super) forget_at: Timestamp,
}

pub(super) fn aad(session: AgeSessionId) -> Vec<u8> {
    format!("age appeal {session}").into_bytes()
}

pub(super) fn picture_aad(session: AgeSessionId) -> Vec<u8> {
    format!("age appeal {session} picture").into_bytes()
}

pub(super) async fn exists(view: &mut ReadTx, session: AgeSessionId) -> Result<bool, DbError> {
    let found = view.count(sql!("SELECT count(*) FROM age_appeals WHERE session_id = $1", session)).await?;
    Ok(found > 0)
}

pub(super) async fn insert(
    tx: &mut WriteTx,
    (session, app, case): (AgeSessionId, AppId, CaseId),
    sealed: Vec<u8>,
    now: Timestamp,
) -> Result<(), DbError> {
    tx.execute(sql!(
        "INSERT INTO age_appeals (session_id, app_id, case_id, state, sealed, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        session,
        app,
        case,
        AppealState::Open,
        sealed,
        now,
    ))
    .await
    .map(drop)
}

pub(super) async fn insert_picture(
    tx: &mut WriteTx,
    (session, app): (AgeSessionId, AppId),
    (sealed, bytes): (Vec<u8>, i64),
    delete_at: Timestamp,
) -> Result<(), DbError> {
    tx.execute(sql!(
        "INSERT INTO age_appeal_pictures (session_id, app_id, sealed, bytes, delete_at) VALUES ($1, $2, $3, $4, $5)",
        session,
        app,
        sealed,
        bytes,
        delete_at,
    ))
    .await
    .map(drop)
}

/// Keeps a session at least until a time.
pub(super) async fn keep_session_until(
    tx: &mut WriteTx,
    session: AgeSessionId,
    until: Timestamp,
) -> Result<(), DbError> {
    tx.execute(sql!(
        "UPDATE age_sessions SET forget_at = $2 WHERE id = $1 AND forget_at < $2",
        session,
        until,
    ))
    .await
    .map(drop)
}

pub(super) async fn find(
    view: &mut ReadTx,
    app: AppId,
    session: AgeSessionId,
) -> Result<Option<AppealRow>, DbError> {
    view.fetch_optional(sql!(
        "SELECT a.case_id, a.state, a.sealed, a.created_at, a.decided_at, p.delete_at AS picture_until, s.forget_at
           FROM age_appeals a JOIN age_sessions s ON s.id = a.session_id
           LEFT JOIN age_appeal_pictures p ON p.session_id = a.session_id
          WHERE a.session_id = $1 AND a.app_id = $2",
        session,
        app,
    ))
    .await
}

pub(super) async fn find_picture(
    view: &mut ReadTx,
    app: AppId,
    session: AgeSessionId,
) -> Result<Option<Vec<u8>>, DbError> {
    #[derive(FromRow)]
    struct PictureRow {
        sealed: Vec<u8>,
    }
    let row: Option<PictureRow> = view
        .fetch_optional(sql!(
            "SELECT sealed FROM age_appeal_pictures WHERE session_id = $1 AND app_id = $2",
            session,
            app,
        ))
        .await?;
    Ok(row.map(|row| row.sealed))
}

pub(super) async fn set_state(
    tx: &mut WriteTx,
    session: AgeSessionId,
    state: AppealState,
    now: Timestamp,
) -> Result<(), DbError> {
    tx.execute(sql!(
        "UPDATE age_appeals SET state = $2, decided_at = $3 WHERE session_id = $1",
        session,
        state,
        now,
    ))
    .await
    .map(drop)
}

#[derive(FromRow)]
struct DeletedPictureRow {
    app_id: AppId,
    bytes: i64,
}

/// Deletes the picture of an appeal; returns whether there was one. The caller records the erasure, as the last of its
/// transaction.
pub(super) async fn delete_picture(tx: &mut WriteTx, session: AgeSessionId) -> Result<bool, DbError> {
    let deleted: Option<DeletedPictureRow> = tx
        .fetch_optional(sql!(
            "DELETE FROM age_appeal_pictures WHERE session_id = $1 RETURNING app_id, bytes",
            session,
        ))
        .await?;
    let Some(DeletedPictureRow { app_id, bytes }) = deleted else { return Ok(false) };
    limits::count_stored_bytes(tx, app_id, -bytes).await?;
    Ok(true)
}

/// Deletes pictures whose time is over, at most 500; returns how many.
pub(super) async fn purge_pictures(db: &Db, now: Timestamp) -> Result<u64, DbError> {
    let mut tx = db.write().await?;
    // Those of sessions that are deleted with them, too: their bytes are counted.
    let deleted: Vec<DeletedPictureRow> = tx
        .fetch_all(sql!(
            "DELETE FROM age_appeal_pictures WHERE session_id IN
                (SELECT p.session_id FROM age_appeal_pictures p JOIN age_sessions s ON s.id = p.session_id
                  WHERE p.delete_at <= $1 OR s.forget_at <= $1 LIMIT 500)
             RETURNING app_id, bytes",
            now,
        ))
        .await?;
    for DeletedPictureRow { app_id, bytes } in &deleted {
        limits::count_stored_bytes(&mut tx, *app_id, -bytes).await?;
    }
    tx.commit().await?;
    Ok(deleted.len() as u64)
}
