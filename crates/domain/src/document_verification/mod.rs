//! Document verification sessions (docs/adr/0005-document-verification.md): a relying party says what it wants to know,
//! an end user supplies documents and a face, documents are read while they wait, and once they have finished
//! everything is checked.
//!
//! - [`service`]: the front, which passes each call on to one of the parts below; [`wiring`]: how they are wired.
//! - [`request`], [`restrictions`], [`types`]: what a relying party can ask for.
//! - [`session`]: the session document, with all its state changes; [`store`]: how it and its media are sealed and stored;
//!   [`step_recorder`]: what happens in it, for the console; [`unit_of_work`]: how it is changed together with what the change causes ([`notifications`], [`background_jobs`]).
//! - [`create`], [`access`], [`capture`], [`finish`]: from the creation of a session to the end of the end user's part.
//! - [`extraction`]: reading documents, with [`findings`] and [`document_fields`]; [`prefetch`]: what was read ahead;
//!   [`vision_runner`]: the models.
//! - [`checks`]: the checks and their job, with [`report`]; [`identity_sources`]: whom they ask; [`reviews`]: checks that a reviewer decides,
//!   with [`review_evidence`].
//! - [`fraud_list`]: documents and faces that the operator lists; [`traces`]: what later sessions are compared with, with
//!   [`face_templates`].
//! - [`outcome`], [`identity_profile`], [`media_access`], [`retention`]: what remains of a session, and how it goes.
//! - [`sandbox_responses`], [`sandbox_agent`]: what takes the place of checks and end users in a sandbox.

mod access;
mod background_jobs;
mod capture;
mod checks;
mod create;
mod document_fields;
mod error;
mod extraction;
mod face_templates;
mod findings;
mod finish;
pub mod fraud_list;
pub mod identity_profile;
mod identity_sources;
mod media_access;
mod names;
mod notifications;
mod outcome;
mod prefetch;
pub mod report;
pub mod request;
pub mod restrictions;
mod retention;
mod review_evidence;
pub mod reviews;
pub mod sandbox_agent;
pub mod sandbox_responses;
mod service;
pub mod session;
mod step_recorder;
mod store;
mod traces;
pub mod types;
mod unit_of_work;
mod vision_runner;
mod wiring;

pub use background_jobs::{ReadDocument, RunVerificationChecks, SweepDocumentSessions};
pub use capture::{
    CapturedMedia, FrameReceipt, IdempotentCall, JudgedCapture, NewDocument, RequestedExtraction,
    ResourceCaller,
};
pub use checks::authenticity::assess_document;
pub use create::CreateDocumentSession;
pub use document_fields::DocumentFields;
pub use error::DocumentSessionError;
pub use extraction::max_open_media;
pub use findings::ClaimedDocument;
pub use identity_sources::{IdentitySourceSettingsError, IdentitySources};
pub use media_access::MediaDownload;
pub use notifications::{DocumentSessionNotification, NotificationSubject};
pub use outcome::DocumentSessionOutcome;
pub use review_evidence::{CheckEvidence, ComparedField, ResourceEvidence};
pub use service::DocumentVerificationService;
pub use store::UnsealedDocumentSession;

use age_methods::identity_source::IdentitySourceSettings;
use base::{Environment, SignedDuration};
use documents::today::Today;
use sandbox_responses::SandboxResponseConfig;
use serde_json::Value;
use std::{num::NonZeroU32, path::PathBuf, time::Duration};

/// How document verification sessions are run; the section `[identity]`.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct DocumentVerificationSettings {
    /// Where this server is reached, without a trailing slash; no setting of this section.
    #[serde(skip)]
    pub public_url: String,
    /// The folder of the models, which also has the nets of the document reader; no setting of this section.
    #[serde(skip)]
    pub models_dir: PathBuf,
    /// How long the state of a session and its reports are kept after its resources were destroyed; written in days.
    #[serde(rename = "keep_days", with = "base::settings::days")]
    pub session_retention: SignedDuration,
    /// How long a call that starts a task waits for it to end; written in seconds, at most 25.
    #[serde(
        rename = "wait_seconds",
        serialize_with = "base::settings::seconds::serialize",
        deserialize_with = "task_wait_timeout"
    )]
    pub task_wait_timeout: Duration,
    /// Countries whose documents' pictures are never given out, ISO 3166-1 alpha-3 in upper case.
    #[serde(deserialize_with = "upper_case_codes")]
    pub withheld_countries: Vec<String>,
    /// Calls that the end user of one session may make in a minute, all at once if need be. Age verification uses it as
    /// well; each process counts separately.
    #[serde(rename = "calls_per_minute")]
    pub max_end_user_calls_per_minute: NonZeroU32,
    /// How long the numbers of documents are kept to be compared with those of later sessions of the same application; zero:
    /// they are not. Written in days.
    #[serde(rename = "duplicate_days", with = "base::settings::days")]
    pub duplicate_retention: SignedDuration,
    /// Whether faces are kept and compared as well.
    pub duplicate_faces: bool,
    /// Who says whether an authority has issued a document.
    #[serde(skip_serializing)]
    pub issuing_authority: Option<IdentitySourceSettings>,
    /// Who searches watchlists.
    #[serde(skip_serializing)]
    pub watchlist: Option<IdentitySourceSettings>,
    /// Who knows documents that are used for fraud.
    #[serde(skip_serializing)]
    pub fraud_list: Option<IdentitySourceSettings>,
    /// Who knows names and addresses.
    #[serde(skip_serializing)]
    pub third_party_identity: Option<IdentitySourceSettings>,
}

/// The longest wait that can be set.
const MAX_TASK_WAIT: Duration = Duration::from_secs(25);

fn task_wait_timeout<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    base::settings::seconds::deserialize(from).map(|wait: Duration| wait.min(MAX_TASK_WAIT))
}

fn upper_case_codes<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let codes: Vec<String> = serde::Deserialize::deserialize(from)?;
    Ok(codes.into_iter().map(|code| code.to_ascii_uppercase()).collect())
}

impl Default for DocumentVerificationSettings {
    fn default() -> Self {
        Self {
            public_url: "http://127.0.0.1:8080".to_owned(),
            models_dir: PathBuf::from("models/pack"),
            session_retention: SignedDuration::from_hours(24 * 30),
            task_wait_timeout: Duration::from_secs(10),
            withheld_countries: Vec::new(),
            max_end_user_calls_per_minute: const { NonZeroU32::new(240).unwrap() },
            duplicate_retention: SignedDuration::ZERO,
            duplicate_faces: false,
            issuing_authority: None,
            watchlist: None,
            fraud_list: None,
            third_party_identity: None,
        }
    }
}

/// How the interface spells what this module only knows as values.
pub trait DocumentWireFormat: std::fmt::Debug + Send + Sync {
    /// The body of a notification, as JSON.
    fn notification(&self, notification: &DocumentSessionNotification) -> String;

    /// Parses a response configuration. It was validated when it was received, and is stored as it was sent.
    fn response_config(&self, sent: &Value) -> SandboxResponseConfig;
}

/// The day it is.
fn today(env: &dyn Environment) -> Today {
    Today::at(env.now())
}
