//! Running a moderation: a job that looks at a content, judges each appearance of a face once, and goes on from its
//! checkpoint where it was interrupted.
//!
//! Whatever a run has to say (findings, notifications, deliveries, how far it came, that it ended) it says in one
//! transaction that also holds the job's lease, so that it counts once or not at all: [`ContentModerationService::commit_effects`].

mod decision;
mod face_tracks;
mod image;
mod live;
mod video;

use super::{
    ContentModerationService, ModerationParameters, ModerationState, NotificationReason, aad,
    notifications::{FaceSighting, NotificationContext, NotificationDraft},
};
use crate::{accounts, content::ContentType, faces::FaceIndexError, image_analysis::AnalysisError};
use base::{
    AccountId, AppId, ContentId, Environment, ModerationFindingId, ModerationId, ProfileId, Timestamp, Uuid,
};
use db::{DbError, FromRow, Json, WriteTx, sql};
use decision::{FaceVerdict, KnownProfiles};
use face_tracks::FaceTracks;
use jobs::{Job, JobError, JobIds, JobOutcome, Lane, Lease, LeaseError, RetryPolicy};
use media::video::VideoError;
use serde::{Deserialize, Serialize};

/// A content that cannot be had now may be had soon; after that its moderation fails.
const CONTENT_RETRY: RetryPolicy = RetryPolicy { waits: &[5, 30, 120], jitter: 0.2 };

/// Looks at an image or a video.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RunModeration {
    /// Which moderation.
    pub moderation: ModerationId,
}

impl Job for RunModeration {
    const KIND: &'static str = "run-moderation";
    const LANE: Lane = Lane::Heavy;
    const RETRY: RetryPolicy = CONTENT_RETRY;

    fn ids(&self) -> JobIds<'_> {
        JobIds { moderation: Some(self.moderation), ..JobIds::default() }
    }
}

/// Watches a live video.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct WatchLiveVideo {
    /// Which moderation.
    pub moderation: ModerationId,
}

impl Job for WatchLiveVideo {
    const KIND: &'static str = "watch-live";
    const LANE: Lane = Lane::Live;
    const RETRY: RetryPolicy = CONTENT_RETRY;

    fn ids(&self) -> JobIds<'_> {
        JobIds { moderation: Some(self.moderation), ..JobIds::default() }
    }
}

impl RunModeration {
    /// Queues the job that a content's type needs.
    pub(super) async fn enqueue(
        tx: &mut WriteTx,
        world: &dyn Environment,
        account: AccountId,
        moderation: ModerationId,
        content_type: ContentType,
    ) -> Result<Uuid, DbError> {
        let now = world.now();
        match content_type {
            ContentType::Image | ContentType::Video => {
                jobs::enqueue_for_account(tx, world, account, &Self { moderation }, now).await
            }
            ContentType::LiveVideo => {
                jobs::enqueue_for_account(tx, world, account, &WatchLiveVideo { moderation }, now).await
            }
        }
    }
}

/// Why a run does not go on.
#[derive(Debug)]
enum RunStopError {
    /// Another worker has the job, or the account is gone: nothing of this run counts any more.
    LeaseLost,
    /// It was told to stop.
    StopRequested,
    /// The worker is being stopped; the run goes on elsewhere.
    Handover,
    /// The content cannot be looked at.
    ContentUnavailable(VideoError),
    /// Something of this server's own is amiss.
    ServerFailure(JobError),
}

impl From<DbError> for RunStopError {
    fn from(error: DbError) -> Self {
        Self::ServerFailure(error.into())
    }
}

impl From<LeaseError> for RunStopError {
    fn from(lost: LeaseError) -> Self {
        match lost {
            LeaseError::Lost => Self::LeaseLost,
            LeaseError::Db(error) => error.into(),
        }
    }
}

impl From<VideoError> for RunStopError {
    fn from(error: VideoError) -> Self {
        Self::ContentUnavailable(error)
    }
}

impl From<AnalysisError> for RunStopError {
    fn from(refusal: AnalysisError) -> Self {
        Self::ServerFailure(refusal.into())
    }
}

impl From<vision::VisionError> for RunStopError {
    fn from(error: vision::VisionError) -> Self {
        Self::ServerFailure(error.into())
    }
}

impl From<FaceIndexError> for RunStopError {
    fn from(error: FaceIndexError) -> Self {
        Self::ServerFailure(error.into())
    }
}

/// A run that was begun.
#[derive(Debug)]
struct ModerationRun {
    context: NotificationContext,
    known_profiles: KnownProfiles,
    lease: Lease,
    began_at: Timestamp,
    /// Where it began, seconds into the content.
    start_position: f64,
}

