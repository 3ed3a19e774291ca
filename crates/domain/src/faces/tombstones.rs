//! Pictures that may lie about without a row, and their way out.
//!
//! A picture is written before its row and deleted after it, so there is a moment with a picture and no row. A row of
//! `face_leavings` says so for as long, and whoever crashes in between leaves it to the sweep. One that is due belongs to
//! the sweep: no face is enrolled with it any more.

use super::{FaceIndexError, FaceIndexService, enrolment::blob_key};
use base::{AccountId, FaceId, ProfileId, SignedDuration, Timestamp};
use db::{DbError, FromRow, WriteTx, sql};
use jobs::{Job, JobError, JobOutcome, Lane, RetryPolicy};
use serde::{Deserialize, Serialize};

/// How long an enrolment may take between its picture and its row.
const ENROLMENT_TIMEOUT: SignedDuration = SignedDuration::from_mins(10);
/// How long removals are remembered for the indexes of other nodes.
const REMOVAL_RETENTION: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Notes a picture that is about to be written.
pub(super) async fn insert_pending(
    tx: &mut WriteTx,
    account: AccountId,
    face: FaceId,
    now: Timestamp,
) -> Result<(), DbError> {
    insert(tx, account, face, now + ENROLMENT_TIMEOUT).await
}

/// Notes a picture whose row goes in this transaction.
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

/// The same for all faces of a profile.
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

/// The row of a picture comes in this transaction. Whether the picture was still expected.
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

impl FaceIndexService {
    /// Brings to an end what a committed change of an account began: pictures of faces that went are deleted, and this
    /// process's index is brought up to date. What fails is logged: the sweep, and the next search, will do it.
    pub async fn apply_committed_changes(&self, account: AccountId) {
        if let Err(error) = self.try_apply_committed_changes(account).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                account.id = %account,
                "faces are left to be swept away, or to be indexed by the next search"
            );
        }
    }

    async fn try_apply_committed_changes(&self, account: AccountId) -> Result<(), FaceIndexError> {
        let due: Vec<BlobTombstoneRow> = {
            let mut view = self.0.db.read().await?;
            view.fetch_all(sql!(
                "SELECT face_id FROM face_leavings WHERE account_id = $1 AND due_at <= $2 LIMIT 100",
                account,
                self.0.world.now(),
            ))
            .await?
        };
        // Pictures first: they need no models.
        for leaving in &due {
            self.0.blobs.delete(&blob_key(account, leaving.face_id)).await?;
        }
        // An index that is closed takes in what came when it is opened; what went must not lie in it until then.
        let gone = !due.is_empty() && self.count_index_files(account).await? > 0;
        if gone || self.0.index_cache.contains(account) {
            self.account_index(account).await?;
        }
        if due.is_empty() {
            return Ok(());
        }
        let mut tx = self.0.db.write().await?;
        for leaving in due {
            tx.execute(sql!("DELETE FROM face_leavings WHERE face_id = $1", leaving.face_id)).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Deletes a picture that was expected to get a row, and will not.
    pub(super) async fn discard_pending_picture(
        &self,
        account: AccountId,
        face: FaceId,
    ) -> Result<(), FaceIndexError> {
        let mut tx = self.0.db.write().await?;
        tx.execute(
            sql!("UPDATE face_leavings SET due_at = $2 WHERE face_id = $1", face, self.0.world.now(),),
        )
        .await?;
        tx.commit().await?;
        self.try_apply_committed_changes(account).await
    }

    /// Runs a [`SweepFaces`].
    pub async fn sweep_tombstones(&self) -> Result<JobOutcome, JobError> {
        let now = self.0.world.now();
        loop {
            let mut view = self.0.db.read().await?;
            let owners: Vec<TombstoneAccountRow> = view
                .fetch_all(sql!(
                    "SELECT DISTINCT account_id FROM face_leavings WHERE due_at <= $1 LIMIT 100",
                    now,
                ))
                .await?;
            drop(view);
            if owners.is_empty() {
                break;
            }
            for TombstoneAccountRow { account_id } in owners {
                self.try_apply_committed_changes(account_id).await?;
            }
        }
        loop {
            let mut tx = self.0.db.write().await?;
            let rows = tx
                .execute(sql!(
                    "DELETE FROM face_removals WHERE (account_id, seq, face_id) IN
                        (SELECT account_id, seq, face_id FROM face_removals WHERE removed_at <= $1 LIMIT 10000)",
                    now - REMOVAL_RETENTION,
                ))
                .await?;
            tx.commit().await?;
            if rows == 0 {
                break;
            }
        }
        Ok(JobOutcome::Again(now + SweepFaces::INTERVAL))
    }
}

/// Deletes pictures whose rows are gone or never came, and forgets removals that every index has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepFaces {}

impl Job for SweepFaces {
    const KIND: &'static str = "sweep-faces";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy =
        RetryPolicy { waits: &[10, 60, 600, 3600, 3600, 3600, 3600, 3600, 3600], jitter: 0.1 };
}

impl SweepFaces {
    const INTERVAL: SignedDuration = SignedDuration::from_mins(1);
}
