//! The run of a moderation: a job that processes a content, judges each appearance of a face once, and goes on from its
//! checkpoint after an interruption.
//!
//! - this file: the jobs, how a run begins and how it stops
//! - `image`, `video`, `live`: the three kinds of content
//! - `shown_pictures`: the pictures of a video for as long as each is shown
//! - `frame_faces`, `adaptive_looks`: the faces in each picture of a video, and which pictures are looked at for them
//! - `face_tracks`: the faces in moving pictures, followed from picture to picture; the checkpoint
//! - `appearances`: what a run would judge in a stored video, without judging it
//! - `decision`: what an appearance of a face means
//! - `effects`, `finding_writer`: what a run writes, always in one transaction that also holds the job's lease, so that it
//!   counts once or not at all

mod adaptive_looks;
mod appearances;
mod decision;
mod effects;
mod face_tracks;
mod finding_writer;
mod frame_faces;
mod image;
mod live;
mod shown_pictures;
mod video;

use super::{
    ContentModerationSettings, ModerationParameters, ModerationState, NotificationReason,
    contents::{self, ContentType, uploads::ContentUploads},
    ending::{ModerationEnder, ModerationOutcome, NotificationContextRow},
    finding_pictures::FindingPictureStore,
    notifications::{self, NotificationContext, NotificationDraft},
    sealed_columns::SealedColumns,
};
use crate::{
    faces::{CandidateQuery, FaceIndexError, FaceIndexService, ProfileCandidate},
    image_analysis::{AnalysisError, ImageAnalyser, MODELS_RETRY_WAIT},
};
use base::{AccountId, Environment, ModerationId, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, FromRow, Json, ReadTx, WriteTx, sql};
use decision::KnownProfiles;
use effects::RunEffects;
use face_tracks::{FaceTracks, MAX_CANDIDATES, MIN_CLEAR_QUALITY, UNCLEAR_DISTANCE_FACTOR};
use jobs::{Job, JobError, JobIds, JobOutcome, Lane, Lease, LeaseError, NewJob, RetryPolicy};
use media::video::{ContentLoader, ContentSource, VideoError};
use serde::{Deserialize, Serialize};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{sync::Mutex, time::Instant};
use vision::track::TrackId;

pub use appearances::{VideoAppearance, VideoAppearances, find_appearances};
pub use frame_faces::FrameFacesError;

/// A content that cannot be fetched now may be available soon; after these attempts its moderation fails.
const CONTENT_RETRY: RetryPolicy = RetryPolicy { waits: &[5, 30, 120], jitter: 0.2 };

/// The wait before a run goes on from its checkpoint after it got further and then failed, seconds.
const RESUME_SECONDS: i64 = 5;

/// The shortest run of a live video that got further: what it counts in is time, which passes whatever fails.
const MIN_LIVE_PROGRESS: SignedDuration = SignedDuration::from_mins(10);

/// How old what is known of profiles may be when faces of a live video are judged.
const KNOWN_PROFILES_AGE: Duration = Duration::from_secs(10);

/// What whoever started a moderation is told of a failure whose cause is for the operator.
const SERVER_FAILURE_WORDS: &str = "this server could not process the content; its operator can tell more";

/// Processes an image or a video.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RunModeration {
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
    /// Queues the job for a type of content; returns the job's id.
    pub(super) async fn enqueue(
        tx: &mut WriteTx,
        environment: &dyn Environment,
        account: AccountId,
        moderation: ModerationId,
        content_type: ContentType,
    ) -> Result<Uuid, DbError> {
        async fn queue<J: Job>(tx: &mut WriteTx, job: NewJob<'_, J>) -> Result<Uuid, DbError> {
            let id = job.id();
            jobs::enqueue(tx, job).await?;
            Ok(id)
        }
        match content_type {
            ContentType::Image | ContentType::Video => {
                queue(tx, NewJob::new(environment, &Self { moderation }).of_account(account)).await
            }
            ContentType::LiveVideo => {
                queue(tx, NewJob::new(environment, &WatchLiveVideo { moderation }).of_account(account)).await
            }
        }
    }
}