impl ModerationRun {
    fn parameters(&self) -> &ModerationParameters {
        &self.context.parameters
    }

    fn id(&self) -> ModerationId {
        self.context.moderation
    }
}

/// What a run has to say at once.
#[derive(Debug, Default)]
struct RunEffects {
    faces: Vec<JudgedFace>,
    notifications: Vec<NotificationDraft>,
    /// How the moderation ends, where it does.
    final_state: Option<(ModerationState, Option<(String, String)>)>,
}

impl RunEffects {
    fn ending(state: ModerationState) -> Self {
        Self { final_state: Some((state, None)), ..Self::default() }
    }

    fn is_empty(&self) -> bool {
        self.faces.is_empty() && self.notifications.is_empty() && self.final_state.is_none()
    }
}

/// An appearance that was judged.
#[derive(Debug)]
struct JudgedFace {
    id: ModerationFindingId,
    track: u64,
    frame_time: f64,
    edges: [i64; 4],
    verdict: FaceVerdict,
    embedding: Vec<f32>,
}

impl JudgedFace {
    /// What is told of it for one reason.
    fn draft_notification(&self, reason: NotificationReason, observed_at: Timestamp) -> NotificationDraft {
        NotificationDraft {
            deduplication_key: format!("{} {reason}", self.track),
            reason,
            observed_at,
            face: Some(FaceSighting {
                finding: self.id,
                frame_time: self.frame_time,
                edges: self.edges,
                age_group: self.verdict.age_group,
                profile: self.verdict.profile,
            }),
        }
    }
}

#[derive(FromRow)]
struct RunRow {
    account_id: AccountId,
    app_id: AppId,
    content_id: ContentId,
    #[sqlx(try_from = "String")]
    content_type: ContentType,
    url: String,
    wanted: Json<ModerationParameters>,
    destinations: Vec<u8>,
    #[sqlx(try_from = "String")]
    state: ModerationState,
    checkpoint: Option<Vec<u8>>,
    started_at: Option<db::DbTimestamp>,
}

#[derive(FromRow)]
struct RunStateRow {
    #[sqlx(try_from = "String")]
    state: ModerationState,
}

impl ContentModerationService {
    /// Runs a moderation, or goes on with it.
    pub async fn run(&self, id: ModerationId, lease: Lease) -> Result<JobOutcome, JobError> {
        let lease_kept = lease.clone();
        let begun = match self.begin(id, lease).await {
            Ok(begun) => begun,
            Err(RunStopError::ServerFailure(failure)) => return Err(failure),
            Err(_) => return Ok(JobOutcome::Done),
        };
        let (task, mut seen) = begun;
        let ran = match task.context.content_type {
            ContentType::Image => self.run_image(&task).await,
            ContentType::Video => self.run_video(&task, &mut seen).await,
            ContentType::LiveVideo => self.run_live_video(&task, &mut seen).await,
        };
        let Err(halt) = ran else { return Ok(JobOutcome::Done) };
        match self.handle_stop(&task, seen, halt).await {
            Ok(outcome) => Ok(outcome),
            Err(RunStopError::ServerFailure(failure)) => {
                // The last attempt tells the caller, beside the operator.
                if lease_kept.attempts >= CONTENT_RETRY.attempts() {
                    let words = "this server could not look at the content; its operator can tell more";
                    let error = Some(("INTERNAL_ERROR".to_owned(), words.to_owned()));
                    let effects = RunEffects {
                        final_state: Some((ModerationState::Failed, error)),
                        ..RunEffects::default()
                    };
                    tracing::error!(error = failure.error, "a moderation failed");
                    if self.commit_effects(&task, None, effects).await.is_ok() {
                        return Ok(JobOutcome::Done);
                    }
                }
                Err(failure)
            }
            Err(_) => Ok(JobOutcome::Done),
        }
    }

