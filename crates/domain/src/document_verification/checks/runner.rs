//! The job `check-session`.

use super::{
    CheckInput,
    decisions::{record_failure, record_report},
    evidence::{Evidence, EvidenceLoader},
    implementation,
    registers::Registers,
    sources::SourceOutcome,
};
use crate::document_verification::{
    background_jobs::RunVerificationChecks,
    error::{DocumentSessionError, JobCommitError},
    extraction::ReadingQueue,
    identity_sources::IdentitySources,
    report::VerificationReport,
    sandbox_responses::SandboxResponseStore,
    session::{SessionMedia, VerificationCheck, state_machine::CheckEvent},
    store::{DocumentSessionStore, SessionMediaStore, UnsealedDocumentSession},
    today,
    traces::NewTrace,
    types::{CheckState, MediaType, VerificationCheckType},
    unit_of_work::{DocumentUnitOfWork, JobEnd},
    vision_runner::DocumentReadError,
};
use base::{DocumentSessionId, Environment, ResourceId, VerificationCheckId};
use jobs::{Job as _, JobError, JobOutcome, Lease, LeaseError};
use media::blobs::BlobError;
use std::{sync::Arc, time::Instant};

/// Runs [`RunVerificationChecks`].
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct CheckRunner {
    env: Arc<dyn Environment>,
    unit_of_work: DocumentUnitOfWork,
    store: DocumentSessionStore,
    media: SessionMediaStore,
    evidence: EvidenceLoader,
    sources: Arc<IdentitySources>,
    registers: Registers,
    sandbox_responses: SandboxResponseStore,
    queue: ReadingQueue,
}

/// A check that has its report.
struct CompletedCheck {
    id: VerificationCheckId,
    report: VerificationReport,
    /// What later sessions are compared with.
    trace: Option<NewTrace>,
}

/// What came of the checks of a run.
#[derive(Default)]
struct CompletedChecks {
    reported: Vec<CompletedCheck>,
    /// Checks that failed for good.
    failed: Vec<VerificationCheckId>,
    /// Shapes of faces that were measured on the way.
    facemaps: Vec<(ResourceId, SessionMedia)>,
    /// Why a check has no result yet; the job tries it again.
    retry_because: Option<String>,
}

impl CheckRunner {
    #[expect(clippy::too_many_arguments, reason = "each is a part of the server, and there is one call")]
    pub(in crate::document_verification) fn new(
        env: Arc<dyn Environment>,
        unit_of_work: DocumentUnitOfWork,
        store: DocumentSessionStore,
        media: SessionMediaStore,
        evidence: EvidenceLoader,
        sources: Arc<IdentitySources>,
        registers: Registers,
        sandbox_responses: SandboxResponseStore,
        queue: ReadingQueue,
    ) -> Self {
        Self { env, unit_of_work, store, media, evidence, sources, registers, sandbox_responses, queue }
    }

    pub(in crate::document_verification) async fn run(
        &self,
        job: &RunVerificationChecks,
        lease: &Lease,
    ) -> Result<JobOutcome, JobError> {
        let stored = match self.start_ready_checks(job.session, lease).await {
            Ok(Some(stored)) => stored,
            Ok(None) => return Ok(JobOutcome::Done),
            Err(error) if is_superseded(&error) => return Ok(JobOutcome::Done),
            Err(error) => return Err(error.into()),
        };
        let models_retry_at = self.evidence.models_retry_at().filter(|_| !stored.session.sandbox);
        let is_last_attempt =
            models_retry_at.is_none() && lease.attempts >= RunVerificationChecks::RETRY.attempts();
        let began = Instant::now();
        let completed = self.run_checks(&stored, is_last_attempt).await?;
        if !stored.session.sandbox && models_retry_at.is_none() {
            self.queue.note_job_time(began.elapsed());
        }
        let retry_because = completed.retry_because.clone();
        match self.save(job.session, lease, completed).await {
            Ok(()) => {}
            Err(error) if is_superseded(&error) => {
                // If the session was deleted meanwhile, the face maps written by this run are left: delete them, too.
                if self.store.load(job.session).await?.is_none() {
                    self.media.delete_all(job.session).await;
                }
                return Ok(JobOutcome::Done);
            }
            Err(error) => return Err(error.into()),
        }
        match (retry_because, models_retry_at) {
            (None, _) => Ok(JobOutcome::Done),
            (Some(_), Some(until)) => Ok(JobOutcome::Again(until)),
            (Some(error), None) => Err(JobError { error, not_before: None, permanent: false }),
        }
    }

    /// Moves checks that are ready to pending; returns the session, or `None` if no check is pending then.
    async fn start_ready_checks(
        &self,
        id: DocumentSessionId,
        lease: &Lease,
    ) -> Result<Option<UnsealedDocumentSession>, JobCommitError> {
        let started = self.unit_of_work.update_in_job(id, lease, JobEnd::Continue, |session, _, env| {
            let now = env.now();
            for check in session.checks.iter_mut().filter(|check| check.state == CheckState::Ready) {
                check.state = check.state.after(CheckEvent::Started)?;
                check.last_updated = now;
            }
            Ok(session.checks.iter().any(|check| check.state == CheckState::Pending))
        });
        let (any_pending, stored) = started.await?;
        Ok(any_pending.then_some(stored))
    }

