//! Records what happens in sessions, step by step: compares a session with what it was when it was read, in the transaction
//! that saves it.

use super::{
    report::VerificationReport,
    session::{DocumentSession, Requirement, SuppliedResource},
    types::{CheckAdvice, CheckState, RequirementState, ResourceSource, SessionState, TaskAdvice},
};
use crate::session_steps::{
    self, RecordedSession, SessionKind, SessionStepKind, SessionStepOutcome, StepEnd,
};
use base::{Environment, ResourceId, Timestamp, VerificationCheckId};
use db::{DbError, WriteTx};

/// How far a session is, as far as steps tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DocumentSessionProgress {
    state: SessionState,
    has_consent: bool,
    is_submitted: bool,
    /// What end users supply: the requirement, where it stands, what counts for it.
    requirements: Vec<(ResourceId, RequirementState, Option<ResourceId>)>,
    checks: Vec<(VerificationCheckId, CheckState)>,
    /// Media that were redacted one by one.
    redacted: usize,
    is_destroyed: bool,
}

impl DocumentSessionProgress {
    pub(super) fn of(session: &DocumentSession) -> Self {
        let by_end_user =
            session.requirements.iter().filter(|requirement| requirement.source == ResourceSource::EndUser);
        Self {
            state: session.state,
            has_consent: session.biometric_consent.is_some(),
            is_submitted: session.triggered_at.is_some(),
            requirements: by_end_user.map(|known| (known.id, known.standing, known.resource)).collect(),
            checks: session.checks.iter().map(|check| (check.id, check.state)).collect(),
            redacted: session.media.iter().filter(|media| media.redacted).count(),
            is_destroyed: session.destroyed,
        }
    }
}

/// A session as its steps refer to it; `None` if nothing is recorded of it.
pub(super) fn recorded(session: &DocumentSession) -> Option<RecordedSession> {
    (!session.unrecorded).then(|| RecordedSession {
        kind: SessionKind::Document,
        id: session.id.into(),
        app: session.app,
        sandbox: session.sandbox,
    })
}

/// Records what has changed since `before`.
pub(super) async fn record_changes(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    before: &DocumentSessionProgress,
    session: &DocumentSession,
) -> Result<(), DbError> {
    let after = DocumentSessionProgress::of(session);
    let Some(recorded) = recorded(session).filter(|_| after != *before) else { return Ok(()) };
    let (now, passed) = (environment.now(), StepEnd::of(SessionStepOutcome::Passed));
    if after.has_consent && !before.has_consent {
        recorded.record(tx, environment, SessionStepKind::Consent, "BIOMETRIC", passed).await?;
    }
    // What is destroyed leaves no resource, which is no step of the person's.
    if !after.is_destroyed {
        for requirement in &session.requirements {
            let known = before.requirements.iter().find(|(id, ..)| *id == requirement.id);
            if let Some((_, standing, resource)) = known {
                let before = (*standing, *resource);
                record_capture(tx, now, &recorded, session, requirement, before).await?;
            }
        }
    }
    if after.is_submitted && !before.is_submitted {
        recorded.record(tx, environment, SessionStepKind::Submitted, "SESSION", passed).await?;
    }
    record_checks(tx, now, &recorded, before, session).await?;
    if after.is_destroyed && !before.is_destroyed {
        recorded.record(tx, environment, SessionStepKind::Redaction, "RESOURCES", passed).await?;
    } else if after.redacted > before.redacted {
        recorded.record(tx, environment, SessionStepKind::Redaction, "MEDIA", passed).await?;
    }
    if after.state != before.state {
        if after.state == SessionState::Expired {
            recorded.leave_open_steps(tx, now).await?;
        }
        if let Some(end) = session_end(session) {
            session_steps::end(tx, recorded.id, end, now).await?;
        }
    }
    Ok(())
}

