//! What a run writes: findings, notifications, its checkpoint and its end.

use super::{ModerationRun, RunStopError, decision::FaceVerdict, face_tracks::FaceTracks};
use crate::{
    accounts,
    content_moderation::{
        FaceMeasurements, NotificationReason,
        ending::ModerationOutcome,
        finding_pictures::StoredPictures,
        notifications::{FaceSighting, NotificationDraft, face_deduplication_key},
        sealed_columns::EmbeddingOwner,
    },
};
use base::{ModerationFindingId, ProfileId, Timestamp};
use db::{DbError, WriteTx, sql};

/// What a run writes in one transaction.
#[derive(Debug, Default)]
pub(super) struct RunEffects {
    pub(super) faces: Vec<JudgedFace>,
    pub(super) notifications: Vec<NotificationDraft>,
    /// How many faces of an image were found and left out; a video's are counted with its appearances.
    pub(super) unjudged_faces: u32,
    /// How the moderation ends, if it does.
    pub(super) outcome: Option<ModerationOutcome>,
}

impl RunEffects {
    pub(super) fn ending(outcome: ModerationOutcome) -> Self {
        Self { outcome: Some(outcome), ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.faces.is_empty() && self.notifications.is_empty() && self.outcome.is_none()
    }
}

/// An appearance of a face that was judged.
#[derive(Debug)]
pub(super) struct JudgedFace {
    pub(super) id: ModerationFindingId,
    /// The number of the appearance in its content.
    pub(super) track: u64,
    /// The position of its best picture in the content, in seconds.
    pub(super) frame_time: f64,
    /// Top, right, bottom and left, in pixels of the content.
    pub(super) edges: [i64; 4],
    pub(super) verdict: FaceVerdict,
    pub(super) measurements: FaceMeasurements,
    pub(super) embedding: Vec<f32>,
    /// What a reviewer sees of it, if something was found.
    pub(super) pictures: Option<StoredPictures>,
}

impl JudgedFace {
    /// The notification of this appearance for one reason.
    pub(super) fn draft_notification(
        &self,
        reason: NotificationReason,
        observed_at: Timestamp,
    ) -> NotificationDraft {
        NotificationDraft {
            deduplication_key: face_deduplication_key(self.track as i64, reason),
            reason,
            observed_at,
            face: Some(FaceSighting {
                finding: self.id,
                frame_time: self.frame_time,
                edges: self.edges,
                age_group: self.verdict.age_group,
                profile: self.verdict.profile,
            }),
            failure: None,
            retroactive: false,
        }
    }
}

impl ModerationRun {
    /// Writes everything at once: findings, notifications, the checkpoint if `tracks` is given, and the end of the
    /// moderation if it ends. Fails with [`RunStopError::LeaseLost`] if another worker has the job by now.
    pub(super) async fn commit_effects(
        &self,
        tracks: Option<&FaceTracks>,
        effects: RunEffects,
    ) -> Result<(), RunStopError> {
        let mut tx = self.runner.db.write().await?;
        if !accounts::lock_shared(&mut tx, self.context.account).await? {
            return Err(RunStopError::LeaseLost);
        }
        if effects.outcome.is_some() {
            self.lease.finish(&mut tx).await?;
        } else if tracks.is_some_and(|tracks| tracks.time > self.start_position) {
            self.lease.record_progress(&mut tx).await?;
        } else {
            self.lease.lock(&mut tx).await?;
        }
        for face in &effects.faces {
            self.save_finding(&mut tx, face).await?;
        }
        for draft in &effects.notifications {
            self.runner.ender.notifier.notify(&mut tx, &self.context, draft).await?;
        }
        if let Some(tracks) = tracks {
            let columns = &self.runner.sealed_columns;
            let sealed = columns.seal_checkpoint(&mut tx, self.id(), tracks).await?;
            tx.execute(sql!(
                "UPDATE moderations SET checkpoint = $2, position = $3 WHERE id = $1",
                self.id(),
                sealed,
                tracks.time,
            ))
            .await?;
        }
        let unjudged = tracks.map_or(effects.unjudged_faces, |tracks| tracks.unjudged_faces);
        if unjudged > 0 {
            tx.execute(sql!(
                "UPDATE moderations SET unjudged_faces = $2 WHERE id = $1 AND unjudged_faces < $2",
                self.id(),
                i64::from(unjudged),
            ))
            .await?;
        }
        if let Some(outcome) = &effects.outcome {
            self.runner.ender.end(&mut tx, &self.context, outcome).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Writes an appearance; a later judgement of the same one replaces the earlier one.
    async fn save_finding(&self, tx: &mut WriteTx, face: &JudgedFace) -> Result<(), DbError> {
        let [top, right, bottom, left] = face.edges;
        let profile: Option<ProfileId> = face.verdict.profile;
        let sealed = if self.runner.settings.embedding_retention.is_zero() {
            None
        } else {
            let owner = EmbeddingOwner { moderation: self.id(), profile };
            let columns = &self.runner.sealed_columns;
            Some(columns.seal_embedding(tx, face.id, owner, &face.embedding).await?)
        };
        tx.execute(sql!(
            "INSERT INTO findings (id, account_id, moderation_id, track, frame_time, profile_id, is_banned, age_group,
                                   face_top, face_right, face_bottom, face_left, sealed_embedding, measurements,
                                   observed_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
             ON CONFLICT (moderation_id, track) DO UPDATE
                SET frame_time = excluded.frame_time, profile_id = excluded.profile_id,
                    is_banned = excluded.is_banned, age_group = excluded.age_group, face_top = excluded.face_top,
                    face_right = excluded.face_right, face_bottom = excluded.face_bottom,
                    face_left = excluded.face_left, sealed_embedding = excluded.sealed_embedding,
                    measurements = excluded.measurements",
            face.id,
            self.context.account,
            self.id(),
            face.track as i64,
            face.frame_time,
            profile,
            face.verdict.is_banned,
            face.verdict.age_group,
            top,
            right,
            bottom,
            left,
            sealed,
            serde_json::to_value(&face.measurements).expect("numbers are JSON"),
            self.runner.environment.now(),
        ))
        .await?;
        if let Some(stored) = &face.pictures {
            let owner = EmbeddingOwner { moderation: self.id(), profile };
            self.runner.pictures.attach(tx, self.context.account, (face.id, owner), stored).await?;
        }
        Ok(())
    }
}
