//! The job `read-document`.

use super::{
    extractor::{DocumentExtractor, ExtractedDocument},
    reading_queue::ReadingQueue,
    task::{TaskOutcome, complete_task},
};
use crate::document_verification::{
    background_jobs::ReadDocument,
    document_fields::DocumentFields,
    error::{DocumentSessionError, JobCommitError},
    sandbox_responses::{SandboxPortrait, SandboxResponseStore, SimulatedExtraction},
    session::{SuppliedResource, TaskNextStep},
    store::{DocumentSessionStore, SessionMediaStore, UnsealedDocumentSession},
    types::{MediaType, ResourceKind, SupplementaryObjective, TaskAdvice, TaskAdviceReason, TaskState},
    unit_of_work::{DocumentUnitOfWork, JobEnd},
    vision_runner::DocumentReadError,
};
use jobs::{Job as _, JobError, JobOutcome, Lease, LeaseError};
use std::time::Instant;

/// Runs [`ReadDocument`]: reads a document (or, in a sandbox, takes the configured response) and ends its task.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct ReadDocumentRunner {
    unit_of_work: DocumentUnitOfWork,
    store: DocumentSessionStore,
    media: SessionMediaStore,
    extractor: DocumentExtractor,
    sandbox_responses: SandboxResponseStore,
    queue: ReadingQueue,
}

impl ReadDocumentRunner {
    pub(in crate::document_verification) fn new(
        unit_of_work: DocumentUnitOfWork,
        store: DocumentSessionStore,
        media: SessionMediaStore,
        extractor: DocumentExtractor,
        sandbox_responses: SandboxResponseStore,
        queue: ReadingQueue,
    ) -> Self {
        Self { unit_of_work, store, media, extractor, sandbox_responses, queue }
    }

    pub(in crate::document_verification) async fn run(
        &self,
        job: &ReadDocument,
        lease: &Lease,
    ) -> Result<JobOutcome, JobError> {
        let Some(stored) = self.store.load(job.session).await? else { return Ok(JobOutcome::Done) };
        let session = &stored.session;
        let Some(resource) = session.resources.iter().find(|resource| resource.id == job.resource) else {
            return Ok(JobOutcome::Done);
        };
        let pending =
            resource.tasks.iter().any(|task| task.id == job.task && task.state == TaskState::Pending);
        if !pending {
            return Ok(JobOutcome::Done);
        }
        let read = if session.sandbox {
            self.simulate(&stored, resource).await
        } else {
            let (began, models_retry_at) = (Instant::now(), self.extractor.models_retry_at());
            let read = self.read(&stored, resource).await;
            if let (Err(DocumentReadError::Server(_)), Some(until)) = (&read, models_retry_at) {
                return Ok(JobOutcome::Again(until));
            }
            self.queue.note_job_time(began.elapsed());
            read
        };
        let outcome = match read {
            Ok(outcome) => Some(outcome),
            Err(DocumentReadError::File(error)) => {
                tracing::info!(error = &error as &dyn std::error::Error, "a document cannot be opened");
                Some(TaskOutcome::nothing_read())
            }
            Err(DocumentReadError::Server(error)) if lease.attempts >= ReadDocument::RETRY.attempts() => {
                tracing::error!(error, "a document is not read");
                None
            }
            Err(DocumentReadError::Server(error)) => {
                return Err(JobError { error, not_before: None, permanent: false });
            }
        };
        let written = outcome.as_ref().map(TaskOutcome::media_ids).unwrap_or_default();
        let saved =
            self.unit_of_work.update_in_job(job.session, lease, JobEnd::Finish, |session, effects, env| {
                complete_task(session, effects, env, job, outcome)
            });
        match saved.await {
            Ok(_) => Ok(JobOutcome::Done),
            // Another run has taken over the task, or the session is gone: this run's result does not count.
            Err(
                JobCommitError::LeaseLost(LeaseError::Lost)
                | JobCommitError::Session(
                    DocumentSessionError::SessionNotFound | DocumentSessionError::ItemNotFound(_),
                ),
            ) => {
                self.media.delete(job.session, &written).await;
                Ok(JobOutcome::Done)
            }
            Err(error) => {
                if !error.may_be_committed() {
                    self.media.delete(job.session, &written).await;
                }
                Err(error.into())
            }
        }
    }