/// What became of what was supplied for a requirement.
async fn record_capture(
    tx: &mut WriteTx,
    now: Timestamp,
    recorded: &RecordedSession,
    session: &DocumentSession,
    requirement: &Requirement,
    (standing, resource): (RequirementState, Option<ResourceId>),
) -> Result<(), DbError> {
    if requirement.resource != resource {
        if let Some(replaced) = resource {
            session_steps::end(tx, replaced.into(), StepEnd::of(SessionStepOutcome::Left), now).await?;
        }
        if let Some(new) = requirement.resource {
            let (step, kind) = (SessionStepKind::Capture, requirement.kind.as_str());
            recorded.begin(tx, new.into(), step, kind, now).await?;
        }
    }
    let Some(resource) = requirement.resource.filter(|_| requirement.standing != standing) else {
        return Ok(());
    };
    let supplied = session.resource(requirement.kind, resource);
    let (advice, reason) = supplied.map(last_advice).unwrap_or_default();
    let outcome = match requirement.standing {
        RequirementState::InProgress => return Ok(()),
        RequirementState::Required => SessionStepOutcome::Failed,
        // Declined too often: the checks will report what is wrong with it.
        RequirementState::Fulfilled if advice == Some(TaskAdvice::MustTryAgain) => SessionStepOutcome::Failed,
        RequirementState::Fulfilled => SessionStepOutcome::Passed,
    };
    session_steps::end(tx, resource.into(), StepEnd::because(outcome, reason), now).await
}

/// What the person was told to do after what they supplied was looked at, and why.
fn last_advice(resource: &SuppliedResource) -> (Option<TaskAdvice>, Option<&str>) {
    if let Some(verdict) = &resource.liveness {
        let reason = verdict.detail.as_deref().or(verdict.report.recommendation.reason.as_deref());
        return (Some(verdict.next_step().value), reason);
    }
    let next = resource.tasks.iter().rev().find_map(|task| task.recommendation.as_ref());
    let reason = next.and_then(|next| next.reason.as_ref());
    let word = reason.map(|reason| reason.detail.as_deref().unwrap_or(reason.value.as_str()));
    (next.map(|next| next.value), word)
}

async fn record_checks(
    tx: &mut WriteTx,
    now: Timestamp,
    recorded: &RecordedSession,
    before: &DocumentSessionProgress,
    session: &DocumentSession,
) -> Result<(), DbError> {
    for check in &session.checks {
        let known = before.checks.iter().find(|(id, _)| *id == check.id).map(|(_, state)| *state);
        if known == Some(check.state) {
            continue;
        }
        let has_begun = known.is_some_and(|state| state != CheckState::Created);
        if !has_begun && check.state != CheckState::Created {
            let (step, kind) = (SessionStepKind::Check, check.kind.as_str());
            recorded.begin(tx, check.id.into(), step, kind, now).await?;
        }
        if check.state.is_final() {
            session_steps::end(tx, check.id.into(), check_end(check.report.as_ref()), now).await?;
        }
    }
    Ok(())
}

fn check_end(report: Option<&VerificationReport>) -> StepEnd<'_> {
    let Some(report) = report else {
        return StepEnd::because(SessionStepOutcome::Undecided, Some("INTERNAL_ERROR"));
    };
    let outcome = match report.recommendation.value {
        CheckAdvice::Approve => SessionStepOutcome::Passed,
        CheckAdvice::Reject => SessionStepOutcome::Failed,
        CheckAdvice::Consider | CheckAdvice::NotAvailable => SessionStepOutcome::Undecided,
    };
    StepEnd::because(outcome, report.recommendation.reason.as_deref())
}

/// How the session ended: as the worst of its checks; `None` if it has not.
fn session_end(session: &DocumentSession) -> Option<StepEnd<'_>> {
    match session.state {
        SessionState::Ongoing => None,
        SessionState::Expired => Some(StepEnd::because(SessionStepOutcome::Left, Some("EXPIRED"))),
        SessionState::Completed => {
            let ends = || session.checks.iter().map(|check| check_end(check.report.as_ref()));
            let mut worst = [SessionStepOutcome::Failed, SessionStepOutcome::Undecided].into_iter();
            let found = worst.find_map(|outcome| ends().find(|end| end.outcome == outcome));
            Some(found.unwrap_or(StepEnd::of(SessionStepOutcome::Passed)))
        }
    }
}
