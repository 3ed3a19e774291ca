//! How a check ends: with its report, with a reviewer's decision, or failed.

use crate::document_verification::{
    error::DocumentSessionError,
    notifications::NotificationSubject,
    report::VerificationReport,
    session::{DocumentSession, VerificationCheck, state_machine::CheckEvent},
    types::{ManualCheck, NotificationTopic},
    unit_of_work::SideEffects,
};
use base::{Environment, VerificationCheckId};

/// Ends a check with its automatic report, or refers it to a reviewer. Does nothing, and returns false, if the check does not
/// await a report.
pub(super) fn record_report(
    session: &mut DocumentSession,
    effects: &mut SideEffects,
    env: &dyn Environment,
    id: VerificationCheckId,
    report: VerificationReport,
) -> Result<bool, DocumentSessionError> {
    let awaits = |check: &&mut VerificationCheck| check.id == id && check.awaits_report();
    let Some(check) = session.checks.iter_mut().find(awaits) else { return Ok(false) };
    check.last_updated = env.now();
    // A sandbox has no reviewers.
    if check.manual_check != ManualCheck::Never && !session.sandbox && check.needs_review(&report) {
        check.state = check.state.after(CheckEvent::ReferredToReviewer)?;
        check.draft = Some(report);
        effects.referred_checks.push(id);
        return Ok(true);
    }
    check.state = check.state.after(CheckEvent::Reported)?;
    check.report = Some(report);
    effects.notify(NotificationTopic::CheckCompletion, NotificationSubject::Check(id));
    Ok(true)
}

/// Ends a check as failed.
pub(super) fn record_failure(
    session: &mut DocumentSession,
    effects: &mut SideEffects,
    env: &dyn Environment,
    id: VerificationCheckId,
) -> Result<(), DocumentSessionError> {
    for check in session.checks.iter_mut().filter(|check| check.id == id) {
        check.state = check.state.after(CheckEvent::Failed)?;
        check.last_updated = env.now();
        effects.notify(NotificationTopic::CheckCompletion, NotificationSubject::Check(id));
    }
    Ok(())
}

/// Ends a check that waits for a reviewer with the report that they decided on.
pub(in crate::document_verification) fn record_decision(
    session: &mut DocumentSession,
    effects: &mut SideEffects,
    env: &dyn Environment,
    id: VerificationCheckId,
    report: VerificationReport,
) -> Result<(), DocumentSessionError> {
    let waits = |check: &&mut VerificationCheck| check.id == id && check.draft.is_some();
    let check = session.checks.iter_mut().find(waits).ok_or(DocumentSessionError::ItemNotFound("check"))?;
    check.state = check.state.after(CheckEvent::Reported)?;
    check.automatic_reason = check.draft.take().and_then(|draft| draft.recommendation.reason);
    check.report = Some(report);
    check.last_updated = env.now();
    effects.notify(NotificationTopic::CheckCompletion, NotificationSubject::Check(id));
    Ok(session.complete_if_done(effects)?)
}
