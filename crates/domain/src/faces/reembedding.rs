//! After a change of the model, faces are embedded again from their stored pictures.

use super::{
    FaceIndexError,
    change_sequence::next_seq,
    embedding_vault::EmbeddingVault,
    enrolment,
    face_model::FaceModel,
    pictures::{FacePictures, PictureKey, PictureOwner},
};
use crate::accounts;
use base::{AccountId, Environment, FaceId, ProfileId};
use db::{Db, FromRow, sql};
use jobs::{Job, JobError, JobIds, JobOutcome, Lane, NewJob, RetryPolicy};
use media::blobs::BlobError;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Embeds an account's faces of other models again, with the model of this process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReembedFaces {
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

/// How many faces are read at a time.
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
    picture_key: Option<Vec<u8>>,
    picture_key_used: bool,
}

/// Embeds faces again.
#[derive(Debug)]
pub(super) struct Reembedding {
    pub(super) db: Db,
    pub(super) environment: Arc<dyn Environment>,
    pub(super) pictures: FacePictures,
    pub(super) model: Arc<FaceModel>,
    pub(super) embeddings: EmbeddingVault,
}

impl Reembedding {
    /// Queues a [`ReembedFaces`] for each account that has faces of another model with stored pictures; returns how many
    /// were queued.
    pub(super) async fn queue(&self) -> Result<u64, FaceIndexError> {
        let model = self.model.space_sha256().await?.to_vec();
        let accounts: Vec<FaceAccountRow> = self
            .db
            .read_once()
            .await?
            .fetch_all(sql!(
                "SELECT a.account_id FROM face_accounts a
                  WHERE EXISTS (SELECT 1 FROM faces f WHERE f.account_id = a.account_id AND f.model < $1 AND f.image)
                     OR EXISTS (SELECT 1 FROM faces f WHERE f.account_id = a.account_id AND f.model > $1 AND f.image)",
                model,
            ))
            .await?;
        let mut queued = 0;
        for FaceAccountRow { account_id } in accounts {
            let (environment, job) = (&*self.environment, ReembedFaces { account: account_id });
            let mut tx = self.db.write().await?;
            let key = account_id.to_string();
            let job = NewJob::new(environment, &job).unique(&key);
            queued += u64::from(jobs::enqueue(&mut tx, job).await?);
            tx.commit().await?;
        }
        Ok(queued)
    }

    /// Runs a [`ReembedFaces`]. Each face has a transaction of its own, so an interrupted job goes on where it was. A face
    /// that the model does not find in its picture stays as it is, cannot be found by searches, and is logged.
    pub(super) async fn run(&self, job: &ReembedFaces) -> Result<JobOutcome, JobError> {
        let model = self.model.space_sha256().await?.to_vec();
        let (mut after, mut done, mut lost) = (base::Uuid::nil(), 0_u64, 0_u64);
        loop {
            let faces: Vec<OutdatedFaceRow> = self
                .db
                .read_once()
                .await?
                .fetch_all(sql!(
                    "SELECT id, profile_id, model, picture_key, picture_key_used FROM faces
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
                    Err(FaceIndexError::Blobs(BlobError::Missing | BlobError::Damaged)) => {
                        tracing::warn!("a face stays unsearchable: its picture is lost");
                        lost += 1;
                    }
                    Err(other) => return Err(other.into()),
                }
            }
        }
        tracing::info!(done, lost, "faces were embedded again");
        Ok(JobOutcome::Done)
    }

    async fn reembed_one(&self, account: AccountId, face: OutdatedFaceRow) -> Result<(), FaceIndexError> {
        let mut view = self.db.read().await?;
        let app = accounts::application_of(&mut view, account).await?;
        let vault = self.embeddings.of_profile(&mut view, face.profile_id).await?;
        drop(view);
        let owner = PictureOwner { account, profile: face.profile_id, face: face.id };
        let key = PictureKey { sealed: face.picture_key.as_deref(), is_used: face.picture_key_used };
        let bytes = self.pictures.get(&vault, &owner, key).await?;
        let extracted = self.model.extract_from_stored(app, bytes).await?;
        let mut tx = self.db.write().await?;
        if !accounts::lock_shared(&mut tx, account).await? {
            return Ok(());
        }
        let seq = next_seq(&mut tx, account).await?;
        let vault = self.embeddings.of_profile(&mut tx, face.profile_id).await?;
        // A face that was deleted in the meantime, or embedded by another run, is not changed.
        tx.execute(sql!(
            "UPDATE faces SET model = $3, embedding = $4, quality = $5, seq = $6 WHERE id = $1 AND model = $2",
            face.id,
            face.model,
            extracted.model.to_vec(),
            self.embeddings.seal(&vault, &enrolment::aad(face.profile_id, face.id), &extracted.embedding),
            f64::from((extracted.quality * 1e4).round()) / 1e4,
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
