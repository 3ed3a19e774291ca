//! Tombstones: pictures that may exist without the row of a face, and how they are deleted.
//!
//! A picture is written before its face's row and deleted after it, so for a while there is a picture without a row. During
//! that time there is a row of `face_leavings`, and after a crash the sweep deletes the picture. Once such a row is due, the
//! picture belongs to the sweep, and no face is enrolled with it any more.

use super::{
    FaceIndexError,
    account_index::AccountIndexes,
    pictures::{FacePictures, blob_key},
    profile::ProfileStore,
};
use crate::accounts;
use base::{AccountId, Environment, FaceId, ProfileId, SignedDuration, Timestamp, Uuid};
use db::{AuditEvent, Db, DbError, FromRow, WriteTx, sql};
use jobs::{Job, JobError, JobOutcome, Lane, RetryPolicy};
use media::blobs::BlobStore;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Pictures of an account that are deleted in one pass; then their tombstones go together.
const PICTURES_PER_PASS: usize = 100;
/// How much time an enrolment has between the picture and the face's row.
const ENROLMENT_TIMEOUT: SignedDuration = SignedDuration::from_mins(10);
/// How long removals of faces are remembered for the indexes of other nodes.
pub(super) const REMOVAL_RETENTION: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Writes the tombstone of a picture that is about to be stored.
pub(super) async fn insert_pending(
    tx: &mut WriteTx,
    account: AccountId,
    face: FaceId,
    now: Timestamp,
) -> Result<(), DbError> {
    insert(tx, account, face, now + ENROLMENT_TIMEOUT).await
}

/// Writes the tombstone of a picture whose face is deleted in this transaction.
pub(super) async fn insert(
    tx: &mut WriteTx,
    account: AccountId,
    face: FaceId,
    due: Timestamp,
) -> Result<(), DbError> {
    tx.execute(sql!(
        "INSERT INTO face_leavings (face_id, account_id, due_at) VALUES ($1, $2, $3)
         ON CONFLICT (face_id) DO UPDATE SET due_at = excluded.due_at",
        face,
        account,
        due,
    ))
    .await
    .map(drop)
}

/// Writes the tombstones of the pictures of all faces of a profile.
pub(super) async fn insert_for_profile(
    tx: &mut WriteTx,
    account: AccountId,
    profile: ProfileId,
    now: Timestamp,
) -> Result<(), DbError> {
    tx.execute(sql!(
        "INSERT INTO face_leavings (face_id, account_id, due_at)
         SELECT id, account_id, CAST($3 AS TIMESTAMPTZ) FROM faces WHERE profile_id = $1 AND account_id = $2
         ON CONFLICT (face_id) DO UPDATE SET due_at = excluded.due_at",
        profile,
        account,
        now,
    ))
    .await
    .map(drop)
}

/// Deletes the tombstone of a picture whose face is written in this transaction; returns false if the picture belongs to
/// the sweep by now.
pub(super) async fn take_pending(tx: &mut WriteTx, face: FaceId, now: Timestamp) -> Result<bool, DbError> {
    let rows =
        tx.execute(sql!("DELETE FROM face_leavings WHERE face_id = $1 AND due_at > $2", face, now)).await?;
    Ok(rows == 1)
}

#[derive(FromRow)]
struct BlobTombstoneRow {
    face_id: FaceId,
}

#[derive(FromRow)]
struct TombstoneAccountRow {
    account_id: AccountId,
}

/// Deletes pictures without a face, and brings the index up to date.
#[derive(Debug)]
pub(super) struct TombstoneSweeper {
    pub(super) db: Db,
    pub(super) environment: Arc<dyn Environment>,
    pub(super) blobs: BlobStore,
    pub(super) pictures: FacePictures,
    pub(super) profiles: ProfileStore,
    pub(super) indexes: Arc<AccountIndexes>,
}

