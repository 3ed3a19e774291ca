//! The job that notes which sessions ran out before they had a result, and tells their relying parties.

use super::{AgeSessionError, attempts::AttemptRunner, store::AgeSessionStore};
use base::{Environment, SignedDuration};
use jobs::{Job, JobError, JobOutcome, Lane, RetryPolicy};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Ends sessions that ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpireAgeSessions {}

impl Job for ExpireAgeSessions {
    const KIND: &'static str = "expire-age-sessions";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = RetryPolicy::RECURRING;
}

impl ExpireAgeSessions {
    const INTERVAL: SignedDuration = SignedDuration::from_secs(30);
}

/// Runs [`ExpireAgeSessions`].
#[derive(Debug)]
pub(super) struct SessionExpirer {
    environment: Arc<dyn Environment>,
    sessions: Arc<AgeSessionStore>,
    attempts: Arc<AttemptRunner>,
}

impl SessionExpirer {
    pub(super) fn new(
        environment: Arc<dyn Environment>,
        sessions: Arc<AgeSessionStore>,
        attempts: Arc<AttemptRunner>,
    ) -> Self {
        Self { environment, sessions, attempts }
    }

    pub(super) async fn run(&self) -> Result<JobOutcome, JobError> {
        self.expire_all().await?;
        Ok(JobOutcome::Again(self.environment.now() + ExpireAgeSessions::INTERVAL))
    }

    /// Ends all sessions that ran out.
    pub(super) async fn expire_all(&self) -> Result<(), AgeSessionError> {
        loop {
            let due = self.sessions.find_run_out(self.environment.now()).await?;
            let (found, mut failed) = (due.len(), 0);
            for id in due {
                match self.attempts.expire_session(id, false).await {
                    Ok(()) => {}
                    // Its key is gone, or the row does not open: the others must not wait for it.
                    Err(AgeSessionError::SessionNotFound) => failed += 1,
                    Err(error) => return Err(error),
                }
            }
            if found < 100 || failed == found {
                return Ok(());
            }
        }
    }
}
