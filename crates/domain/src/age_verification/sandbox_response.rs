//! What a sandbox's session is told to come to.

use super::{
    AgeSessionError,
    session::{AgeAttemptOutcome, AgeSession},
    types::{AgeCheckType, AgeFailureReason, AgeMethod, AgeSessionStatus, AgeSessionType},
};
use crate::violation::Violation;
use base::Timestamp;

/// The ages that a sandbox's session can be told to come to, years.
const SANDBOX_AGES_YEARS: std::ops::RangeInclusive<i64> = 0..=120;

/// What a session is to come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SandboxResponse {
    /// The state that the session takes.
    pub state: AgeSessionStatus,
    /// The age, years.
    pub age: Option<i64>,
    /// The method that it came of.
    pub method: Option<AgeMethod>,
}

impl SandboxResponse {
    /// What of it breaks a rule, whatever the session.
    pub fn violations(&self) -> Vec<Violation> {
        let age = self.age.filter(|age| !SANDBOX_AGES_YEARS.contains(age));
        let words = |age| format!("it is {age}; a whole number from 0 to 120 is expected");
        age.map(|age| Violation::new("age", words(age))).into_iter().collect()
    }

    /// Refuses what no session of this kind comes to.
    pub(super) fn check_session_type(&self, kind: AgeSessionType) -> Result<(), AgeSessionError> {
        match (kind, self.state, self.age) {
            (AgeSessionType::Age, AgeSessionStatus::Fail, _) => Err(AgeSessionError::invalid(
                "status",
                "FAIL is for OVER and UNDER; the session asks for an age",
            )),
            (AgeSessionType::Age, AgeSessionStatus::Complete, None) => {
                Err(AgeSessionError::invalid("age", "the session asks for an age"))
            }
            _ => Ok(()),
        }
    }

    /// The outcome of it.
    pub(super) fn outcome(&self, session: &AgeSession, now: Timestamp) -> AgeAttemptOutcome {
        let asked = session.wanted.blocks.iter().find(|block| block.allowed);
        let method = self.method.or(asked.map(|block| block.method)).unwrap_or(AgeMethod::AgeEstimation);
        let threshold = session.wanted.method_config(method).or(asked).map(|block| block.threshold);
        let age = if session.wanted.kind == AgeSessionType::Age {
            self.age
        } else {
            self.age.and(threshold).or(threshold)
        };
        let error_code = match self.state {
            AgeSessionStatus::Fail if session.wanted.kind == AgeSessionType::Under => {
                Some(AgeFailureReason::OverAge)
            }
            AgeSessionStatus::Fail => Some(AgeFailureReason::UnderAge),
            AgeSessionStatus::Error => Some(AgeFailureReason::SandboxError),
            _ => None,
        };
        AgeAttemptOutcome {
            method,
            passed: self.state == AgeSessionStatus::Complete,
            age,
            evidence_id: None,
            error_code: error_code.map(|code| code.to_string()),
            check_type: AgeCheckType::Session,
            at: now,
            held: None,
        }
    }
}