impl TombstoneSweeper {
    /// Completes committed changes of an account: deletes the pictures of removed faces, and brings this process's index up
    /// to date. A failure is only logged, because the sweep and the next search do the same. Returns whether there may be more
    /// pictures to delete at once.
    pub(super) async fn apply_committed_changes(&self, account: AccountId) -> bool {
        match self.try_apply_committed_changes(account).await {
            Ok(deleted) => deleted == PICTURES_PER_PASS,
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    account.id = %account,
                    "pictures of removed faces are left to the sweep, or the index to the next search"
                );
                false
            }
        }
    }

    /// Returns how many pictures were deleted.
    async fn try_apply_committed_changes(&self, account: AccountId) -> Result<usize, FaceIndexError> {
        let due: Vec<BlobTombstoneRow> = {
            let mut view = self.db.read_once().await?;
            view.fetch_all(sql!(
                "SELECT face_id FROM face_leavings WHERE account_id = $1 AND due_at <= $2 LIMIT $3",
                account,
                self.environment.now(),
                PICTURES_PER_PASS as i64,
            ))
            .await?
        };
        // Pictures first: deleting them needs no models.
        for tombstone in &due {
            self.blobs.delete(&blob_key(account, tombstone.face_id)).await?;
        }
        // A closed index takes in new faces when it is opened, but removed faces must not remain in its file until then.
        let removed = !due.is_empty() && self.indexes.count_files(account).await? > 0;
        if removed || self.indexes.is_open(account) {
            self.indexes.get(account).await?;
        }
        if removed {
            self.indexes.delete_idle_files(account).await?;
        }
        if due.is_empty() {
            return Ok(0);
        }
        let mut tx = self.db.write().await?;
        for tombstone in &due {
            tx.execute(sql!("DELETE FROM face_leavings WHERE face_id = $1", tombstone.face_id)).await?;
        }
        tx.commit().await?;
        Ok(due.len())
    }

    /// Deletes a picture whose face will not be written.
    pub(super) async fn discard_pending_picture(
        &self,
        account: AccountId,
        face: FaceId,
    ) -> Result<(), FaceIndexError> {
        let mut tx = self.db.write().await?;
        tx.execute(sql!(
            "UPDATE face_leavings SET due_at = $2 WHERE face_id = $1",
            face,
            self.environment.now()
        ))
        .await?;
        tx.commit().await?;
        self.try_apply_committed_changes(account).await.map(drop)
    }

    async fn lift_expired_bans(&self) -> Result<(), FaceIndexError> {
        let due = self.profiles.expired_bans(&mut self.db.read().await?).await?;
        for (account, id) in due {
            let mut tx = self.db.write().await?;
            if !accounts::lock_shared(&mut tx, account).await? {
                continue;
            }
            match self.profiles.lift_expired_ban(&mut tx, account, id).await {
                Ok(true) => {
                    let event = AuditEvent::new("profile.unban").account(account).target(id);
                    tx.audit(event.detail("expired", true));
                    tx.commit().await?;
                }
                // It was deleted or banned again meanwhile.
                Ok(false) | Err(FaceIndexError::Missing(_)) => {}
                // One whose details do not open is no reason to leave the others.
                Err(FaceIndexError::Sealed(error)) => tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    profile.id = %id,
                    "the details of a profile do not open, so its ban is not lifted"
                ),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Runs a [`SweepFaces`].
    pub(super) async fn sweep(&self) -> Result<JobOutcome, JobError> {
        let now = self.environment.now();
        // First, and whatever comes of the rest: somebody is told of until it is done.
        self.lift_expired_bans().await?;
        let mut after = AccountId::from(Uuid::nil());
        loop {
            let owners: Vec<TombstoneAccountRow> = self
                .db
                .read_once()
                .await?
                .fetch_all(sql!(
                    "SELECT DISTINCT account_id FROM face_leavings WHERE due_at <= $1 AND account_id > $2
                      ORDER BY account_id LIMIT 100",
                    now,
                    after,
                ))
                .await?;
            let Some(last) = owners.last() else { break };
            after = last.account_id;
            // One whose pictures or index cannot be reached is no reason to leave the others, or what comes below.
            for TombstoneAccountRow { account_id } in owners {
                while self.apply_committed_changes(account_id).await {}
            }
        }
        loop {
            let mut tx = self.db.write().await?;
            let mut rows = 0;
            for query in [
                sql!(
                    "DELETE FROM face_removals WHERE (account_id, seq, face_id) IN
                        (SELECT account_id, seq, face_id FROM face_removals WHERE removed_at <= $1 LIMIT 10000)",
                    now - REMOVAL_RETENTION,
                ),
                sql!(
                    "DELETE FROM negative_label_removals WHERE (account_id, seq, label_id) IN
                        (SELECT account_id, seq, label_id FROM negative_label_removals WHERE removed_at <= $1
                          LIMIT 10000)",
                    now - REMOVAL_RETENTION,
                ),
            ] {
                rows += tx.execute(query).await?;
            }
            tx.commit().await?;
            if rows == 0 {
                break;
            }
        }
        self.profiles.hash_references(&self.db).await?;
        let sealed_again = self.pictures.seal_again().await?;
        if sealed_again > 0 {
            tracing::info!(pictures = sealed_again, "pictures of faces were sealed with keys of their own");
        }
        Ok(JobOutcome::Again(now + SweepFaces::INTERVAL))
    }
}

/// Lifts bans whose time is over; makes references findable that older builds wrote; seals pictures that are older than the keys
/// of their own; deletes pictures whose faces were deleted or never written, and removals that are older than a week: an index
/// that has not been looked at for so long is compared with the database as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepFaces {}

impl Job for SweepFaces {
    const KIND: &'static str = "sweep-faces";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = RetryPolicy::RECURRING;
}

impl SweepFaces {
    const INTERVAL: SignedDuration = SignedDuration::from_mins(1);
}
