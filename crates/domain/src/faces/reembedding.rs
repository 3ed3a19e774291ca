//! Another model: embeddings are made anew from pictures that were kept.

use super::{FaceIndexError, FaceIndexService, enrolment, face_extraction, next_seq};
use crate::accounts;
use base::{AccountId, FaceId, ProfileId};
use db::{FromRow, sql};
use jobs::{Job, JobError, JobIds, JobOutcome, Lane, RetryPolicy};
use serde::{Deserialize, Serialize};

/// Makes the embeddings of an account's faces anew, in the space of the model that serves now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReembedFaces {
    /// Whose faces.
    pub account: AccountId,
}

impl Job for ReembedFaces {
    const KIND: &'static str = "reembed-faces";
    const LANE: Lane = Lane::Heavy;
    const RETRY: RetryPolicy = RetryPolicy { waits: &[10, 60, 600, 3600, 3600], jitter: 0.2 };

    fn ids(&self) -> JobIds<'_> {
        JobIds { account: Some(self.account), ..JobIds::default() }
    }
}

/// Faces read at once.
const FACES_PER_READ: i64 = 50;

#[derive(FromRow)]
struct FaceAccountRow {
    account_id: AccountId,
}

#[derive(FromRow)]
struct OutdatedFaceRow {
    id: FaceId,
    profile_id: ProfileId,
    model: Vec<u8>,
}

impl FaceIndexService {
    /// Queues a [`ReembedFaces`] for each account that has faces of another model with pictures; every process that works
    /// does so once the models are loaded. How many were queued.
    pub async fn queue_reembedding(&self) -> Result<u64, FaceIndexError> {
        let model = self.space().await?.sha256.to_vec();
        let owners: Vec<FaceAccountRow> = self
            .0
            .db
            .read()
            .await?
            .fetch_all(sql!(
                "SELECT a.account_id FROM face_accounts a
                  WHERE EXISTS (SELECT 1 FROM faces f WHERE f.account_id = a.account_id AND f.model < $1 AND f.image)
                     OR EXISTS (SELECT 1 FROM faces f WHERE f.account_id = a.account_id AND f.model > $1 AND f.image)",
                model,
            ))
            .await?;
        let mut queued = 0;
        for FaceAccountRow { account_id } in owners {
            let (world, job) = (&*self.0.world, ReembedFaces { account: account_id });
            let mut tx = self.0.db.write().await?;
            let key = account_id.to_string();
            queued += u64::from(jobs::enqueue_unique(&mut tx, world, &job, &key, world.now()).await?);
            tx.commit().await?;
        }
        Ok(queued)
    }

    /// Runs a [`ReembedFaces`]. Each face is done in a transaction of its own, so one that is interrupted goes on where it
    /// was. A face that cannot be found in its picture any more stays as it is, unsearchable, and is logged.
    pub async fn reembed(&self, job: &ReembedFaces) -> Result<JobOutcome, JobError> {
        let model = self.space().await?.sha256.to_vec();
        let (mut after, mut done, mut lost) = (base::Uuid::nil(), 0_u64, 0_u64);
        loop {
            let faces: Vec<OutdatedFaceRow> = self
                .0
                .db
                .read()
                .await?
                .fetch_all(sql!(
                    "SELECT id, profile_id, model FROM faces
                      WHERE account_id = $1 AND model <> $2 AND image AND id > $3 ORDER BY id LIMIT $4",
                    job.account,
                    model.clone(),
                    after,
                    FACES_PER_READ,
                ))
                .await?;
            let Some(last) = faces.last() else { break };
            after = last.id.into();
            for face in faces {
                match self.reembed_one(job.account, face).await {
                    Ok(()) => done += 1,
                    Err(FaceIndexError::Refused { message, .. }) => {
                        tracing::warn!(error = message, face.id = %after, "a face stays unsearchable");
                        lost += 1;
                    }
                    Err(FaceIndexError::Blobs(
                        media::blobs::BlobError::Missing | media::blobs::BlobError::Damaged,
                    )) => {
                        tracing::warn!("a face stays unsearchable: its picture is lost");
                        lost += 1;
                    }
                    Err(other) => return Err(other.into()),
                }
            }
        }
        tracing::info!(done, lost, "faces are embedded anew");
        Ok(JobOutcome::Done)
    }

    async fn reembed_one(&self, account: AccountId, face: OutdatedFaceRow) -> Result<(), FaceIndexError> {
        let bytes = self.0.blobs.get(&enrolment::blob_key(account, face.id)).await?;
        let rules = self.0.settings.rules.clone();
        let looked = self
            .0
            .estimator
            .run_in_background(move |vision| face_extraction::extract_from_stored(vision, &bytes, &rules))
            .await??;
        let mut tx = self.0.db.write().await?;
        if !accounts::lock_shared(&mut tx, account).await? {
            return Ok(());
        }
        let seq = next_seq(&mut tx, account).await?;
        // A face that went meanwhile, or that another run has done, is left alone.
        tx.execute(sql!(
            "UPDATE faces SET model = $3, embedding = $4, quality = $5, seq = $6 WHERE id = $1 AND model = $2",
            face.id,
            face.model,
            looked.model.to_vec(),
            self.seal_embedding(&enrolment::aad(face.profile_id, face.id), &looked.embedding),
            f64::from((looked.quality * 1e4).round()) / 1e4,
            seq,
        ))
        .await?;
        tx.commit().await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that an older build queued must still be understood.
    #[test]
    fn old_payloads_still_parse() {
        let job: ReembedFaces =
            serde_json::from_str(r#"{"account":"7d444840-9dc0-41d1-b245-5ffdce74fad2"}"#).unwrap();
        assert_eq!(job.account.to_string(), "7d444840-9dc0-41d1-b245-5ffdce74fad2");
        assert!(serde_json::from_str::<crate::faces::tombstones::SweepFaces>("{}").is_ok());
    }
}
