//! Document verification sessions (interface 3, part A; decisions, section 4): what a business asks for, what a person
//! supplies, what is read of it at once, and what is checked afterwards.
//!
//! [`request`] holds what is asked for to its rules, [`session`] is what is kept ([`store`] says how), [`moves`] has every
//! change of a state. [`flow`] is what a person does, [`read`] reads documents while he waits (and `ahead`, before
//! he asks for it), [`checks`] judges them when
//! he is through; [`responses`] and [`agent`] take their place in a sandbox. A person of the operator's decides in
//! [`reviews`], and [`sweep`] ends what has had its time.

pub mod agent;
mod ahead;
mod change;
mod checks;
mod document_fields;
pub mod filter;
mod findings;
pub mod flow;
pub mod moves;
mod outcome;
mod read;
pub mod report;
pub mod request;
pub mod responses;
pub mod reviews;
pub mod session;
mod store;
mod sweep;
pub mod words;

pub use change::{NotDone, Notification, Subject, Upload};
pub use checks::CheckSession;
pub use document_fields::DocumentFields;
pub use outcome::Outcome;
pub use read::ReadDocument;
pub use store::Held;
pub use sweep::SweepSessions;

use crate::{delivery::Outbox, estimate::Estimator, vault::Vault, violation::Violation};
use base::{SignedDuration, World};
use db::Db;
use jobs::Worker;
use media::{blobs::Blobs, scan::Scanner};
use request::SessionRequest;
use responses::ResponseConfig;
use serde_json::Value;
use std::{path::PathBuf, sync::Arc, time::Duration};
use tokio::sync::{Semaphore, SemaphorePermit};

/// How sessions are run; the operator's settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where this server is reached.
    pub public_url: String,
    /// The models' folder, which has the reader's nets as well.
    pub models: PathBuf,
    /// How long a session is kept after its resources were destroyed.
    pub keep: SignedDuration,
    /// How long a call that starts a task waits for it to end.
    pub patience: Duration,
    /// Countries whose documents' pictures are not given out, ISO 3166-1 alpha-3.
    pub withheld: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            public_url: "http://127.0.0.1:8080".to_owned(),
            models: PathBuf::from("models/pack"),
            keep: SignedDuration::from_hours(24 * 30),
            patience: Duration::from_secs(10),
            withheld: Vec::new(),
        }
    }
}

/// How the interface writes what this module only knows as values, and reads what it wrote before.
pub trait WireFormat: std::fmt::Debug + Send + Sync {
    /// The body of a notification, JSON.
    fn notification(&self, notification: &Notification) -> String;

    /// A response configuration that was held to its form when it came, and is kept as it was sent.
    fn response_config(&self, sent: &Value) -> ResponseConfig;
}

/// Runs document verification sessions; cheap to clone.
#[derive(Clone, Debug)]
pub struct Identities(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    world: Arc<dyn World>,
    vault: Vault,
    outbox: Outbox,
    blobs: Blobs,
    estimator: Estimator,
    scanner: Scanner,
    readers: read::Readers,
    ahead: ahead::Ahead,
    /// Documents and faces that are opened at once: each is large, and a worker is needed for it anyway.
    places: Arc<Semaphore>,
    settings: Settings,
    format: Arc<dyn WireFormat>,
}

impl Identities {
    /// Sessions that use these parts.
    #[expect(clippy::too_many_arguments, reason = "each is a part of the server, and there is one call")]
    pub fn new(
        db: Db,
        world: Arc<dyn World>,
        vault: Vault,
        outbox: Outbox,
        blobs: Blobs,
        estimator: Estimator,
        settings: Settings,
        format: Arc<dyn WireFormat>,
    ) -> Self {
        let readers = read::Readers::new(settings.models.clone());
        let scanner = Scanner::default();
        let places = 2 * std::thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Inner {
            db,
            world,
            vault,
            outbox,
            blobs,
            estimator,
            scanner,
            readers,
            ahead: ahead::Ahead::default(),
            places: Arc::new(Semaphore::new(places)),
            settings,
            format,
        }))
    }

    /// Every rule that a request for a session breaks, with the paths of the interface.
    pub fn violations(&self, request: &SessionRequest) -> Vec<Violation> {
        request.violations(&self.0.outbox)
    }

    /// Where messages go through.
    pub fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// A worker that knows the jobs of sessions, too.
    #[must_use]
    pub fn handle(&self, worker: Worker) -> Worker {
        let (reading, checking, sweeping) = (self.clone(), self.clone(), self.clone());
        worker
            .handle(move |job: ReadDocument, lease| {
                let identities = reading.clone();
                async move { identities.read_document(&job, &lease).await }
            })
            .handle(move |job: CheckSession, lease| {
                let identities = checking.clone();
                async move { identities.check_session(&job, &lease).await }
            })
            .handle(move |_: SweepSessions, _| {
                let identities = sweeping.clone();
                async move { identities.sweep().await }
            })
    }

    /// Waits for a place to open something large.
    async fn place(&self) -> Option<SemaphorePermit<'_>> {
        self.0.places.acquire().await.ok()
    }

    /// The day it is, in UTC.
    fn today(&self) -> jiff::civil::Date {
        self.0.world.now().to_zoned(jiff::tz::TimeZone::UTC).date()
    }
}
