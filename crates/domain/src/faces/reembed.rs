//! Another model: embeddings are made anew from pictures that were kept.

use super::{Faces, FacesError, bump, enrol, picture};
use crate::accounts;
use base::{AccountId, FaceId};
use db::{FromRow, sql};
use jobs::{Failure, Job, Lane, Outcome, Retry};
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
    const RETRY: Retry = Retry { waits: &[10, 60, 600, 3600, 3600], jitter: 0.2 };
}

/// Faces read at once.
const ROUND: i64 = 50;

#[derive(FromRow)]
struct Owner {
    account_id: AccountId,
}

#[derive(FromRow)]
struct Old {
    id: FaceId,
    model: Vec<u8>,
}

impl Faces {
    /// Queues a [`ReembedFaces`] for each account that has faces of another model with pictures; every process that works
    /// does so once the models are loaded. How many were queued.
    pub async fn queue_reembedding(&self) -> Result<u64, FacesError> {
        let model = self.space().await?.sha256.to_vec();
        let owners: Vec<Owner> = self
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
        for Owner { account_id } in owners {
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
    pub async fn reembed(&self, job: &ReembedFaces) -> Result<Outcome, Failure> {
        let model = self.space().await?.sha256.to_vec();
        let (mut after, mut done, mut lost) = (base::Uuid::nil(), 0_u64, 0_u64);
        loop {
            let faces: Vec<Old> = self
                .0
                .db
                .read()
                .await?
                .fetch_all(sql!(
                    "SELECT id, model FROM faces
                      WHERE account_id = $1 AND model <> $2 AND image AND id > $3 ORDER BY id LIMIT $4",
                    job.account,
                    model.clone(),
                    after,
                    ROUND,
                ))
                .await?;
            let Some(last) = faces.last() else { break };
            after = last.id.into();
            for face in faces {
                match self.reembed_one(job.account, face).await {
                    Ok(()) => done += 1,
                    Err(FacesError::Refused { message, .. }) => {
                        tracing::warn!(face.id = %after, "a face stays unsearchable: {message}");
                        lost += 1;
                    }
                    Err(FacesError::Blobs(media::blobs::Error::Missing | media::blobs::Error::Damaged)) => {
                        tracing::warn!("a face stays unsearchable: its picture is lost");
                        lost += 1;
                    }
                    Err(other) => return Err(other.into()),
                }
            }
        }
        tracing::info!(account.id = %job.account, "{done} faces are embedded anew, {lost} could not be");
        Ok(Outcome::Done)
    }

    async fn reembed_one(&self, account: AccountId, face: Old) -> Result<(), FacesError> {
        let bytes = self.0.blobs.get(&enrol::blob(account, face.id)).await?;
        let rules = self.0.settings.rules.clone();
        let looked =
            self.0.estimator.run_behind(move |vision| picture::look_again(vision, &bytes, &rules)).await??;
        let mut tx = self.0.db.write().await?;
        if !accounts::hold(&mut tx, account).await? {
            return Ok(());
        }
        let seq = bump(&mut tx, account).await?;
        // A face that went meanwhile, or that another run has done, is left alone.
        tx.execute(sql!(
            "UPDATE faces SET model = $3, embedding = $4, quality = $5, seq = $6 WHERE id = $1 AND model = $2",
            face.id,
            face.model,
            looked.model.to_vec(),
            self.seal(&enrol::place(face.id), &looked.embedding),
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
        assert!(serde_json::from_str::<super::super::SweepFaces>("{}").is_ok());
    }
}
