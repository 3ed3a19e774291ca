//! Moderations: checks of a content's faces, what they find, and whom that is told (docs/adr/0007-content-moderation.md).
//!
//! [`start`] writes a moderation and its job in one transaction; [`run`] does the work; [`notify`] tells. Lists of
//! notifications are in [`notification_lists`], what members say of them in [`reviews`], everything that reads in [`queries`].

mod erasure;
mod notification_lists;
mod notifications;
mod queries;
pub mod reviews;
mod run;
mod start;

pub(crate) use erasure::{delete_account_rows, orphaned_rows};
pub use notification_lists::NotificationPage;
pub use notifications::{ModerationNotification, NotificationType, find as find_notification};
pub use queries::{
    FaceFinding, ModerationOverview, ModerationProgress, ModerationReport, ModerationSummary, PersonSummary,
};
pub use run::{RunModeration, WatchLiveVideo};
pub use start::{ModerationInput, ModerationRequest, ModerationStartError};

use crate::{
    delivery::Outbox, faces::FaceIndexService, image_analysis::ImageAnalyser, vault::Vault,
    wire_enum::wire_enum,
};
use base::{Environment, GroupId, MemberId, ModerationCheckId, ModerationId, ProfileId};
use db::{Db, DbError, sql};
use jobs::Worker;
use media::video::ContentLoader;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

wire_enum! {
    /// How far a moderation is.
    pub enum ModerationState {
        /// It waits for a worker.
        Queued => "QUEUED",
        /// Its content is being looked at.
        Running => "RUNNING",
        /// It was told to stop.
        Stopping => "STOPPING",
        /// The content was looked at to its end.
        Done => "DONE",
        /// It stopped because it was told to.
        Stopped => "STOPPED",
        /// It could not go on; its error says why.
        Failed => "FAILED",
    }
}

wire_enum! {
    /// What is checked.
    pub enum ModerationCheckType {
        /// Faces that nobody knows.
        UnknownFace => "UNKNOWN_FACE",
        /// How old they look.
        AgeEstimation => "AGE_ESTIMATION",
        /// Faces of banned profiles.
        BannedProfile => "BANNED_PROFILE",
        /// Faces of certain profiles.
        KnownFace => "KNOWN_FACE",
    }
}

wire_enum! {
    /// Why somebody is told.
    pub enum NotificationReason {
        /// A banned profile was seen.
        BannedProfile => "BANNED_PROFILE",
        /// An unknown face looks younger than asked.
        AgeEstimation => "AGE_ESTIMATION",
        /// A face that nobody knows was seen.
        UnknownFace => "UNKNOWN_FACE",
        /// A live video is being watched from now on.
        Started => "STARTED",
        /// It is no more.
        Stopped => "STOPPED",
    }
}

wire_enum! {
    /// How old a face looks (docs/adr/0007-content-moderation.md).
    pub enum AgeGroup {
        /// As old as was asked, where nothing else was.
        ThresholdMet => "threshold_met",
        /// A known adult.
        NotRequired => "not_required",
        /// No estimate was possible.
        Unknown => "unknown",
        /// Under 13.
        Child => "child",
        /// 13 to 15.
        TeenagerYoung => "teenager_young",
        /// 16 and 17.
        TeenagerOld => "teenager_old",
        /// 18 to 24.
        AdultYoung => "adult_young",
        /// 25 and over.
        Adult => "adult",
    }
}

impl AgeGroup {
    /// The group of an estimate in years.
    pub fn of(years: f32) -> Self {
        match years {
            _ if years < 13.0 => Self::Child,
            _ if years < 16.0 => Self::TeenagerYoung,
            _ if years < 18.0 => Self::TeenagerOld,
            _ if years < 25.0 => Self::AdultYoung,
            _ => Self::Adult,
        }
    }
}

/// A check and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModerationCheck {
    /// Its id.
    pub id: ModerationCheckId,
    /// What is checked.
    pub check_type: ModerationCheckType,
}

/// What a moderation was asked for. Kept as JSON: add members with defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModerationParameters {
    /// The checks.
    pub checks: Vec<ModerationCheck>,
    /// The age that unknown faces must look, years.
    pub age: Option<u8>,
    /// Whether unknown faces are told.
    pub unknown_faces: bool,
    /// Who is known, where that is not everybody.
    pub profiles: Vec<ProfileId>,
    /// Groups of them.
    pub groups: Vec<GroupId>,
    /// In whose inbox notifications go.
    pub member: Option<MemberId>,
}

/// Where notifications go, beside a member's inbox. Kept sealed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotificationDestinations {
    /// Servers of the application's own, https.
    pub web: Vec<String>,
    /// Incoming webhooks of Slack.
    pub slack: Vec<String>,
}

