//! What a run writes: findings, notifications, its checkpoint and its end.

use super::{
    ModerationRun, RunStopError,
    decision::FaceVerdict,
    face_tracks::FaceTracks,
    finding_writer::{self, FindingWriter},
};
use crate::{
    accounts,
    content_moderation::{
        FaceMeasurements, NotificationReason,
        ending::ModerationOutcome,
        finding_pictures::StoredPictures,
        notifications::{FaceSighting, NotificationDraft, face_deduplication_key},
    },
};
use base::{ModerationFindingId, ProfileId, Timestamp};
use db::{DbError, WriteTx, sql};
use std::{collections::HashMap, sync::atomic::Ordering};

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
    /// When it was judged: bans that began later are not in the verdict.
    pub(super) judged_at: Timestamp,
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
                measurements: Some(self.measurements.clone()),
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
        let is_further = tracks.is_some_and(|tracks| tracks.time > self.start_position);
        if effects.outcome.is_some() {
            self.lease.finish(&mut tx).await?;
        } else if is_further {
            self.lease.record_progress(&mut tx).await?;
        } else {
            self.lease.lock(&mut tx).await?;
        }
        let writer = self.finding_writer(&mut tx, &effects).await?;
        let mut findings = HashMap::new();
        for face in &effects.faces {
            findings.insert(face.id, writer.save(&mut tx, face).await?);
        }
        for draft in &effects.notifications {
            if let Some(draft) = writer.as_written(draft, &findings) {
                self.runner.ender.notifier.notify(&mut tx, &self.context, &draft).await?;
            }
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
        // Pictures are stored between the verdict and this transaction, which may take longer than a sweep waits. As late as
        // possible, so that a ban that is not seen here either began only now.
        if let Some(judged_at) = effects.faces.iter().map(|face| face.judged_at).min() {
            self.runner.faces.queue_sweeps_of_unseen_bans(&mut tx, self.context.account, judged_at).await?;
        }
        tx.commit().await?;
        if is_further {
            self.has_progressed.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// What writes the faces, once the profiles that they are and were matched to are locked, before anything is written about
    /// one: whoever deletes a profile locks it first too, and what was written about it afterwards.
    async fn finding_writer(
        &self,
        tx: &mut WriteTx,
        effects: &RunEffects,
    ) -> Result<FindingWriter<'_>, DbError> {
        let of_faces = effects.faces.iter().filter_map(|face| face.verdict.profile);
        let drafted = effects.notifications.iter().filter_map(|draft| draft.face.as_ref()?.profile);
        let mut matched: Vec<ProfileId> = of_faces.chain(drafted).collect();
        let tracks: Vec<u64> = effects.faces.iter().map(|face| face.track).collect();
        matched.extend(finding_writer::find_earlier_matches(tx, self.id(), &tracks).await?);
        let (runner, account) = (&self.runner, self.context.account);
        Ok(FindingWriter {
            pictures: &runner.pictures,
            keeps_embeddings: !runner.settings.embedding_retention.is_zero(),
            account,
            moderation: self.id(),
            profiles: runner.faces.lock_active_profiles(tx, account, &matched).await?,
        })
    }
}
