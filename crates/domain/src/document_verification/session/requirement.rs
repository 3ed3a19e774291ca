//! What has to be supplied for a session.

use crate::document_verification::{
    error::DocumentSessionError,
    restrictions::{DocumentRestrictions, SupplementaryRestrictions},
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
    /// Which identity documents are accepted.
    pub filter: DocumentRestrictions,
    /// Which supplementary documents are accepted.
    #[serde(default)]
    pub supplementary: SupplementaryRestrictions,
    /// How the face is shown; `None` for anything but liveness.
    pub liveness_type: Option<LivenessType>,
    /// Attempts that are allowed altogether, without those that end in a reclassification.
    pub attempts: i64,
    /// Attempts that were used.
    pub used: i64,
    /// Attempts that may still end in a reclassification and be followed by another. `None` where nothing is
    /// classified, and in sessions of older versions: reclassifications count as other attempts then.
    #[serde(default)]
    pub reclassifications_left: Option<i64>,
    pub standing: RequirementState,
    /// The resource that counts for it: the last that was supplied.
    pub resource: Option<ResourceId>,
}

impl Requirement {
    pub fn attempts_remaining(&self) -> i64 {
        (self.attempts - self.used).max(0)
    }

    /// Attempts that may still end in a reclassification and be followed by another.
    pub fn reclassifications_remaining(&self) -> Option<i64> {
        let is_over = self.attempts_remaining() == 0 && self.standing == RequirementState::Fulfilled;
        self.reclassifications_left.map(|left| if is_over { 0 } else { left })
    }

    /// An attempt showed another document than was said, or one that is not accepted. It is given back as long as such
    /// attempts are left; if none is, no attempt of any kind is.
    pub(in crate::document_verification) fn count_reclassification(&mut self) {
        match &mut self.reclassifications_left {
            None => {}
            Some(0) => self.used = self.attempts,
            Some(left) => {
                *left -= 1;
                self.used = (self.used - 1).max(0);
            }
        }
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
