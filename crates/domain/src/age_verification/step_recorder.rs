//! Records what happens in sessions, step by step: compares a session with what it was when it was locked, in the transaction
//! that saves it.

use super::{
    session::AgeSession,
    types::{AgeMethod, AgeSessionStatus},
};
use crate::session_steps::{
    self, RecordedSession, SessionKind, SessionStepKind, SessionStepOutcome, StepEnd,
};
use base::{Environment, Timestamp, Uuid};
use db::{DbError, WriteTx};

/// How far a session is, as far as steps tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AgeSessionProgress {
    state: AgeSessionStatus,
    /// The attempt that is under way.
    attempt: Option<(Uuid, AgeMethod)>,
    /// How many have ended, and when the last one did.
    ended: (i64, Option<Timestamp>),
    consent: Option<(bool, Timestamp)>,
}

impl AgeSessionProgress {
    /// Of a session that does not exist yet.
    pub(super) const NOT_BEGUN: Self =
        Self { state: AgeSessionStatus::Pending, attempt: None, ended: (0, None), consent: None };

    pub(super) fn of(session: &AgeSession) -> Self {
        let ended = session.tries.iter().map(|history| history.attempts).sum();
        Self {
            state: session.state,
            attempt: session.attempt.as_ref().map(|attempt| (attempt.id.into(), attempt.method)),
            ended: (ended, session.outcome.as_ref().map(|outcome| outcome.at)),
            consent: session.consent.map(|consent| (consent.given, consent.at)),
        }
    }
}

/// A session as its steps refer to it. Nothing is recorded of sessions of the issuer of blind tokens: whoever gets a token
/// must not be found by it.
pub(super) fn recorded(session: &AgeSession) -> Option<RecordedSession> {
    session.issues.is_none().then(|| RecordedSession {
        kind: SessionKind::Age,
        id: session.id.into(),
        app: session.app,
        sandbox: session.sandbox,
    })
}

/// Records what has changed since `before`.
pub(super) async fn record_changes(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    before: AgeSessionProgress,
    session: &AgeSession,
) -> Result<(), DbError> {
    let after = AgeSessionProgress::of(session);
    let Some(recorded) = recorded(session).filter(|_| after != before) else { return Ok(()) };
    let now = environment.now();
    if let Some((given, _)) = after.consent.filter(|_| after.consent != before.consent) {
        let outcome = if given { SessionStepOutcome::Passed } else { SessionStepOutcome::Failed };
        let end = StepEnd::of(outcome);
        recorded.record(tx, environment, SessionStepKind::Consent, "BIOMETRIC", end).await?;
    }
    // What a reviewer sets on appeal is no attempt.
    let outcome =
        session.outcome.as_ref().filter(|outcome| after.ended != before.ended && !outcome.overturned);
    match (before.attempt, outcome) {
        (Some((attempt, _)), Some(outcome)) => {
            let end = StepEnd::because(attempt_outcome(session, before), outcome.error_code.as_deref());
            session_steps::end(tx, attempt, end, now).await?;
        }
        (Some((attempt, _)), None) if before.attempt != after.attempt => {
            session_steps::end(tx, attempt, StepEnd::of(SessionStepOutcome::Left), now).await?;
        }
        // An address that the relying party has verified, or what a sandbox was set to.
        (None, Some(outcome)) => {
            let end = StepEnd::because(attempt_outcome(session, before), outcome.error_code.as_deref());
            let method = outcome.method.as_str();
            recorded.record(tx, environment, SessionStepKind::Method, method, end).await?;
        }
        _ => {}
    }
    if let Some((attempt, method)) = after.attempt.filter(|_| after.attempt != before.attempt) {
        recorded.begin(tx, attempt, SessionStepKind::Method, method.as_str(), now).await?;
    }
    if after.state != before.state {
        if before.state.is_ended() {
            session_steps::reopen(tx, recorded.id).await?;
        }
        if let Some(end) = session_end(session) {
            session_steps::end(tx, recorded.id, end, now).await?;
        }
    }
    Ok(())
}

/// How the last attempt ended.
fn attempt_outcome(session: &AgeSession, before: AgeSessionProgress) -> SessionStepOutcome {
    let Some(outcome) = &session.outcome else { return SessionStepOutcome::Undecided };
    if outcome.passed {
        return SessionStepOutcome::Passed;
    }
    let counted = AgeSessionProgress::of(session).ended.0 != before.ended.0;
    let history = session.tries.iter().find(|history| counted && history.method == outcome.method);
    let failed = history.map_or(session.state == AgeSessionStatus::Fail, |history| history.failed);
    if failed { SessionStepOutcome::Failed } else { SessionStepOutcome::Undecided }
}

/// How the session ended; `None` if it has not.
fn session_end(session: &AgeSession) -> Option<StepEnd<'_>> {
    let reason = session.outcome.as_ref().and_then(|outcome| outcome.error_code.as_deref());
    Some(match session.state {
        AgeSessionStatus::Complete => StepEnd::of(SessionStepOutcome::Passed),
        AgeSessionStatus::Fail => StepEnd::because(SessionStepOutcome::Failed, reason),
        AgeSessionStatus::Error => StepEnd::because(SessionStepOutcome::Undecided, reason),
        AgeSessionStatus::Cancelled => StepEnd::because(SessionStepOutcome::Left, Some("CANCELLED")),
        AgeSessionStatus::Expired => StepEnd::because(SessionStepOutcome::Left, Some("EXPIRED")),
        AgeSessionStatus::Pending | AgeSessionStatus::InProgress | AgeSessionStatus::Processing => {
            return None;
        }
    })
}
