//! The job that follows the document session of an attempt at `doc_scan`, so that nothing is lost if the page is
//! closed, and nothing is left if the attempt is abandoned.

use super::{
    AgeSessionError,
    attempts::AttemptRunner,
    methods::{AttemptContext, AttemptStep, DocumentMethod, SESSION_ENDED_REASON, StepOutcome},
    session::AgeMethodVerdict,
    store::AgeSessionStore,
    types::AgeSessionStatus,
};
use base::{AgeAttemptId, AgeSessionId, DocumentSessionId, Environment, SignedDuration};
use db::{DbError, WriteTx};
use jobs::{Job, JobError, JobOutcome, Lane, NewJob, RetryPolicy};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How often the job looks while checks run.
const CHECKS_POLL_INTERVAL: SignedDuration = SignedDuration::from_secs(5);
/// How often the job looks while the end user is still supplying documents.
const CAPTURE_POLL_INTERVAL: SignedDuration = SignedDuration::from_secs(20);

/// Ends an attempt at `doc_scan` once its document session has ended; deletes the document session once the attempt has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowDocumentSession {
    pub session: AgeSessionId,
    pub attempt: AgeAttemptId,
    /// The document session. Jobs of earlier versions do not name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<DocumentSessionId>,
}

impl Job for FollowDocumentSession {
    const KIND: &'static str = "follow-age-document";
    const LANE: Lane = Lane::Quick;
    const RETRY: RetryPolicy = RetryPolicy { waits: &[5, 10, 60, 300, 600], jitter: 0.2 };
}

impl FollowDocumentSession {
    /// Queues the job for a document session that was created in the same transaction.
    pub(super) async fn enqueue(
        &self,
        tx: &mut WriteTx,
        environment: &dyn Environment,
    ) -> Result<(), DbError> {
        let due_at = environment.now() + CAPTURE_POLL_INTERVAL;
        jobs::enqueue(tx, NewJob::new(environment, self).due_at(due_at)).await.map(drop)
    }
}

/// Runs [`FollowDocumentSession`].
#[derive(Debug)]
pub(super) struct DocumentFollower {
    environment: Arc<dyn Environment>,
    sessions: Arc<AgeSessionStore>,
    documents: Arc<DocumentMethod>,
    attempts: Arc<AttemptRunner>,
}

impl DocumentFollower {
    pub(super) fn new(
        environment: Arc<dyn Environment>,
        sessions: Arc<AgeSessionStore>,
        documents: Arc<DocumentMethod>,
        attempts: Arc<AttemptRunner>,
    ) -> Self {
        Self { environment, sessions, documents, attempts }
    }

    pub(super) async fn run(&self, job: &FollowDocumentSession) -> Result<JobOutcome, JobError> {
        let now = self.environment.now();
        let again = Ok(JobOutcome::Again(now + CHECKS_POLL_INTERVAL));
        let Some(session) = self.sessions.find(job.session).await? else {
            // It was erased, and the process was killed before the document session was deleted, too.
            if let Some(document) = job.document
                && !self.sessions.exists(job.session).await?
            {
                self.documents.erase_document_session(document).await?;
            }
            return Ok(JobOutcome::Done);
        };
        // Whatever its document session says, it comes too late. The next run finds the attempt over.
        if session.has_run_out(now) {
            self.expire(job.session, false).await?;
            return again;
        }
        let Ok(context) = AttemptContext::find(&session, job.attempt, "") else {
            // The attempt has ended or was abandoned. The document session is deleted after the commit, but not if the
            // process was killed then, nor where the transaction is another's, as when an appeal is decided.
            if let Some(document) = job.document {
                self.documents.discard_document_session(&session, document).await;
            }
            return Ok(JobOutcome::Done);
        };
        let turn = context.attempt.turn;
        match self.documents.poll(context).await? {
            // The page shows the document session; nothing has changed.
            StepOutcome::Prompt(prompt) if matches!(prompt.step, AttemptStep::Document { .. }) => {
                Ok(JobOutcome::Again(now + CAPTURE_POLL_INTERVAL))
            }
            StepOutcome::Prompt(_) => again,
            StepOutcome::Pending if session.state == AgeSessionStatus::Processing => again,
            // Both sessions have expired.
            StepOutcome::Finished(AgeMethodVerdict::Undecided { code: SESSION_ENDED_REASON })
                if !session.is_live(self.environment.now()) =>
            {
                self.expire(job.session, true).await?;
                Ok(JobOutcome::Done)
            }
            outcome => {
                match self.attempts.commit_outcome(job.session, job.attempt, turn, outcome, "").await {
                    Ok(result) if result.session.attempt.is_some() => again,
                    Err(AgeSessionError::Expired) => again,
                    Ok(_) | Err(AgeSessionError::StaleContinuation | AgeSessionError::SessionNotFound) => {
                        Ok(JobOutcome::Done)
                    }
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    /// Ends a session that ran out; see [`AttemptRunner::expire_session`].
    async fn expire(&self, session: AgeSessionId, check_ended: bool) -> Result<(), AgeSessionError> {
        match self.attempts.expire_session(session, check_ended).await {
            Ok(()) | Err(AgeSessionError::SessionNotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that an older version queued must still be readable.
    #[test]
    fn old_payloads_still_parse() {
        let id = "018f3c8e-0000-7000-8000-00000000000a";
        let old = format!(r#"{{"session":"{id}","attempt":"{id}"}}"#);
        let job: FollowDocumentSession = serde_json::from_str(&old).unwrap();
        let (session, attempt) = (id.parse().unwrap(), id.parse().unwrap());
        assert_eq!(job, FollowDocumentSession { session, attempt, document: None });
    }
}
