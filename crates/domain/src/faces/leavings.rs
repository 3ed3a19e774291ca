//! Pictures that may lie about without a row, and their way out.
//!
//! A picture is written before its row and deleted after it, so there is a moment with a picture and no row. A row of
//! `face_leavings` says so for as long, and whoever crashes in between leaves it to the sweep. One that is due belongs to
//! the sweep: no face is enrolled with it any more.

use super::{Faces, FacesError, enrol::blob, last_change};
use base::{AccountId, FaceId, ProfileId, SignedDuration, Timestamp};
use db::{DbError, FromRow, Tx, sql};
use jobs::{Failure, Job, Lane, Outcome, Retry};
use serde::{Deserialize, Serialize};

/// How long an enrolment may take between its picture and its row.
const PATIENCE: SignedDuration = SignedDuration::from_mins(10);
/// How long removals are remembered for the indexes of other nodes.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Notes a picture that is about to be written.
pub(super) async fn expect(
    tx: &mut Tx,
    account: AccountId,
    face: FaceId,
    now: Timestamp,
) -> Result<(), DbError> {
    note(tx, account, face, now + PATIENCE).await
}

/// Notes a picture whose row goes in this transaction.
pub(super) async fn note(
    tx: &mut Tx,
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
pub(super) async fn note_profile(
    tx: &mut Tx,
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
pub(super) async fn settled(tx: &mut Tx, face: FaceId, now: Timestamp) -> Result<bool, DbError> {
    let rows =
        tx.execute(sql!("DELETE FROM face_leavings WHERE face_id = $1 AND due_at > $2", face, now)).await?;
    Ok(rows == 1)
}

#[derive(FromRow)]
struct Leaving {
    face_id: FaceId,
    account_id: AccountId,
}

impl Faces {
    /// Brings to an end what a committed change of an account began: pictures of faces that went are deleted, and this
    /// process's index is brought up to date. What fails is logged: the sweep, and the next search, will do it.
    pub async fn settle(&self, account: AccountId) {
        if let Err(error) = self.try_settle(account).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                account.id = %account,
                "faces are left to be swept away, or to be indexed by the next search"
            );
        }
    }

    async fn try_settle(&self, account: AccountId) -> Result<(), FacesError> {
        let due: Vec<Leaving> = {
            let mut view = self.0.db.read().await?;
            if last_change(&mut view, account).await? == 0 {
                return Ok(());
            }
            view.fetch_all(sql!(
                "SELECT face_id, account_id FROM face_leavings WHERE account_id = $1 AND due_at <= $2 LIMIT 100",
                account,
                self.0.world.now(),
            ))
            .await?
        };
        // Pictures first: they need no models.
        for leaving in due {
            self.clear(leaving.account_id, leaving.face_id).await?;
        }
        self.gallery(account).await?;
        Ok(())
    }

    /// Deletes a picture that is due, and then the note of it.
    async fn clear(&self, account: AccountId, face: FaceId) -> Result<(), FacesError> {
        self.0.blobs.delete(&blob(account, face)).await?;
        let mut tx = self.0.db.write().await?;
        tx.execute(sql!("DELETE FROM face_leavings WHERE face_id = $1", face)).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Deletes a picture that was expected to get a row, and will not.
    pub(super) async fn drop_expected(&self, account: AccountId, face: FaceId) -> Result<(), FacesError> {
        let mut tx = self.0.db.write().await?;
        tx.execute(
            sql!("UPDATE face_leavings SET due_at = $2 WHERE face_id = $1", face, self.0.world.now(),),
        )
        .await?;
        tx.commit().await?;
        self.clear(account, face).await
    }

    /// Runs a [`SweepFaces`].
    pub async fn sweep(&self) -> Result<Outcome, Failure> {
        let now = self.0.world.now();
        loop {
            let mut view = self.0.db.read().await?;
            let due: Vec<Leaving> = view
                .fetch_all(sql!(
                    "SELECT face_id, account_id FROM face_leavings WHERE due_at <= $1 ORDER BY due_at LIMIT 200",
                    now,
                ))
                .await?;
            drop(view);
            if due.is_empty() {
                break;
            }
            for leaving in due {
                self.clear(leaving.account_id, leaving.face_id).await?;
            }
        }
        loop {
            let mut tx = self.0.db.write().await?;
            let rows = tx
                .execute(sql!(
                    "DELETE FROM face_removals WHERE (account_id, seq, face_id) IN
                        (SELECT account_id, seq, face_id FROM face_removals WHERE removed_at <= $1 LIMIT 10000)",
                    now - REMEMBERED,
                ))
                .await?;
            tx.commit().await?;
            if rows == 0 {
                break;
            }
        }
        Ok(Outcome::Again(now + SweepFaces::EVERY))
    }
}

/// Deletes pictures whose rows are gone or never came, and forgets removals that every index has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepFaces {}

impl Job for SweepFaces {
    const KIND: &'static str = "sweep-faces";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: Retry = Retry { waits: &[10, 60, 600, 3600, 3600, 3600, 3600, 3600, 3600], jitter: 0.1 };
}

impl SweepFaces {
    const EVERY: SignedDuration = SignedDuration::from_mins(1);
}
