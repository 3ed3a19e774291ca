//! Response configurations: the outcome that a session of the sandbox is set to.

use super::{
    AgeSessionError,
    methods::AgeMethodSets,
    session::{AgeAttemptOutcome, AgeSession},
    session_config::AgeMethodConfig,
    store::AgeSessionStore,
    types::{AgeFailureReason, AgeMethod, AgeSessionStatus, AgeSessionType, LivenessLevel},
    webhooks::ResultNotifier,
};
use crate::violation::Violation;
use base::{AgeSessionId, Environment, Timestamp};
use std::sync::Arc;

/// Ages that can be set, years.
const SANDBOX_AGES_YEARS: std::ops::RangeInclusive<i64> = 0..=120;

/// The outcome to set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SandboxResponse {
    pub state: AgeSessionStatus,
    /// The age, years. Only sessions of the type AGE report it.
    pub age: Option<i64>,
    /// The method of the outcome; the first that is allowed if absent.
    pub method: Option<AgeMethod>,
}

impl SandboxResponse {
    /// What is wrong with it, for a session of any type.
    pub fn violations(&self) -> Vec<Violation> {
        let age = self.age.filter(|age| !SANDBOX_AGES_YEARS.contains(age));
        let message = |age| format!("it is {age}; a whole number from 0 to 120 is expected");
        age.map(|age| Violation::new("age", message(age))).into_iter().collect()
    }

    /// Refuses an outcome that a session of this type cannot have.
    fn check_session_type(&self, kind: AgeSessionType) -> Result<(), AgeSessionError> {
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

    /// The outcome, as if an attempt had ended with it.
    fn outcome(&self, session: &AgeSession, now: Timestamp) -> AgeAttemptOutcome {
        let first = session.wanted.blocks.iter().find(|block| block.allowed);
        let method = self.method.or(first.map(|block| block.method)).unwrap_or(AgeMethod::AgeEstimation);
        let threshold = session.wanted.method_config(method).or(first).map(|block| block.threshold);
        let age = if session.wanted.kind == AgeSessionType::Age { self.age } else { threshold };
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
            level: session
                .wanted
                .method_config(method)
                .map_or(LivenessLevel::None, AgeMethodConfig::liveness_level),
            at: now,
            estimate: None,
            overturned: false,
            signal: None,
            storable_result: None,
        }
    }
}

/// Sets the outcome of sessions of the sandbox.
#[derive(Debug)]
pub(super) struct SandboxResponder {
    environment: Arc<dyn Environment>,
    sessions: Arc<AgeSessionStore>,
    methods: Arc<AgeMethodSets>,
    notifier: Arc<ResultNotifier>,
}

impl SandboxResponder {
    pub(super) fn new(
        environment: Arc<dyn Environment>,
        sessions: Arc<AgeSessionStore>,
        methods: Arc<AgeMethodSets>,
        notifier: Arc<ResultNotifier>,
    ) -> Self {
        Self { environment, sessions, methods, notifier }
    }

    /// Sets the outcome of a session, whatever its state, and notifies the relying party as if an end user had been
    /// through.
    pub(super) async fn apply(
        &self,
        id: AgeSessionId,
        response: &SandboxResponse,
    ) -> Result<AgeSession, AgeSessionError> {
        self.notifier.prepare().await?;
        let now = self.environment.now();
        let (mut tx, mut locked) = self.sessions.lock(id).await?;
        let session = &mut locked.session;
        response.check_session_type(session.wanted.kind)?;
        let method = session.current_method();
        let abandoned = session.attempt.take();
        session.retried = None;
        session.state = response.state;
        session.updated_at = now;
        if response.state == AgeSessionStatus::Pending {
            session.outcome = None;
        }
        if matches!(
            response.state,
            AgeSessionStatus::Complete | AgeSessionStatus::Fail | AgeSessionStatus::Error
        ) {
            let outcome = response.outcome(session, now);
            session.outcome = Some(outcome.clone());
            self.notifier.notify(&mut tx, session, &outcome).await?;
        }
        if matches!(response.state, AgeSessionStatus::Cancelled | AgeSessionStatus::Expired) {
            self.notifier.notify_end(&mut tx, session, method, now).await?;
        }
        let session = self.sessions.commit(tx, locked).await?;
        self.methods.discard(&session, abandoned).await;
        Ok(session)
    }
}