    /// Ends a run that does not go on, or says when it does.
    async fn handle_stop(
        &self,
        task: &ModerationRun,
        mut seen: FaceTracks,
        halt: RunStopError,
    ) -> Result<JobOutcome, RunStopError> {
        let now = self.0.world.now();
        match halt {
            RunStopError::LeaseLost | RunStopError::ServerFailure(_) => Err(halt),
            RunStopError::Handover => {
                self.commit_effects(task, Some(&seen), RunEffects::default()).await?;
                Ok(JobOutcome::Again(now))
            }
            RunStopError::StopRequested => {
                let mut effects = self.close_tracks(task, &mut seen).await?;
                effects.final_state = Some((ModerationState::Stopped, None));
                self.commit_effects(task, None, effects).await?;
                Ok(JobOutcome::Done)
            }
            RunStopError::ContentUnavailable(error) => {
                let patient = error.is_transient() && task.lease.attempts < CONTENT_RETRY.attempts();
                if patient && task.context.content_type != ContentType::LiveVideo {
                    self.commit_effects(task, Some(&seen), RunEffects::default()).await?;
                    return Err(RunStopError::ServerFailure(error.into()));
                }
                // What was seen up to there was seen.
                let mut effects = self.close_tracks(task, &mut seen).await?;
                effects.final_state =
                    Some((ModerationState::Failed, Some((error.code().to_owned(), error.to_string()))));
                self.commit_effects(task, None, effects).await?;
                Ok(JobOutcome::Done)
            }
        }
    }

    /// What is still to be said when a run ends: every open appearance, and of a live video that it is no longer watched.
    async fn close_tracks(
        &self,
        task: &ModerationRun,
        seen: &mut FaceTracks,
    ) -> Result<RunEffects, RunStopError> {
        let mut effects = RunEffects::default();
        let ended = seen.tracker.finish();
        self.judge_ended(task, seen, ended, &mut effects).await?;
        if seen.started {
            effects.notifications.push(self.draft_action(NotificationReason::Stopped));
        }
        Ok(effects)
    }

    /// News of what is done, and not of a face.
    fn draft_action(&self, reason: NotificationReason) -> NotificationDraft {
        NotificationDraft {
            deduplication_key: reason.to_string(),
            reason,
            observed_at: self.0.world.now(),
            face: None,
        }
    }

    async fn begin(
        &self,
        id: ModerationId,
        lease: Lease,
    ) -> Result<(ModerationRun, FaceTracks), RunStopError> {
        let now = self.0.world.now();
        let mut tx = self.0.db.write().await?;
        lease.lock(&mut tx).await?;
        tx.execute(sql!(
            "UPDATE moderations SET state = 'RUNNING', started_at = coalesce(started_at, $2)
              WHERE id = $1 AND state IN ('QUEUED', 'RUNNING')",
            id,
            now,
        ))
        .await?;
        let row: Option<RunRow> = tx
            .fetch_optional(sql!(
                "SELECT m.account_id, a.app_id, m.content_id, m.content_type, m.url, m.wanted, m.destinations, m.state,
                        m.checkpoint, m.started_at
                   FROM moderations m JOIN accounts a ON a.id = m.account_id
                  WHERE m.id = $1 AND m.state IN ('RUNNING', 'STOPPING')",
                id,
            ))
            .await?;
        let Some(row) = row else {
            lease.finish(&mut tx).await?;
            tx.commit().await?;
            return Err(RunStopError::LeaseLost);
        };
        JobIds { app: Some(row.app_id), content: Some(row.content_id), ..JobIds::default() }.record();
        let wanted = row.wanted.0;
        let attached = crate::content::profiles(&mut tx, row.account_id, row.content_id).await?;
        let of_groups = self.0.faces.group_members(&mut tx, row.account_id, &wanted.groups).await?;
        tx.commit().await?;

        let known = KnownProfiles::of(wanted.profiles.iter().copied().chain(attached).chain(of_groups));
        let seen = match row.checkpoint {
            Some(sealed) => self.open_checkpoint(id, &sealed),
            None => None,
        };
        let telling = NotificationContext {
            app: row.app_id,
            account: row.account_id,
            moderation: id,
            content: row.content_id,
            content_type: row.content_type,
            url: row.url,
            destinations: self.open_destinations(id, &row.destinations),
            parameters: wanted,
        };
        let began = row.started_at.map_or(now, |at| at.0);
        let mut seen = seen.unwrap_or_default();
        let task = ModerationRun {
            context: telling,
            known_profiles: known,
            lease,
            began_at: began,
            start_position: seen.time,
        };
        if row.state == ModerationState::Stopping {
            let mut effects = self.close_tracks(&task, &mut seen).await?;
            effects.final_state = Some((ModerationState::Stopped, None));
            self.commit_effects(&task, None, effects).await?;
            return Err(RunStopError::LeaseLost);
        }
        Ok((task, seen))
    }

    /// Refuses to go on where somebody asked for a stop.
    async fn check_stop_requested(&self, task: &ModerationRun) -> Result<(), RunStopError> {
        if task.lease.is_stopping() {
            return Err(RunStopError::Handover);
        }
        let mut view = self.0.db.read().await?;
        let row: Option<RunStateRow> =
            view.fetch_optional(sql!("SELECT state FROM moderations WHERE id = $1", task.id())).await?;
        match row.map(|row| row.state) {
            Some(ModerationState::Running) => Ok(()),
            Some(ModerationState::Stopping) => Err(RunStopError::StopRequested),
            _ => Err(RunStopError::LeaseLost),
        }
    }