    /// Runs every check that awaits its report. A check that cannot be made now is left for the next attempt of the
    /// job; at the last attempt it fails.
    async fn run_checks(
        &self,
        stored: &UnsealedDocumentSession,
        is_last_attempt: bool,
    ) -> Result<CompletedChecks, BlobError> {
        let session = &stored.session;
        let (mut completed, mut evidence) = (CompletedChecks::default(), Evidence::default());
        for check in session.checks.iter().filter(|check| check.awaits_report()) {
            match self.build_report(stored, check, &mut evidence, is_last_attempt).await {
                Ok(report) => {
                    let trace = evidence.registers.remove(&check.id).and_then(|found| found.trace);
                    completed.reported.push(CompletedCheck { id: check.id, report, trace });
                }
                Err(error) if is_last_attempt => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        check = check.kind.as_str(),
                        "a check is given up"
                    );
                    completed.failed.push(check.id);
                }
                Err(error) => completed.retry_because = Some(error.to_string()),
            }
        }
        for (id, analysis) in &evidence.faces {
            let resource = session.resources.iter().find(|resource| resource.id == *id);
            if let (Some(map), Some(resource)) = (analysis.face_map(), resource)
                && resource.facemap.is_none()
                && let Ok(bytes) = serde_json::to_vec(&map)
            {
                let content_type = "application/octet-stream";
                let media = self.media.put(stored, MediaType::Binary, content_type, *id, &bytes).await?;
                completed.facemaps.push((*id, media));
            }
        }
        Ok(completed)
    }

    async fn build_report(
        &self,
        stored: &UnsealedDocumentSession,
        check: &VerificationCheck,
        evidence: &mut Evidence,
        is_last_attempt: bool,
    ) -> Result<VerificationReport, DocumentReadError> {
        let session = &stored.session;
        if session.sandbox {
            let config = self.sandbox_responses.for_session(session).await;
            let config = config.map_err(|error| DocumentReadError::Server(error.to_string()))?;
            return Ok(config.report(session, check));
        }
        let implementation = implementation(check.kind);
        let mut wanted = implementation.evidence(session, check);
        // Portraits are compared with those on the list and in earlier sessions.
        wanted.portraits |= check.kind == VerificationCheckType::Authenticity;
        let today = today(&*self.env);
        self.evidence.load(stored, &wanted, today, evidence).await?;
        let today = today.utc;
        let input = CheckInput { session, check, evidence, today };
        if check.kind == VerificationCheckType::Authenticity {
            let live = wanted.faces.first().and_then(|id| input.face(*id));
            let live = live.filter(|_| session.allows_biometrics());
            if let Some(found) = self.registers.look_up(&input, live).await? {
                evidence.registers.insert(check.id, found);
            }
        }
        let input = CheckInput { session, check, evidence, today };
        for question in implementation.questions(&input, &self.sources) {
            let outcome = match self.sources.ask(check.id, &question).await {
                Ok(answer) => SourceOutcome::Answered(answer),
                Err(error) if is_last_attempt => {
                    tracing::error!(error = %error, check = check.kind.as_str(), "a provider is given up");
                    SourceOutcome::Unavailable
                }
                Err(error) => return Err(DocumentReadError::Server(error.to_string())),
            };
            evidence.answers.insert((check.id, question.kind), outcome);
        }
        Ok(implementation.report(&CheckInput { session, check, evidence, today }))
    }

    /// Writes what came of the checks; ends the job if none is left to retry.
    async fn save(
        &self,
        id: DocumentSessionId,
        lease: &Lease,
        completed: CompletedChecks,
    ) -> Result<(), JobCommitError> {
        let end = if completed.retry_because.is_none() { JobEnd::Finish } else { JobEnd::Continue };
        let saved = self.unit_of_work.update_in_job(id, lease, end, |session, effects, env| {
            for CompletedCheck { id, report, trace } in completed.reported {
                if record_report(session, effects, env, id, report)? {
                    effects.traces.extend(trace);
                }
            }
            for id in completed.failed {
                record_failure(session, effects, env, id)?;
            }
            for (id, media) in completed.facemaps {
                if let Some(resource) = session.resource_mut(id) {
                    resource.facemap = Some(media.id);
                    session.media.push(media);
                }
            }
            Ok(session.complete_if_done(effects)?)
        });
        saved.await.map(drop)
    }
}

/// Whether another worker has the job by now, or the session is gone: this run does not count.
fn is_superseded(error: &JobCommitError) -> bool {
    matches!(
        error,
        JobCommitError::LeaseLost(LeaseError::Lost)
            | JobCommitError::Session(DocumentSessionError::SessionNotFound)
    )
}
