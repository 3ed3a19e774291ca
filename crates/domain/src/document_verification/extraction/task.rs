//! How a task ends: what becomes of its document, of the text-data check that it causes, and of the requirement.

use crate::document_verification::{
    background_jobs::ReadDocument,
    error::DocumentSessionError,
    findings::DocumentFindings,
    notifications::NotificationSubject,
    session::{
        DocumentSession, SessionMedia, TaskNextStep, VerificationCheck, requirement_event_after,
        state_machine::TaskEvent,
    },
    types::{
        CheckState, ManualCheck, NotificationTopic, ResourceKind, TaskAdvice, TaskAdviceReason, TaskType,
        VerificationCheckType,
    },
    unit_of_work::SideEffects,
};
use base::{Environment, MediaId, VerificationCheckId};

/// The result of a task; its media are written already.
pub(super) struct TaskOutcome {
    pub(super) next: TaskNextStep,
    pub(super) findings: Option<DocumentFindings>,
    /// What was read, as JSON.
    pub(super) fields: Option<SessionMedia>,
    pub(super) portrait: Option<SessionMedia>,
}

impl TaskOutcome {
    /// There was nothing that could be read.
    pub(super) fn nothing_read() -> Self {
        let next =
            TaskNextStep::try_again(TaskAdvice::MustTryAgain, TaskAdviceReason::Quality, "NO_DOCUMENT");
        Self { next, findings: None, fields: None, portrait: None }
    }

    /// The media that were written for it.
    pub(super) fn media_ids(&self) -> Vec<MediaId> {
        [&self.fields, &self.portrait].into_iter().flatten().map(|media| media.id).collect()
    }
}

/// Ends a task: with its result, or (`None`) as failed through a fault of this server.
pub(super) fn complete_task(
    session: &mut DocumentSession,
    effects: &mut SideEffects,
    env: &dyn Environment,
    job: &ReadDocument,
    outcome: Option<TaskOutcome>,
) -> Result<(), DocumentSessionError> {
    let manual_check = |kind: TaskType| {
        session.requested.task(kind).map_or(ManualCheck::Never, |requested| requested.manual_check)
    };
    let document = session.resources.iter().find(|known| known.id == job.resource);
    let (check_kind, manual_check) =
        match document.ok_or(DocumentSessionError::ItemNotFound("resource"))?.kind {
            ResourceKind::SupplementaryDocument => {
                (VerificationCheckType::SupplementaryTextData, manual_check(TaskType::SupplementaryDocument))
            }
            _ => (VerificationCheckType::TextData, manual_check(TaskType::IdDocument)),
        };
    let mut check =
        VerificationCheck::begin(env, check_kind, CheckState::Created, vec![job.resource], manual_check);
    let check_id: VerificationCheckId = check.id;

    let resource = session.require_resource_mut(job.resource)?;
    // Of pictures that were deleted meanwhile nothing is kept.
    let outcome = outcome.map(|outcome| {
        let left = resource.readable_media();
        let mut read = outcome.findings.iter().flat_map(|findings| &findings.of);
        if left.is_empty() || read.any(|picture| !left.contains(picture)) {
            effects.discarded_media.extend(outcome.media_ids());
            TaskOutcome::nothing_read()
        } else {
            outcome
        }
    });
    let task = resource.tasks.iter_mut().find(|task| task.id == job.task);
    let task = task.ok_or(DocumentSessionError::ItemNotFound("task"))?;
    let event = if outcome.is_some() { TaskEvent::Completed } else { TaskEvent::Failed };
    task.state = task.state.after(event)?;
    task.last_updated = env.now();
    let next = match &outcome {
        Some(outcome) => outcome.next.clone(),
        None => TaskNextStep::try_again(TaskAdvice::ShouldTryAgain, TaskAdviceReason::Error, "SERVER_ERROR"),
    };
    task.recommendation = Some(next.clone());
    task.generated_checks.push(check_id);
    let mut added = Vec::new();
    if let Some(TaskOutcome { findings, fields, portrait, .. }) = outcome {
        task.generated_media.extend(fields.as_ref().map(|media| media.id));
        resource.findings = findings;
        if let Some(fields) = fields {
            check.generated_media.push(fields.id);
            resource.document_fields = Some(fields.id);
            added.push(fields);
        }
        if let Some(portrait) = portrait {
            effects.discarded_media.extend(resource.id_photo.replace(portrait.id));
            added.push(portrait);
        }
    }
    session.media.extend(added);
    let mut requirements = session.requirements.iter_mut();
    let requirement = requirements.find(|requirement| requirement.resource == Some(job.resource));
    let attempts_left = requirement.map_or(0, |requirement| {
        if next.is_reclassification() {
            requirement.count_reclassification();
        }
        requirement.attempts_remaining()
    });
    replace_text_data_check(session, check);
    session.apply_requirement_event(job.resource, requirement_event_after(next.value, attempts_left))?;
    session.mark_updated(job.resource, env);
    effects.notify(NotificationTopic::TaskCompletion, NotificationSubject::Task(job.task));
    effects.notify(NotificationTopic::ResourceUpdate, NotificationSubject::Resource(job.resource));
    Ok(())
}

/// Adds the check of what was read last of a document; a check of what was read before goes.
fn replace_text_data_check(session: &mut DocumentSession, check: VerificationCheck) {
    session.checks.retain(|known| {
        known.state != CheckState::Created
            || !check.resources_used.iter().any(|resource| known.resources_used.contains(resource))
    });
    session.checks.push(check);
    for resource in &mut session.resources {
        for task in &mut resource.tasks {
            task.generated_checks.retain(|id| session.checks.iter().any(|known| known.id == *id));
        }
    }
}
