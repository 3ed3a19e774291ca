//! Tells of people who were banned after they had been seen: their faces among the findings that are kept.

use super::{
    FaceMeasurements, NotificationReason,
    ending::ModerationEnder,
    kept_findings::{KeptFinding, KeptFindings},
    notifications::{FaceSighting, NotificationContext, NotificationDraft, face_deduplication_key},
};
use crate::{
    accounts,
    faces::{FaceIndexError, FaceIndexService, SweepFindingsOfBan},
    image_analysis::MODELS_RETRY_WAIT,
};
use base::{ModerationId, ProfileId};
use db::{Db, DbError, WriteTx};
use jobs::{JobError, JobIds, JobOutcome, Lease, LeaseError};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

/// How many findings one transaction looks at, and so how many notifications it writes at most.
const FINDINGS_PER_ROUND: usize = 200;
/// How many findings a sweep looks at, newest first; older ones are left out.
const MAX_FINDINGS_PER_BAN: u64 = 200_000;

/// Runs the sweeps of bans.
#[derive(Debug)]
pub(super) struct BanSweeper {
    pub(super) db: Db,
    pub(super) faces: FaceIndexService,
    pub(super) findings: KeptFindings,
    pub(super) ender: ModerationEnder,
}

impl BanSweeper {
    /// Goes on with a sweep from its checkpoint. Notifications and the checkpoint are written in one transaction, which a
    /// run that has lost its lease cannot commit.
    pub(super) async fn run(&self, job: SweepFindingsOfBan, lease: Lease) -> Result<JobOutcome, JobError> {
        JobIds { account: Some(job.account), ..JobIds::default() }.record();
        let person = match self.faces.likeness_of_profile(job.account, job.profile).await {
            Ok(person) => Arc::new(person),
            // It was deleted, or nobody can be recognised by it any more.
            Err(FaceIndexError::Missing(_) | FaceIndexError::ProfileField(_)) => return Ok(JobOutcome::Done),
            Err(FaceIndexError::NotReady(_)) => {
                return Ok(JobOutcome::Again(self.ender.environment.now() + MODELS_RETRY_WAIT));
            }
            Err(error) => return Err(error.into()),
        };
        let mut job = job;
        while !lease.is_stopping() {
            let batch = self.findings.load(job.account, job.after, false, FINDINGS_PER_ROUND).await?;
            let is_last = batch.len() < FINDINGS_PER_ROUND;
            job.after = batch.last().map(KeptFinding::position).or(job.after);
            job.examined += batch.len() as u64;
            // Each face must be as near as the run that found it would have demanded.
            let found =
                self.findings.compare(batch, person.clone(), |measured| measured.max_distance).await?;
            let is_over = is_last || job.examined >= MAX_FINDINGS_PER_BAN;
            match self.commit_round(&job, &lease, &found.similar, is_over).await {
                Ok(true) => {}
                Ok(false) | Err(LeaseError::Lost) => return Ok(JobOutcome::Done),
                Err(LeaseError::Db(error)) => return Err(error.into()),
            }
            if is_over && !is_last {
                tracing::warn!(
                    examined = job.examined,
                    "a ban's sweep ends before the oldest of the faces that are kept"
                );
            }
        }
        Ok(JobOutcome::Again(self.ender.environment.now()))
    }

    /// Writes what a round found, and how far it got; returns whether the sweep goes on.
    async fn commit_round(
        &self,
        job: &SweepFindingsOfBan,
        lease: &Lease,
        similar: &[(KeptFinding, f32)],
        is_over: bool,
    ) -> Result<bool, LeaseError> {
        let mut tx = self.db.write().await?;
        if !accounts::lock_shared(&mut tx, job.account).await? {
            return Ok(false);
        }
        // From here on whatever deletes the profile or lifts its ban waits: it locks the profile, and then withdraws this job.
        self.faces.lock_active_profiles(&mut tx, job.account, &[job.profile]).await?;
        lease.record_checkpoint(&mut tx, job).await?;
        let goes_on = if self.faces.is_banned(&mut tx, job.account, job.profile).await? {
            self.notify(&mut tx, job.profile, similar).await?;
            !is_over
        } else {
            false
        };
        if !goes_on {
            lease.finish(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(goes_on)
    }

    async fn notify(
        &self,
        tx: &mut WriteTx,
        profile: ProfileId,
        similar: &[(KeptFinding, f32)],
    ) -> Result<(), DbError> {
        let mut contexts: HashMap<ModerationId, Option<NotificationContext>> = HashMap::new();
        for (finding, distance) in similar {
            let moderation = finding.moderation_id;
            let context = match contexts.entry(moderation) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(self.ender.load_context(tx, moderation, None).await?),
            };
            // It may have been deleted meanwhile.
            let Some(context) = context else { continue };
            self.ender.notifier.notify(tx, context, &draft(profile, finding, *distance)).await?;
        }
        Ok(())
    }
}

/// The notification of a face that was seen before its person was banned. It has the key under which a run would have
/// written it, so that a face is told once. The finding may be matched to somebody else, so `distance` is that to the person.
fn draft(profile: ProfileId, finding: &KeptFinding, distance: f32) -> NotificationDraft {
    let reason = NotificationReason::BannedProfile;
    let measured = finding.measurements.as_ref();
    NotificationDraft {
        deduplication_key: face_deduplication_key(finding.track, reason),
        reason,
        observed_at: finding.observed_at,
        face: Some(FaceSighting {
            finding: finding.id,
            frame_time: finding.frame_time,
            edges: [finding.face_top, finding.face_right, finding.face_bottom, finding.face_left],
            age_group: finding.age_group,
            profile: Some(profile),
            measurements: measured
                .map(|measured| FaceMeasurements { distance: Some(distance), ..measured.0.clone() }),
        }),
        failure: None,
        retroactive: true,
    }
}
