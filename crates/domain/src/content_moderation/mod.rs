//! Content moderation: checks of the faces in contents, what they find, and who is notified
//! (docs/adr/0007-content-moderation.md).
//!
//! - `contents`: the contents that are moderated, and people's reports on them
//! - `input`, `start`: what a moderation is asked to do, and the transaction that writes it together with its job
//! - `run`: the job; it fetches the content, follows and judges faces, and goes on from its checkpoint after a crash
//! - `ending`: how moderations end, and what is told of those that wait
//! - `notifications`, `notification_lists`, `reviews`: what is reported to whom, in which order, and what they say to it
//! - `kept_findings`, `finding_search`, `ban_sweeper`: findings whose embeddings are kept; where somebody was seen; who is told
//!   of somebody who was banned afterwards
//! - `statement_of_reasons`: what a platform tells the author of a content, as European law asks for it
//! - `queries`: everything that only reads moderations
//! - `types`, `sealed_columns`: vocabulary, and encryption of columns
//! - `deletion`, `erasure`: deletion of moderations, contents and embeddings; deletion with the account
//! - `service`: [`ContentModerationService`], which gives each of these what it needs

mod ban_sweeper;
pub mod contents;
mod deletion;
mod ending;
mod erasure;
mod finding_details;
mod finding_pictures;
mod finding_search;
mod input;
mod kept_findings;
mod notification_lists;
mod notifications;
mod queries;
pub mod reviews;
mod run;
mod sealed_columns;
mod service;
mod start;
mod statement_of_reasons;
mod types;

pub use contents::uploads::SweepContentUploads;
pub use deletion::purge_embeddings;
pub use ending::SweepModerations;
pub(crate) use erasure::ModerationTables;
pub use finding_details::{FindingDetails, FindingHistory};
pub use finding_pictures::{
    FACE_PICTURE, FRAME_PICTURE, FindingPicture, FindingPictureError, SweepFindingPictures,
};
pub use finding_search::{
    FindingMatch, FindingMatches, FindingSearch, FindingSearchError, MAX_COMPARED_FINDINGS, SearchedPerson,
};
pub use input::{ModerationInput, ModerationRequest};
pub use notification_lists::{NotificationFilter, NotificationPage};
pub use notifications::{
    ModerationNotification, ModerationWebhookFormat, NotificationType, find as find_notification,
};
pub use queries::{
    FaceFinding, ModerationFilter, ModerationOverview, ModerationProgress, ModerationReport,
    ModerationSummary, PersonSummary, REPORT_FINDINGS_PER_PAGE,
};
pub use run::{
    FrameFacesError, RunModeration, VideoAppearance, VideoAppearances, WatchLiveVideo, find_appearances,
};
pub use service::ContentModerationService;
pub use start::{ModerationStartError, PreparedModeration};
pub use statement_of_reasons::{
    AutomatedDecision, DecisionAccount, DecisionGround, DecisionMonetary, DecisionProvision,
    DecisionVisibility, StatementContentType, StatementDecision, StatementOfReasons, StatementSource,
    YesOrNo,
};
pub use types::{
    AgeGroup, FaceMeasurements, ModerationCheck, ModerationCheckType, ModerationParameters, ModerationState,
    NotificationDestinations, NotificationReason,
};

use base::SignedDuration;

/// How content is moderated; the section `[moderation]`.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
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
    #[serde(rename = "outage_seconds", deserialize_with = "base::settings::number_of_seconds")]
    pub max_outage_seconds: u32,
    /// How long an appearance in a live stream is watched before it is judged, seconds.
    #[serde(deserialize_with = "base::settings::fractional_seconds")]
    pub settle_seconds: f64,
    /// Images and stored videos that one process moderates at once. `None`: two for each core.
    #[serde(rename = "at_once")]
    pub max_concurrent_runs: Option<usize>,
    /// Live streams that one process watches at once, 1 to a million.
    #[serde(rename = "live_at_once", deserialize_with = "base::settings::number_at_once")]
    pub max_concurrent_live_runs: usize,
    /// Frames of one moderation that are analysed in parallel; no setting of this section.
    #[serde(skip)]
    pub parallel_frames: usize,
    /// Which frames of a stored video are looked at.
    pub looks: VideoLooks,
    /// The least and the greatest similarity, 0 to 1, that a moderation may demand of a face and a profile.
    #[serde(deserialize_with = "share")]
    pub least_similarity: f64,
    #[serde(deserialize_with = "share")]
    pub greatest_similarity: f64,
    /// How long the embeddings of faces that were found are kept after a moderation has ended; written in days. With 0
    /// none is ever stored: a dismissed face then teaches nothing.
    #[serde(rename = "keep_embeddings_days", with = "base::settings::days")]
    pub embedding_retention: SignedDuration,
    /// How long pictures of what was found are kept for reviewers; written in days. With 0 none is taken.
    #[serde(rename = "keep_pictures_days", with = "base::settings::days")]
    pub picture_retention: SignedDuration,
}

/// Which frames of a stored video are searched for faces. Of a live video, every one is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VideoLooks {
    /// Those that show something new, and at least one of each second.
    #[default]
    Adaptive,
    /// Every one.
    Full,
}

fn frames_per_second<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    <f64 as serde::Deserialize>::deserialize(from).map(|rate| rate.clamp(0.1, 30.0))
}

fn share<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    <f64 as serde::Deserialize>::deserialize(from).map(|share| share.clamp(0.0, 1.0))
}

fn min_face_pixels<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    <f32 as serde::Deserialize>::deserialize(from).map(|pixels| pixels.max(10.0))
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
            looks: VideoLooks::Adaptive,
            least_similarity: 0.5,
            greatest_similarity: 0.95,
            embedding_retention: SignedDuration::from_hours(24 * 30),
            picture_retention: SignedDuration::from_hours(24 * 30),
        }
    }
}
