//! What has to be supplied for a session.

use crate::document_verification::{
    error::DocumentSessionError,
    restrictions::DocumentRestrictions,
    session::state_machine::RequirementEvent,
    types::{LivenessType, RequirementState, ResourceKind, ResourceSource, TaskAdvice},
};
use base::ResourceId;
use serde::{Deserialize, Serialize};

/// Something that has to be supplied.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Requirement {
    pub id: ResourceId,
    pub kind: ResourceKind,
    /// Who supplies it.
    pub source: ResourceSource,
    /// Which documents are accepted.
    pub filter: DocumentRestrictions,
    /// How the face is shown; `None` for anything but liveness.
    pub liveness_type: Option<LivenessType>,
    /// Attempts that are allowed altogether.
    pub attempts: i64,
    /// Attempts that were used.
    pub used: i64,
    pub standing: RequirementState,
    /// The resource that counts for it: the last that was supplied.
    pub resource: Option<ResourceId>,
}

impl Requirement {
    pub fn attempts_remaining(&self) -> i64 {
        (self.attempts - self.used).max(0)
    }

    /// Refuses if no attempt is left.
    pub(in crate::document_verification) fn ensure_attempts_left(&self) -> Result<(), DocumentSessionError> {
        if self.attempts_remaining() == 0 {
            return Err(DocumentSessionError::ResourceLocked("no attempts are left".to_owned()));
        }
        Ok(())
    }

    /// Uses one attempt; refuses if none is left.
    pub(in crate::document_verification) fn use_attempt(&mut self) -> Result<(), DocumentSessionError> {
        self.ensure_attempts_left()?;
        self.used += 1;
        Ok(())
    }
}

/// What happens to a requirement when a task on its resource ends with this advice.
pub(in crate::document_verification) fn requirement_event_after(
    advice: TaskAdvice,
    attempts_left: i64,
) -> RequirementEvent {
    match advice {
        TaskAdvice::Progress | TaskAdvice::ShouldTryAgain => RequirementEvent::Accepted,
        TaskAdvice::MustTryAgain if attempts_left > 0 => RequirementEvent::Declined,
        TaskAdvice::MustTryAgain => RequirementEvent::AttemptsExhausted,
    }
}