    async fn read(
        &self,
        stored: &UnsealedDocumentSession,
        resource: &SuppliedResource,
    ) -> Result<TaskOutcome, DocumentReadError> {
        let ExtractedDocument { findings, portrait } = self.extractor.extract(stored, resource).await?;
        let (next, fields) = if resource.kind == ResourceKind::SupplementaryDocument {
            let objective = stored.session.objective_of(resource);
            let next = match findings.letter_next_step() {
                next if next.value == TaskAdvice::Progress => {
                    missing_proof(objective, findings.letter.as_ref()).unwrap_or(next)
                }
                next => next,
            };
            (next, findings.letter.clone())
        } else {
            let fields = (!findings.fields.is_empty()).then(|| findings.document_fields());
            let restrictions = stored.session.restrictions_of(resource);
            let next = match findings.next_step(resource, &restrictions) {
                // If a check of the session looks at it, that check says so.
                next if next.value != TaskAdvice::MustTryAgain
                    && findings.has_expired()
                    && stored.session.refuses_expired(resource) =>
                {
                    let reason = TaskAdviceReason::UserError;
                    TaskNextStep::try_again(TaskAdvice::MustTryAgain, reason, "EXPIRED_DOCUMENT")
                }
                next => next,
            };
            (next, fields)
        };
        let fields = match fields {
            Some(fields) => Some(self.media.put_json(stored, resource.id, &fields).await?),
            None => None,
        };
        let portrait = match portrait.filter(|_| resource.kind == ResourceKind::IdDocument) {
            Some(jpeg) => {
                Some(self.media.put(stored, MediaType::Image, "image/jpeg", resource.id, &jpeg).await?)
            }
            None => None,
        };
        Ok(TaskOutcome { next, findings: Some(findings), fields, portrait })
    }

    /// The result that the sandbox's response configuration gives for a document.
    async fn simulate(
        &self,
        stored: &UnsealedDocumentSession,
        resource: &SuppliedResource,
    ) -> Result<TaskOutcome, DocumentReadError> {
        let config = self
            .sandbox_responses
            .for_session(&stored.session)
            .await
            .map_err(|error| DocumentReadError::Server(error.to_string()))?;
        let SimulatedExtraction { next, fields, portrait } = config.extraction(resource);
        let fields = self.media.put_json(stored, resource.id, &fields).await?;
        let portrait = match portrait.filter(|_| resource.kind == ResourceKind::IdDocument) {
            Some(SandboxPortrait { content_type, bytes }) => {
                Some(self.media.put(stored, MediaType::Image, content_type, resource.id, &bytes).await?)
            }
            None => None,
        };
        Ok(TaskOutcome { next, findings: None, fields: Some(fields), portrait })
    }
}

/// What to do about a supplementary document that was read and does not prove what it is to prove; `None` if it does.
fn missing_proof(
    objective: Option<SupplementaryObjective>,
    fields: Option<&DocumentFields>,
) -> Option<TaskNextStep> {
    let SupplementaryObjective::ProofOfAddress = objective?;
    let has_address = fields.is_some_and(|fields| fields.structured_postal_address.is_some());
    (!has_address).then(|| {
        TaskNextStep::try_again(TaskAdvice::MustTryAgain, TaskAdviceReason::UserError, "ADDRESS_NOT_FOUND")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document_verification::document_fields::StructuredPostalAddress;

    #[test]
    fn a_proof_of_address_has_an_address() {
        let objective = Some(SupplementaryObjective::ProofOfAddress);
        let without = DocumentFields::default();
        let with = DocumentFields {
            structured_postal_address: Some(StructuredPostalAddress::default()),
            ..DocumentFields::default()
        };
        let detail = |fields| {
            let next: Option<TaskNextStep> = missing_proof(objective, fields);
            next.and_then(|next| next.reason?.detail)
        };
        assert_eq!(detail(Some(&without)).as_deref(), Some("ADDRESS_NOT_FOUND"));
        assert_eq!(detail(None).as_deref(), Some("ADDRESS_NOT_FOUND"));
        assert_eq!(detail(Some(&with)), None);
        assert_eq!(missing_proof(None, Some(&without)), None);
    }
}
