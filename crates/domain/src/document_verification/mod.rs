//! Document verification sessions (docs/adr/0005-document-verification.md): what a business asks for, what a person
//! supplies, what is read of it at once, and what is checked afterwards.
//!
//! [`request`] holds what is asked for to its rules, [`session`] is what is kept ([`store`] says how), [`state_machine`] has every
//! change of a state. [`lifecycle`] is what a person does, [`extraction`] reads documents while they wait (and `ahead`, before
//! they ask for it), [`checks`] judges them when
//! they are through; [`sandbox_responses`] and [`sandbox_agent`] take their place in a sandbox. A person of the operator's decides in
//! [`reviews`], and [`sweep`] ends what has had its time.

mod checks;
mod document_fields;
mod extraction;
mod findings;
pub mod lifecycle;
mod outcome;
mod prefetch;
pub mod report;
pub mod request;
pub mod restrictions;
mod retention;
pub mod reviews;
pub mod sandbox_agent;
pub mod sandbox_responses;
pub mod session;
pub mod state_machine;
mod store;
pub mod types;
mod unit_of_work;

pub use checks::RunVerificationChecks;
pub use document_fields::DocumentFields;
pub use extraction::ReadDocument;
pub use outcome::DocumentSessionOutcome;
pub use retention::SweepDocumentSessions;
pub use store::UnsealedDocumentSession;
pub use unit_of_work::{
    CapturedMedia, DocumentSessionError, DocumentSessionNotification, NotificationSubject,
};

use crate::{delivery::Outbox, image_analysis::ImageAnalyser, vault::Vault, violation::Violation};
use base::{Environment, SignedDuration};
use db::Db;
use jobs::Worker;
use media::{blobs::BlobStore, document_file::DocumentFileLoader};
use request::DocumentSessionRequest;
use sandbox_responses::SandboxResponseConfig;
use serde_json::Value;
use std::{num::NonZeroU32, path::PathBuf, sync::Arc, time::Duration};
use tokio::sync::{Semaphore, SemaphorePermit};

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
        }
    }
}

/// How the interface writes what this module only knows as values, and reads what it wrote before.
pub trait DocumentWireFormat: std::fmt::Debug + Send + Sync {
    /// The body of a notification, JSON.
    fn notification(&self, notification: &DocumentSessionNotification) -> String;

    /// A response configuration that was held to its form when it came, and is kept as it was sent.
    fn response_config(&self, sent: &Value) -> SandboxResponseConfig;
}

/// Runs document verification sessions; cheap to clone.
#[derive(Clone, Debug)]
pub struct DocumentVerificationService(Arc<DocumentVerificationInner>);

#[derive(Debug)]
struct DocumentVerificationInner {
    db: Db,
    world: Arc<dyn Environment>,
    vault: Vault,
    outbox: Outbox,
    blobs: BlobStore,
    estimator: ImageAnalyser,
    scanner: DocumentFileLoader,
    reader_pool: extraction::ReaderPool,
    prefetched: prefetch::PrefetchCache,
    /// Documents and faces that are opened at once: each is large, and a worker is needed for it anyway.
    large_media_slots: Arc<Semaphore>,
    settings: DocumentVerificationSettings,
    wire_format: Arc<dyn DocumentWireFormat>,
}

impl DocumentVerificationService {
    /// Sessions that use these parts.
    #[expect(clippy::too_many_arguments, reason = "each is a part of the server, and there is one call")]
    pub fn new(
        db: Db,
        world: Arc<dyn Environment>,
        vault: Vault,
        outbox: Outbox,
        blobs: BlobStore,
        estimator: ImageAnalyser,
        settings: DocumentVerificationSettings,
        format: Arc<dyn DocumentWireFormat>,
    ) -> Self {
        let readers = extraction::ReaderPool::new(settings.models_dir.clone());
        let scanner = DocumentFileLoader::default();
        let places = 2 * std::thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(DocumentVerificationInner {
            db,
            world,
            vault,
            outbox,
            blobs,
            estimator,
            scanner,
            reader_pool: readers,
            prefetched: prefetch::PrefetchCache::default(),
            large_media_slots: Arc::new(Semaphore::new(places)),
            settings,
            wire_format: format,
        }))
    }

    /// Every rule that a request for a session breaks, with the paths of the interface.
    pub fn violations(&self, request: &DocumentSessionRequest) -> Vec<Violation> {
        request.violations(&self.0.outbox)
    }

    /// Where messages go through.
    pub fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    /// The settings.
    pub fn settings(&self) -> &DocumentVerificationSettings {
        &self.0.settings
    }

    /// A worker that knows the jobs of sessions, too.
    #[must_use]
    pub fn register_jobs(&self, worker: Worker) -> Worker {
        let (reading, checking, sweeping) = (self.clone(), self.clone(), self.clone());
        worker
            .register(move |job: ReadDocument, lease| {
                let identities = reading.clone();
                async move { identities.read_document(&job, &lease).await }
            })
            .register(move |job: RunVerificationChecks, lease| {
                let identities = checking.clone();
                async move { identities.run_verification_checks(&job, &lease).await }
            })
            .register(move |_: SweepDocumentSessions, _| {
                let identities = sweeping.clone();
                async move { identities.sweep().await }
            })
    }

    /// Waits for a place to open something large.
    async fn acquire_large_media_slot(&self) -> Option<SemaphorePermit<'_>> {
        self.0.large_media_slots.acquire().await.ok()
    }

    /// The day it is, in UTC.
    fn today(&self) -> jiff::civil::Date {
        self.0.world.now().to_zoned(jiff::tz::TimeZone::UTC).date()
    }
}