/// Why a run does not go on to the end of its content.
#[derive(Debug)]
enum RunStopError {
    /// Another worker has the job, or the account is being deleted: nothing of this run counts any more.
    LeaseLost,
    /// The moderation has ended.
    AlreadyEnded,
    /// Somebody stopped the moderation.
    StopRequested,
    /// This worker is shutting down; another one goes on.
    Handover,
    /// The content cannot be fetched or decoded.
    ContentUnavailable(VideoError),
    /// This server failed.
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

impl From<FrameFacesError> for RunStopError {
    fn from(error: FrameFacesError) -> Self {
        match error {
            FrameFacesError::Video(error) => error.into(),
            FrameFacesError::Analysis(error) => error.into(),
            FrameFacesError::Vision(error) => error.into(),
        }
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

/// Runs moderations.
#[derive(Debug)]
pub(super) struct ModerationRunner {
    pub(super) db: Db,
    pub(super) environment: Arc<dyn Environment>,
    pub(super) sealed_columns: SealedColumns,
    pub(super) faces: FaceIndexService,
    pub(super) uploads: ContentUploads,
    pub(super) videos: ContentLoader,
    pub(super) analyser: ImageAnalyser,
    pub(super) ender: ModerationEnder,
    pub(super) pictures: FindingPictureStore,
    pub(super) settings: ContentModerationSettings,
}

/// The greatest distance at which a face of this quality, 0 to 1, matches another one where a clear one does up to `limit`.
/// Unclear faces of different people look alike, so they must be nearer.
pub(super) fn distance_limit(limit: f32, quality: f32) -> f32 {
    if quality < MIN_CLEAR_QUALITY { limit * UNCLEAR_DISTANCE_FACTOR } else { limit }
}

/// By what faces are matched.
#[derive(Clone, Debug)]
struct FaceMatching {
    /// The greatest distance at which a clear face matches a profile.
    max_distance: f32,
    /// SHA-256 of the model that computes embeddings, hexadecimal.
    model: String,
}

/// One run of one moderation.
#[derive(Debug)]
struct ModerationRun {
    runner: Arc<ModerationRunner>,
    context: NotificationContext,
    /// The profiles that count as known, and when that was read.
    known_profiles: Mutex<(Instant, KnownProfiles)>,
    matching: FaceMatching,
    /// For the work of the moderation's application.
    analyser: ImageAnalyser,
    lease: Lease,
    /// When the first run of the moderation began.
    began_at: Timestamp,
    /// When this run began.
    resumed_at: Timestamp,
    /// How much of the content earlier runs have processed, in seconds.
    start_position: f64,
    /// Whether a checkpoint beyond that was written.
    has_progressed: AtomicBool,
}

#[derive(FromRow)]
struct RunRow {
    #[sqlx(flatten)]
    context: NotificationContextRow,
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

impl ModerationRunner {
    /// Runs a moderation, from the beginning or from its checkpoint.
    pub(super) async fn run(
        self: &Arc<Self>,
        id: ModerationId,
        lease: Lease,
    ) -> Result<JobOutcome, JobError> {
        // Before the moderation is said to run: without models nothing of it can be tried.
        if let Err(FaceIndexError::NotReady(_)) = self.faces.model_digest().await {
            return Ok(JobOutcome::Again(self.environment.now() + MODELS_RETRY_WAIT));
        }
        let (run, mut tracks) = match self.begin(id, lease).await {
            Ok(begun) => begun,
            Err(RunStopError::ServerFailure(failure)) => return Err(failure),
            Err(_) => return Ok(JobOutcome::Done),
        };
        let Err(stop) = run.process(&mut tracks).await else { return Ok(JobOutcome::Done) };
        match run.handle_stop(tracks, stop).await {
            Ok(outcome) => Ok(outcome),
            Err(RunStopError::ServerFailure(failure)) => {
                if run.has_progressed() {
                    tracing::warn!(error = failure.error, "a moderation goes on from its checkpoint");
                    return Ok(run.resume_soon());
                }
                // The last attempt fails the moderation, so that the caller learns of it and not the operator alone.
                if run.lease.attempts >= CONTENT_RETRY.attempts() {
                    tracing::error!(error = failure.error, "a moderation failed");
                    if run.give_up().await.is_ok() {
                        return Ok(JobOutcome::Done);
                    }
                }
                Err(failure)
            }
            Err(_) => Ok(JobOutcome::Done),
        }
    }

    /// Sets the moderation to RUNNING and reads what it is to do, and its checkpoint. One that is to stop ends here.
    async fn begin(
        self: &Arc<Self>,
        id: ModerationId,
        lease: Lease,
    ) -> Result<(ModerationRun, FaceTracks), RunStopError> {
        let now = self.environment.now();
        let mut tx = self.db.write().await?;
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
            return Err(RunStopError::AlreadyEnded);
        };
        let context = row.context.open(id, &self.sealed_columns);
        JobIds { app: Some(context.app), content: Some(context.content), ..JobIds::default() }.record();
        let known_profiles = self.load_known_profiles(&mut tx, &context).await?;
        let mut tracks = self.open_tracks(&mut tx, &context, row.checkpoint).await?;
        tx.commit().await?;

        let matching = FaceMatching {
            max_distance: self.faces.max_distance(context.parameters.min_similarity).await?,
            model: self.faces.model_digest().await?,
        };
        let known_profiles = Mutex::new((Instant::now(), known_profiles));
        let began_at = row.started_at.map_or(now, |at| at.0);
        tracks.enter_space(&matching.model, context.content_type == ContentType::LiveVideo);
        let start_position = tracks.time;
        let run = ModerationRun {
            runner: self.clone(),
            analyser: self.analyser.for_application(context.app),
            context,
            known_profiles,
            matching,
            lease,
            began_at,
            resumed_at: now,
            start_position,
            has_progressed: AtomicBool::new(false),
        };
        if row.state == ModerationState::Stopping {
            let mut effects = run.close_tracks(&mut tracks).await?;
            effects.outcome = Some(ModerationOutcome::Stopped);
            run.commit_effects(None, effects).await?;
            return Err(RunStopError::AlreadyEnded);
        }
        Ok((run, tracks))
    }
}

impl ModerationRunner {
    /// What earlier runs know of the appearances, as their checkpoint has it. A live video that has none which can be read is
    /// not seen again from the beginning, so its appearances are numbered on.
    async fn open_tracks(
        &self,
        view: &mut ReadTx,
        context: &NotificationContext,
        checkpoint: Option<Vec<u8>>,
    ) -> Result<FaceTracks, DbError> {
        let id = context.moderation;
        if let Some(sealed) = checkpoint
            && let Some(tracks) = self.sealed_columns.open_checkpoint(view, id, &sealed).await?
        {
            return Ok(tracks);
        }
        if context.content_type != ContentType::LiveVideo {
            return Ok(FaceTracks::default());
        }
        let last = sql!("SELECT coalesce(max(track), 0) FROM findings WHERE moderation_id = $1", id);
        let last = view.count(last).await?;
        let started = notifications::has_told(view, id, NotificationReason::Started).await?;
        Ok(FaceTracks::after(TrackId(last.unsigned_abs()), started))
    }

    async fn load_known_profiles(
        &self,
        view: &mut ReadTx,
        context: &NotificationContext,
    ) -> Result<KnownProfiles, DbError> {
        let parameters = &context.parameters;
        let attached = contents::profiles(view, context.account, context.content).await?;
        let of_groups = self.faces.group_members(view, context.account, &parameters.groups).await?;
        let is_any_named = !parameters.profiles.is_empty()
            || !parameters.groups.is_empty()
            || !attached.is_empty()
            || is_named_profile_deleted(view, context.moderation).await?;
        let named = parameters.profiles.iter().copied().chain(attached).chain(of_groups);
        Ok(KnownProfiles::of(is_any_named, named))
    }
}

/// The end of a moderation whose content cannot be fetched or decoded.
fn content_failure(error: &VideoError) -> ModerationOutcome {
    let words = match error {
        VideoError::Failed(cause) => {
            tracing::error!(error = cause, "a moderation failed: the decoder could not be run");
            SERVER_FAILURE_WORDS.to_owned()
        }
        error => error.to_string(),
    };
    ModerationOutcome::failed(error.code(), words)
}

/// Whether a run that wrote a checkpoint beyond its start and lasted so long got further.
fn counts_as_progress(content: ContentType, lasted: SignedDuration) -> bool {
    content != ContentType::LiveVideo || lasted >= MIN_LIVE_PROGRESS
}

/// Whether somebody whom the content named was deleted. Asked once the content's profiles were read: a deletion may have taken
/// them out since the run began.
async fn is_named_profile_deleted(view: &mut ReadTx, id: ModerationId) -> Result<bool, DbError> {
    #[derive(FromRow)]
    struct ParametersRow {
        #[sqlx(rename = "wanted")]
        parameters: Json<ModerationParameters>,
    }
    let row: Option<ParametersRow> =
        view.fetch_optional(sql!("SELECT wanted FROM moderations WHERE id = $1", id)).await?;
    Ok(row.is_some_and(|row| row.parameters.0.named_profile_deleted))
}

impl ModerationRun {
    /// The profiles that count as known. A live video is watched for weeks, so they are read again now and then.
    async fn known_profiles(&self) -> Result<KnownProfiles, DbError> {
        let mut known = self.known_profiles.lock().await;
        if self.context.content_type == ContentType::LiveVideo && known.0.elapsed() >= KNOWN_PROFILES_AGE {
            let mut view = self.runner.db.read().await?;
            *known = (Instant::now(), self.runner.load_known_profiles(&mut view, &self.context).await?);
        }
        Ok(known.1.clone())
    }

    /// For each face, the profiles that it may be of, nearest first; whoever is banned or `known` is among them even where
    /// many others are nearer.
    async fn find_candidates(
        &self,
        embeddings: &[Vec<f32>],
        known: &KnownProfiles,
    ) -> Result<Vec<Vec<ProfileCandidate>>, FaceIndexError> {
        let query = CandidateQuery {
            max_distance: Some(self.matching.max_distance),
            content: Some(self.context.content),
            ..CandidateQuery::nearest(MAX_CANDIDATES)
        };
        let faces = &self.runner.faces;
        faces.find_candidates_and_banned(self.context.account, embeddings, &query, known.named()).await
    }

    /// The greatest distance at which a face of this quality, 0 to 1, matches a profile.
    fn max_distance(&self, quality: f32) -> f32 {
        distance_limit(self.matching.max_distance, quality)
    }

    fn parameters(&self) -> &ModerationParameters {
        &self.context.parameters
    }

    fn id(&self) -> ModerationId {
        self.context.moderation
    }

    /// Where the content's bytes are.
    async fn source(&self) -> Result<ContentSource, RunStopError> {
        let mut view = self.runner.db.read().await?;
        let (uploads, context) = (&self.runner.uploads, &self.context);
        let source = uploads.source(&mut view, context.account, (context.content, &context.location)).await?;
        Ok(source.ok_or(VideoError::StoredLost)?)
    }

    /// Processes the content, from where an earlier run came to.
    async fn process(&self, tracks: &mut FaceTracks) -> Result<(), RunStopError> {
        self.check_stop_requested().await?;
        match self.context.content_type {
            ContentType::Image => self.process_image().await,
            ContentType::Video => self.process_video(tracks).await,
            ContentType::LiveVideo => self.watch_live_video(tracks).await,
        }
    }

    /// Ends a run that stopped before the end of its content: with the moderation, or for another attempt.
    async fn handle_stop(
        &self,
        mut tracks: FaceTracks,
        stop: RunStopError,
    ) -> Result<JobOutcome, RunStopError> {
        let now = self.runner.environment.now();
        match stop {
            RunStopError::LeaseLost | RunStopError::AlreadyEnded | RunStopError::ServerFailure(_) => {
                Err(stop)
            }
            RunStopError::Handover => {
                self.commit_effects(Some(&tracks), RunEffects::default()).await?;
                Ok(JobOutcome::Again(now))
            }
            RunStopError::StopRequested => {
                let mut effects = self.close_tracks(&mut tracks).await?;
                effects.outcome = Some(ModerationOutcome::Stopped);
                self.commit_effects(Some(&tracks), effects).await?;
                Ok(JobOutcome::Done)
            }
            RunStopError::ContentUnavailable(error) => {
                if error.is_transient() && self.context.content_type != ContentType::LiveVideo {
                    let has_progressed = self.has_progressed() || tracks.time > self.start_position;
                    if has_progressed || self.lease.attempts < CONTENT_RETRY.attempts() {
                        self.commit_effects(Some(&tracks), RunEffects::default()).await?;
                        return Err(RunStopError::ServerFailure(error.into()));
                    }
                }
                // What was found before the content failed is reported.
                let mut effects = self.close_tracks(&mut tracks).await?;
                effects.outcome = Some(content_failure(&error));
                self.commit_effects(Some(&tracks), effects).await?;
                Ok(JobOutcome::Done)
            }
        }
    }

    /// Whether this run got further: a checkpoint beyond its start was written, and of a live video it lasted for a while.
    fn has_progressed(&self) -> bool {
        let lasted = self.runner.environment.now().duration_since(self.resumed_at);
        self.has_progressed.load(Ordering::Relaxed) && counts_as_progress(self.context.content_type, lasted)
    }

    /// The job runs again soon, and its attempts are counted from zero: each run that gets further has all of them.
    fn resume_soon(&self) -> JobOutcome {
        JobOutcome::Again(self.runner.environment.now() + SignedDuration::from_secs(RESUME_SECONDS))
    }

    /// Ends a moderation that this server fails to process. What was not written is taken up from the checkpoint; what cannot
    /// be judged is left out.
    async fn give_up(&self) -> Result<(), RunStopError> {
        let mut tracks = self.stored_tracks().await?;
        let mut effects = match self.close_tracks(&mut tracks).await {
            Ok(effects) => effects,
            Err(_) => RunEffects {
                notifications: self.draft_stopped(&tracks).into_iter().collect(),
                ..RunEffects::default()
            },
        };
        effects.outcome = Some(ModerationOutcome::failed("INTERNAL_ERROR", SERVER_FAILURE_WORDS));
        self.commit_effects(None, effects).await
    }

    /// What the checkpoint has that was written last.
    async fn stored_tracks(&self) -> Result<FaceTracks, RunStopError> {
        #[derive(FromRow)]
        struct CheckpointRow {
            checkpoint: Option<Vec<u8>>,
        }
        let mut view = self.runner.db.read().await?;
        let row: Option<CheckpointRow> =
            view.fetch_optional(sql!("SELECT checkpoint FROM moderations WHERE id = $1", self.id())).await?;
        let checkpoint = row.and_then(|row| row.checkpoint);
        let mut tracks = self.runner.open_tracks(&mut view, &self.context, checkpoint).await?;
        tracks.enter_space(&self.matching.model, self.context.content_type == ContentType::LiveVideo);
        Ok(tracks)
    }

    /// Ends a run that processed its content to the end.
    async fn finish(&self, tracks: &mut FaceTracks) -> Result<(), RunStopError> {
        let mut effects = self.close_tracks(tracks).await?;
        effects.outcome = Some(ModerationOutcome::Done);
        self.commit_effects(Some(tracks), effects).await
    }

    /// What is left to report when a run ends: every open appearance, and that a live video is not watched any more.
    async fn close_tracks(&self, tracks: &mut FaceTracks) -> Result<RunEffects, RunStopError> {
        let mut effects = RunEffects::default();
        let ended = tracks.tracker.finish();
        self.judge_ended(tracks, ended, &mut effects).await?;
        effects.notifications.extend(self.draft_stopped(tracks));
        Ok(effects)
    }

    /// What tells that a live video is not watched any more, if it was told that it is.
    fn draft_stopped(&self, tracks: &FaceTracks) -> Option<NotificationDraft> {
        tracks.started.then(|| self.runner.ender.draft_action(NotificationReason::Stopped))
    }

    /// Fails if the run must stop: the moderation was stopped, the worker is shutting down, or the account is deleted.
    async fn check_stop_requested(&self) -> Result<(), RunStopError> {
        if self.lease.is_stopping() {
            return Err(RunStopError::Handover);
        }
        if self.context.content_type != ContentType::LiveVideo {
            let taken = self.runner.environment.now().duration_since(self.began_at);
            self.runner.videos.ensure_in_time(taken.max(SignedDuration::ZERO).unsigned_abs())?;
        }
        let mut view = self.runner.db.read_once().await?;
        let row: Option<RunStateRow> =
            view.fetch_optional(sql!("SELECT state FROM moderations WHERE id = $1", self.id())).await?;
        match row.map(|row| row.state) {
            Some(ModerationState::Running) => Ok(()),
            Some(ModerationState::Stopping) => Err(RunStopError::StopRequested),
            _ => Err(RunStopError::LeaseLost),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They read it in the moderation, and their servers receive it.
    #[test]
    fn whoever_started_a_moderation_is_not_told_what_failed_inside() {
        let told = |error: VideoError| match content_failure(&error) {
            ModerationOutcome::Failed(failure) => (failure.code, failure.message),
            outcome => panic!("{outcome:?}"),
        };
        let failed = VideoError::Failed("/opt/assay/launcher: permission denied".to_owned());
        assert_eq!(told(failed), ("DECODER_FAILED".to_owned(), SERVER_FAILURE_WORDS.to_owned()));
        let stalled = VideoError::Stalled { seconds: 30 };
        assert_eq!(told(stalled.clone()), ("DECODER_STALLED".to_owned(), stalled.to_string()));
    }

    #[test]
    fn time_that_passes_is_no_progress_of_a_live_video() {
        let moment = SignedDuration::from_secs(6);
        assert!(counts_as_progress(ContentType::Video, moment), "its content got further");
        assert!(!counts_as_progress(ContentType::LiveVideo, moment));
        assert!(counts_as_progress(ContentType::LiveVideo, MIN_LIVE_PROGRESS));
    }
}