    /// Says everything at once: what was found, whom that is told, how far the run is (where `seen` is given), and that it
    /// ended.
    async fn commit_effects(
        &self,
        task: &ModerationRun,
        seen: Option<&FaceTracks>,
        effects: RunEffects,
    ) -> Result<(), RunStopError> {
        let now = self.0.world.now();
        let mut tx = self.0.db.write().await?;
        if !accounts::lock_shared(&mut tx, task.context.account).await? {
            return Err(RunStopError::LeaseLost);
        }
        if effects.final_state.is_some() {
            task.lease.finish(&mut tx).await?;
        } else if seen.is_some_and(|seen| seen.time > task.start_position) {
            task.lease.record_progress(&mut tx).await?;
        } else {
            task.lease.lock(&mut tx).await?;
        }
        for found in &effects.faces {
            self.save_finding(&mut tx, task, found).await?;
        }
        for news in &effects.notifications {
            self.notify(&mut tx, &task.context, news).await?;
        }
        let checkpoint = seen.map(|seen| {
            let plain = serde_json::to_vec(seen).expect("a checkpoint of our own is JSON");
            self.seal(&aad("checkpoint", task.id()), &plain)
        });
        if let Some(seen) = seen {
            tx.execute(sql!(
                "UPDATE moderations SET checkpoint = $2, position = $3 WHERE id = $1",
                task.id(),
                checkpoint,
                seen.time,
            ))
            .await?;
        }
        if let Some((state, error)) = effects.final_state {
            let (code, words) = error.unzip();
            tx.execute(sql!(
                "UPDATE moderations SET state = $2, error_code = $3, error = $4, ended_at = $5, checkpoint = NULL
                  WHERE id = $1",
                task.id(),
                state,
                code,
                words,
                now,
            ))
            .await?;
            metrics::counter!("assay_moderations_total", "type" => task.context.content_type.as_str(), "state" => state.as_str())
                .increment(1);
        }
        tx.commit().await?;
        Ok(())
    }

    async fn save_finding(
        &self,
        tx: &mut WriteTx,
        task: &ModerationRun,
        found: &JudgedFace,
    ) -> Result<(), DbError> {
        let [top, right, bottom, left] = found.edges;
        let embedding: Vec<u8> = found.embedding.iter().flat_map(|value| value.to_le_bytes()).collect();
        let profile: Option<ProfileId> = found.verdict.profile;
        tx.execute(sql!(
            "INSERT INTO findings (id, account_id, moderation_id, track, frame_time, profile_id, is_banned, age_group,
                                   face_top, face_right, face_bottom, face_left, embedding)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
             ON CONFLICT (moderation_id, track) DO UPDATE
                SET frame_time = excluded.frame_time, profile_id = excluded.profile_id,
                    is_banned = excluded.is_banned, age_group = excluded.age_group, face_top = excluded.face_top,
                    face_right = excluded.face_right, face_bottom = excluded.face_bottom,
                    face_left = excluded.face_left, embedding = excluded.embedding",
            found.id,
            task.context.account,
            task.id(),
            found.track as i64,
            found.frame_time,
            profile,
            found.verdict.is_banned,
            found.verdict.age_group,
            top,
            right,
            bottom,
            left,
            self.seal(&finding_aad(found.id), &embedding),
        ))
        .await
        .map(drop)
    }

    /// The embedding of a finding; nothing where it was sealed under another master key.
    pub(super) fn open_embedding(&self, id: ModerationFindingId, sealed: &[u8]) -> Option<Vec<f32>> {
        let plain = self.0.vault.open(&finding_aad(id), sealed).ok()?;
        let values = plain.chunks_exact(4);
        Some(values.filter_map(|bytes| bytes.try_into().ok()).map(f32::from_le_bytes).collect())
    }

    /// A checkpoint; a run whose checkpoint another build wrote, or another key sealed, begins anew, and repeats no
    /// notification either way.
    fn open_checkpoint(&self, id: ModerationId, sealed: &[u8]) -> Option<FaceTracks> {
        let plain = self.0.vault.open(&aad("checkpoint", id), sealed).ok()?;
        serde_json::from_slice(&plain).ok()
    }
}

fn finding_aad(id: ModerationFindingId) -> Vec<u8> {
    format!("finding {id}").into_bytes()
}
