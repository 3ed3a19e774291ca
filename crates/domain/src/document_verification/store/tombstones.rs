//! Tombstones (`identity_leavings`): which blobs are still to be deleted. One is written in the transaction that drops
//! the blob, so that a crash before the blob is deleted leaves nothing behind, or in the one that adds a blob whose end is
//! known.

use super::blob_key;
use base::{DocumentSessionId, Environment, MediaId, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, FromRow, WriteTx, sql};
use media::blobs::{BlobPrefix, BlobStore};

/// How long an upload may go on that began before its session was deleted.
const LATE_UPLOAD_GRACE: SignedDuration = SignedDuration::from_mins(10);

/// When what could not be deleted is tried again.
const RETRY_INTERVAL: SignedDuration = SignedDuration::from_mins(5);

/// Notes that blobs are to be deleted: one media, or, without one, everything of a session.
pub(super) async fn add(
    tx: &mut WriteTx,
    env: &dyn Environment,
    session: DocumentSessionId,
    media: Option<MediaId>,
) -> Result<(), DbError> {
    // An upload that began before a whole session is deleted may still write to its folder; look again after that.
    let due = env.now() + if media.is_some() { SignedDuration::ZERO } else { LATE_UPLOAD_GRACE };
    add_due(tx, session, media.unwrap_or_else(|| Uuid::nil().into()), due).await
}

/// Notes that a media is to be deleted at this time.
pub(super) async fn add_due(
    tx: &mut WriteTx,
    session: DocumentSessionId,
    media: MediaId,
    due: Timestamp,
) -> Result<(), DbError> {
    tx.execute(sql!(
        "INSERT INTO identity_leavings (session_id, media_id, due_at) VALUES ($1, $2, $3)
         ON CONFLICT (session_id, media_id) DO UPDATE SET due_at = excluded.due_at",
        session,
        media,
        due,
    ))
    .await
    .map(drop)
}

/// Deletes up to 100 blobs that are due; returns how many tombstones there were. What cannot be deleted is put off, so that it is
/// in the way of nothing else.
pub(super) async fn sweep(db: &Db, blobs: &BlobStore, now: Timestamp) -> Result<usize, DbError> {
    #[derive(FromRow)]
    struct BlobTombstone {
        session_id: DocumentSessionId,
        media_id: MediaId,
    }
    let due: Vec<BlobTombstone> = {
        let mut db = db.read_once().await?;
        db.fetch_all(sql!(
            "SELECT session_id, media_id FROM identity_leavings WHERE due_at <= $1 ORDER BY due_at LIMIT 100",
            now,
        ))
        .await?
    };
    for BlobTombstone { session_id, media_id } in &due {
        let deleted = if Uuid::from(*media_id).is_nil() {
            // The session may go on, after its resources were destroyed: it has no media then, nor ever gets any.
            blobs.delete_prefix(&BlobPrefix::tenant(*session_id)).await.map(drop)
        } else {
            blobs.delete(&blob_key(*session_id, *media_id)).await.map(drop)
        };
        let mut tx = db.write().await?;
        if let Err(error) = deleted {
            super::media::log_failure(*session_id, &error);
            add_due(&mut tx, *session_id, *media_id, now + RETRY_INTERVAL).await?;
        } else {
            tx.execute(sql!(
                "DELETE FROM identity_leavings WHERE session_id = $1 AND media_id = $2",
                *session_id,
                *media_id,
            ))
            .await?;
        }
        tx.commit().await?;
    }
    Ok(due.len())
}
