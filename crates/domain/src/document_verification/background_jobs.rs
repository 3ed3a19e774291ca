//! The payloads of the jobs that sessions queue. Who runs each is wired in [`super::service`].

use base::{DocumentSessionId, ResourceId, TaskId};
use jobs::{Job, JobIds, Lane, RetryPolicy};
use serde::{Deserialize, Serialize};

/// Reads a document for a task, while the end user waits ([`super::extraction`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadDocument {
    pub session: DocumentSessionId,
    /// The document.
    pub resource: ResourceId,
    pub task: TaskId,
}

impl Job for ReadDocument {
    const KIND: &'static str = "read-document";
    const LANE: Lane = Lane::Documents;
    /// Seconds; few and short, as somebody is waiting.
    const RETRY: RetryPolicy = RetryPolicy { waits: &[1, 5, 20], jitter: 0.2 };

    fn ids(&self) -> JobIds<'_> {
        JobIds { session: Some(self.session), resource: Some(self.resource), ..JobIds::default() }
    }
}

/// Runs all checks of a session whose end user has finished ([`super::checks`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunVerificationChecks {
    pub session: DocumentSessionId,
}

impl Job for RunVerificationChecks {
    const KIND: &'static str = "check-session";
    /// In one queue with the reading, so that neither crowd overtakes the other.
    const LANE: Lane = Lane::Documents;
    const RETRY: RetryPolicy = RetryPolicy { waits: &[2, 10, 60, 300], jitter: 0.2 };

    fn ids(&self) -> JobIds<'_> {
        JobIds { session: Some(self.session), ..JobIds::default() }
    }
}

/// Expires, destroys and erases whatever is due ([`super::retention`]); recurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepDocumentSessions {}

impl Job for SweepDocumentSessions {
    const KIND: &'static str = "sweep-sessions";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = RetryPolicy::RECURRING;
}