/// How content is moderated; the section `[moderation]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContentModerationSettings {
    /// Where the console is reached, without a trailing slash; no setting of this section.
    #[serde(skip)]
    pub public_url: String,
    /// Accounts that one application may have.
    #[serde(rename = "accounts")]
    pub max_accounts: i64,
    /// Frames of a video that are analysed for each second of it, 0.1 to 30.
    #[serde(rename = "samples_per_second", deserialize_with = "frames_per_second")]
    pub frames_per_second: f64,
    /// The height of the smallest face that is looked for in a frame, pixels, at least 10.
    #[serde(rename = "smallest_face", deserialize_with = "min_face_pixels")]
    pub min_face_pixels: f32,
    /// How long a live stream may be interrupted before its moderation fails, seconds.
    #[serde(rename = "outage_seconds")]
    pub max_outage_seconds: u32,
    /// How long an appearance in a live stream is watched before it is judged, seconds.
    #[serde(deserialize_with = "settle_seconds")]
    pub settle_seconds: f64,
    /// Images and stored videos that one process moderates at once. `None`: two for each core.
    #[serde(rename = "at_once")]
    pub max_concurrent_runs: Option<usize>,
    /// Live streams that one process watches at once, at least 1.
    #[serde(rename = "live_at_once", deserialize_with = "base::settings::at_least_one")]
    pub max_concurrent_live_runs: usize,
    /// Frames of one moderation that are analysed in parallel; no setting of this section.
    #[serde(skip)]
    pub parallel_frames: usize,
}

fn frames_per_second<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    f64::deserialize(from).map(|rate| rate.clamp(0.1, 30.0))
}

fn min_face_pixels<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    f32::deserialize(from).map(|pixels| pixels.max(10.0))
}

fn settle_seconds<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    f64::deserialize(from).map(|seconds| seconds.max(0.0))
}

impl Default for ContentModerationSettings {
    fn default() -> Self {
        Self {
            public_url: "http://127.0.0.1:8080".to_owned(),
            max_accounts: 100,
            frames_per_second: 2.0,
            min_face_pixels: 40.0,
            max_outage_seconds: 300,
            settle_seconds: 2.0,
            max_concurrent_runs: None,
            max_concurrent_live_runs: 16,
            parallel_frames: 2,
        }
    }
}

/// Moderates; cheap to clone.
#[derive(Clone, Debug)]
pub struct ContentModerationService(Arc<ContentModerationInner>);

#[derive(Debug)]
struct ContentModerationInner {
    db: Db,
    world: Arc<dyn Environment>,
    vault: Vault,
    outbox: Outbox,
    faces: FaceIndexService,
    videos: ContentLoader,
    estimator: ImageAnalyser,
    settings: ContentModerationSettings,
    webhooks: Arc<dyn ModerationWebhookFormat>,
}

/// How notifications look to those who are told of them; the interface says so.
pub trait ModerationWebhookFormat: std::fmt::Debug + Send + Sync {
    /// The body for a server of the application's own, JSON.
    fn notification(&self, notification: &ModerationNotification) -> String;

    /// The body for an incoming webhook of Slack, JSON; `link` leads to the notification in the console.
    fn slack_message(&self, notification: &ModerationNotification, link: &str) -> String;
}

impl ContentModerationService {
    /// A moderator that uses these parts.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a part of the house, named where it is handed over"
    )]
    pub fn new(
        db: Db,
        world: Arc<dyn Environment>,
        vault: Vault,
        outbox: Outbox,
        faces: FaceIndexService,
        videos: ContentLoader,
        estimator: ImageAnalyser,
        settings: ContentModerationSettings,
        webhooks: Arc<dyn ModerationWebhookFormat>,
    ) -> Self {
        Self(Arc::new(ContentModerationInner {
            db,
            world,
            vault,
            outbox,
            faces,
            videos,
            estimator,
            settings,
            webhooks,
        }))
    }

    /// Where messages go through.
    pub fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    /// Who is known.
    pub fn faces(&self) -> &FaceIndexService {
        &self.0.faces
    }

    /// A worker that knows the jobs of moderations, too.
    #[must_use]
    pub fn handle(&self, worker: Worker) -> Worker {
        let (running, watching) = (self.clone(), self.clone());
        worker
            .register(move |job: RunModeration, lease| {
                let moderations = running.clone();
                async move { moderations.run(job.moderation, lease).await }
            })
            .register(move |job: WatchLiveVideo, lease| {
                let moderations = watching.clone();
                async move { moderations.run(job.moderation, lease).await }
            })
    }

    fn seal(&self, place: &[u8], plain: &[u8]) -> Vec<u8> {
        self.0.vault.seal(&*self.0.world, place, plain)
    }
}

/// Ends moderations whose job was parked, because the process died with it again and again; how many.
pub async fn fail_dead_lettered(db: &Db, world: &dyn Environment) -> Result<u64, DbError> {
    let mut tx = db.write().await?;
    let rows = tx
        .execute(sql!(
            "UPDATE moderations SET state = 'FAILED', error_code = 'GIVEN_UP', ended_at = $1, checkpoint = NULL,
                    error = 'the server broke down while it looked at this content, again and again; its operator can tell more'
              WHERE state IN ('QUEUED', 'RUNNING', 'STOPPING')
                AND job_id IN (SELECT id FROM jobs WHERE state = 'PARKED')",
            world.now(),
        ))
        .await?;
    tx.commit().await?;
    Ok(rows)
}

/// Where a moderation's sealed columns belong.
fn aad(what: &str, id: ModerationId) -> Vec<u8> {
    format!("moderation {id} {what}").into_bytes()
}
