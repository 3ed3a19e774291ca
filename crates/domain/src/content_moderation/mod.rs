//! Content moderation: checks of the faces in contents, what they find, and who is notified
//! (docs/adr/0007-content-moderation.md).
//!
//! - `contents`: the contents that are moderated, and people's reports on them
//! - `input`, `start`: what a moderation is asked to do, and the transaction that writes it together with its job
//! - `run`: the job; it fetches the content, follows and judges faces, and goes on from its checkpoint after a crash
//! - `notifications`, `notification_lists`, `reviews`: what is reported to whom, in which order, and what they say to it
//! - `queries`: everything that only reads moderations
//! - `types`, `sealed_columns`, `erasure`: vocabulary, encryption of columns, and deletion with the account
//! - `service`: [`ContentModerationService`], which gives each of these what it needs

pub mod contents;
mod erasure;
mod input;
mod notification_lists;
mod notifications;
mod queries;
pub mod reviews;
mod run;
mod sealed_columns;
mod service;
mod start;
mod types;

pub(crate) use erasure::ModerationTables;
pub use input::{ModerationInput, ModerationRequest};
pub use notification_lists::NotificationPage;
pub use notifications::{
    ModerationNotification, ModerationWebhookFormat, NotificationType, find as find_notification,
};
pub use queries::{
    FaceFinding, ModerationOverview, ModerationProgress, ModerationReport, ModerationSummary, PersonSummary,
};
pub use run::{RunModeration, WatchLiveVideo, fail_dead_lettered};
pub use service::ContentModerationService;
pub use start::{ModerationStartError, PreparedModeration};
pub use types::{
    AgeGroup, ModerationCheck, ModerationCheckType, ModerationParameters, ModerationState,
    NotificationDestinations, NotificationReason,
};

/// How content is looked at; the operator's settings.
#[derive(Clone, Debug)]
pub struct ContentModerationSettings {
    /// Where the console is reached.
    pub public_url: String,
    /// Pictures of a video that are looked at, each second.
    pub frames_per_second: f64,
    /// The lowest face that is looked for in a picture, pixels.
    pub min_face_pixels: f32,
    /// How long a live stream may be away before its moderation fails, seconds.
    pub max_outage_seconds: u32,
    /// How long an appearance is watched before it is judged in a live video, seconds.
    pub settle_seconds: f64,
    /// Pictures looked at side by side, for each moderation.
    pub parallel_frames: usize,
}

impl Default for ContentModerationSettings {
    fn default() -> Self {
        Self {
            public_url: "http://127.0.0.1:8080".to_owned(),
            frames_per_second: 2.0,
            min_face_pixels: 40.0,
            max_outage_seconds: 300,
            settle_seconds: 2.0,
            parallel_frames: 2,
        }
    }
}
