//! `doc_scan`: a document session of this server, whose resources are deleted as soon as its age is known.

use super::{AttemptContext, AttemptStep, StepOutcome, StepPrompt};
use crate::{
    age_verification::{
        AgeSessionError, AgeVerificationService, decision,
        session::{AgeMethodVerdict, AgeSession},
        session_config::AgeMethodConfig,
        types::{
            AgeFailureReason, AgeMethod as Method, AuthenticityLevel as Authenticity, LivenessLevel as Level,
        },
    },
    document_verification::{
        self, CreateDocumentSession, DocumentSessionOutcome as Came,
        request::{
            DocumentSessionRequest, RESOURCES_TTL_SECONDS, RequestedCheck, RequestedTask, RequiredDocument,
            SdkConfig, TOKEN_TTL_SECONDS,
        },
        types::{LivenessType, ManualCheck, ResourceKind, TaskType, VerificationCheckType},
    },
};
use base::{AgeAttemptId, AgeSessionId, DocumentSessionId, SignedDuration, Timestamp, Uuid};
use jobs::{Job, JobError, JobOutcome, Lane, RetryPolicy};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How often the page asks how the checks are doing, milliseconds.
const POLL_INTERVAL_MS: u32 = 2000;
/// How often the server looks by itself, as the person may have closed the page: while checks run, and while they are at it.
const CHECKS_POLL_INTERVAL: SignedDuration = SignedDuration::from_secs(5);
const CAPTURE_POLL_INTERVAL: SignedDuration = SignedDuration::from_secs(20);
/// Seconds that resources are kept beyond the session's own time; they go as soon as the age is known.
const RESOURCES_GRACE_SECONDS: i64 = 3600;

/// Nobody finished the document session.
const SESSION_ENDED_REASON: AgeFailureReason = AgeFailureReason::DocumentSessionEnded;

/// The document session of an attempt.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct LinkedDocumentSession {
    session: DocumentSessionId,
    token: Uuid,
}

/// Ends an attempt at `doc_scan` when its document session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowDocumentSession {
    /// Of which session.
    pub session: AgeSessionId,
    /// Which attempt.
    pub attempt: AgeAttemptId,
}

impl Job for FollowDocumentSession {
    const KIND: &'static str = "follow-age-document";
    const LANE: Lane = Lane::Quick;
    const RETRY: RetryPolicy = RetryPolicy { waits: &[5, 10, 60, 300, 600], jitter: 0.2 };
}

/// What the document session is asked for.
fn document_session_request(
    session: &AgeSession,
    block: &AgeMethodConfig,
    now: Timestamp,
) -> DocumentSessionRequest {
    let seconds = session.seconds_left(now);
    // Both end at the same moment: one that ended first would make of somebody who only ran out of time one who failed.
    let [earliest, latest] = [TOKEN_TTL_SECONDS.start(), TOKEN_TTL_SECONDS.end()]
        .map(|seconds| now + SignedDuration::from_secs(*seconds));
    let until = session.wanted.until.clamp(earliest, latest);
    let mut checks = Vec::new();
    if block.authenticity != Authenticity::Off {
        let by_hand = block.authenticity == Authenticity::Manual;
        let manual_check = if by_hand { ManualCheck::Always } else { ManualCheck::Never };
        checks.push(RequestedCheck {
            manual_check,
            ..RequestedCheck::new(VerificationCheckType::Authenticity)
        });
    }
    if block.level != Level::None {
        let active = block.level == Level::Active;
        let liveness_type = Some(if active { LivenessType::Zoom } else { LivenessType::Static });
        checks.push(RequestedCheck { liveness_type, ..RequestedCheck::new(VerificationCheckType::Liveness) });
        checks.push(RequestedCheck::new(VerificationCheckType::FaceMatch));
    }
    DocumentSessionRequest {
        resources_ttl: (seconds + RESOURCES_GRACE_SECONDS).max(*RESOURCES_TTL_SECONDS.start()),
        // Whoever comes here was asked on the page of the age session, or by the business.
        block_biometric_consent: true,
        checks,
        tasks: vec![RequestedTask::new(TaskType::IdDocument)],
        documents: vec![RequiredDocument::new(ResourceKind::IdDocument)],
        sdk_config: SdkConfig {
            allow_handoff: !block.disable_mobile_hand_off.unwrap_or(false),
            preset_issuing_country: block.preset_issuing_country.clone(),
            privacy_policy_url: session.wanted.privacy_policy.clone(),
            ..SdkConfig::default()
        },
        ..DocumentSessionRequest::new(until)
    }
}

impl AgeVerificationService {
    pub(super) async fn open_document(&self, at: AttemptContext<'_>) -> Result<StepOutcome, AgeSessionError> {
        let world = &*self.0.world;
        let identities = &self.0.identities;
        let request = document_session_request(at.session, at.block, world.now());
        let violations = identities.violations(&request);
        if !violations.is_empty() {
            return Err(AgeSessionError::InvalidRequest(violations));
        }
        let (app, sandbox) = (at.session.app, at.session.sandbox);
        let mut tx = self.0.db.write().await?;
        let made =
            identities.create(&mut tx, CreateDocumentSession { app, sandbox, request, device: None }).await?;
        let job = FollowDocumentSession { session: at.session.id, attempt: at.attempt.id };
        jobs::enqueue_at(&mut tx, world, &job, world.now() + CAPTURE_POLL_INTERVAL).await?;
        tx.commit().await?;
        let used = LinkedDocumentSession { session: made.id, token: made.token };
        Ok(StepOutcome::Prompt(StepPrompt {
            attempt_state: Some(json!(used)),
            ..self.document_prompt(at, used)
        }))
    }

    fn document_prompt(&self, at: AttemptContext<'_>, used: LinkedDocumentSession) -> StepPrompt {
        let url = self.0.identities.page_url(at.session.sandbox, used.session, used.token);
        StepPrompt::new(AttemptStep::Document { url }, Value::Null)
    }

    pub(super) async fn poll_document(&self, at: AttemptContext<'_>) -> Result<StepOutcome, AgeSessionError> {
        let used: Option<LinkedDocumentSession> = serde_json::from_value(at.attempt.held.clone()).ok();
        let Some(used) = used else { return Err(AgeSessionError::StaleContinuation) };
        let (identities, app, sandbox) = (&self.0.identities, at.session.app, at.session.sandbox);
        let gone = || StepOutcome::Finished(AgeMethodVerdict::Undecided { code: SESSION_ENDED_REASON });
        let held = match identities.find_for_relying_party(app, used.session, sandbox).await {
            Ok(held) => held,
            Err(document_verification::DocumentSessionError::SessionNotFound) => return Ok(gone()),
            Err(error) => return Err(map_document_error(error)),
        };
        let came = identities.outcome(&held).await.map_err(map_document_error)?;
        let verdict = match came {
            Came::Open => return Ok(StepOutcome::Prompt(self.document_prompt(at, used))),
            Came::Checking => {
                let waits =
                    at.session.wanted.synchronous_checks || at.block.synchronous_checks.unwrap_or(false);
                let wait = StepOutcome::Prompt(StepPrompt::new(
                    AttemptStep::Wait { poll_ms: POLL_INTERVAL_MS },
                    Value::Null,
                ));
                return Ok(if waits { wait } else { StepOutcome::Pending });
            }
            Came::Expired => return Ok(gone()),
            Came::Approved(Some(born)) => {
                let today = self.today();
                let evidence = Some(used.session.to_string());
                decision::decide_from_evidence(
                    age_methods::AgeAttribute::DateOfBirth(born),
                    &at.session.wanted,
                    at.block,
                    today,
                    evidence,
                )
            }
            Came::Approved(None) => AgeMethodVerdict::Undecided { code: AgeFailureReason::NoDateOfBirth },
            Came::Refused(reason) => AgeMethodVerdict::Undecided { code: rejection_reason(&reason) },
        };
        Ok(StepOutcome::Finished(verdict))
    }

    /// Deletes what was supplied, once the attempt has ended that it was supplied for. Where that fails, it goes when the
    /// document session's own time is over.
    pub(in crate::age_verification) async fn delete_document_session(
        &self,
        session: &AgeSession,
        held: Value,
    ) {
        let Ok(used) = serde_json::from_value::<LinkedDocumentSession>(held) else { return };
        match self.0.identities.delete(session.app, used.session, session.sandbox).await {
            Ok(()) | Err(document_verification::DocumentSessionError::SessionNotFound) => {}
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    session.id = %session.id,
                    "a document session is left to its own end"
                );
            }
        }
    }

    /// Runs a [`FollowDocumentSession`].
    pub(in crate::age_verification) async fn follow_document(
        &self,
        job: &FollowDocumentSession,
    ) -> Result<JobOutcome, JobError> {
        let now = self.0.world.now();
        let again = Ok(JobOutcome::Again(now + CHECKS_POLL_INTERVAL));
        let Some(session) = self.find_session(job.session).await? else { return Ok(JobOutcome::Done) };
        let Some(attempt) = session.attempt.as_ref().filter(|attempt| attempt.id == job.attempt) else {
            return Ok(JobOutcome::Done);
        };
        let Some(block) = session.wanted.method_config(Method::DocScan) else { return Ok(JobOutcome::Done) };
        let turn = attempt.turn;
        let next =
            self.poll_document(AttemptContext { session: &session, block, attempt, locale: "" }).await?;
        match next {
            // The page shows what the person is to do; nothing is to be written down.
            StepOutcome::Prompt(ask) if matches!(ask.step, AttemptStep::Document { .. }) => {
                Ok(JobOutcome::Again(now + CAPTURE_POLL_INTERVAL))
            }
            StepOutcome::Prompt(_) => again,
            StepOutcome::Pending
                if session.state == crate::age_verification::types::AgeSessionStatus::Processing =>
            {
                again
            }
            // Both ran out of time, and a session that did stays as it was.
            StepOutcome::Finished(AgeMethodVerdict::Undecided { code: SESSION_ENDED_REASON })
                if !session.is_live(self.0.world.now()) =>
            {
                self.delete_document_session(&session, attempt.held.clone()).await;
                Ok(JobOutcome::Done)
            }
            next => match self.commit_step_outcome(job.session, job.attempt, turn, next, "").await {
                Ok(turn) if turn.session.attempt.is_some() => again,
                Ok(_) | Err(AgeSessionError::StaleContinuation | AgeSessionError::SessionNotFound) => {
                    Ok(JobOutcome::Done)
                }
                Err(error) => Err(error.into()),
            },
        }
    }
}

/// Why a document does not do, in the words of its checks.
fn rejection_reason(reason: &str) -> AgeFailureReason {
    match reason.parse() {
        Ok(
            reason @ (AgeFailureReason::ExpiredDocument
            | AgeFailureReason::DataMismatch
            | AgeFailureReason::DocNumberInvalid
            | AgeFailureReason::Tampered
            | AgeFailureReason::DocumentCopy
            | AgeFailureReason::FraudListMatch
            | AgeFailureReason::DifferentPerson
            | AgeFailureReason::LargeAgeGap
            | AgeFailureReason::PhotoOfPhoto
            | AgeFailureReason::LivenessNotProven
            | AgeFailureReason::FaceNotFound
            | AgeFailureReason::MultipleFaces
            | AgeFailureReason::CountryNotSupported
            | AgeFailureReason::DocumentNotSupported),
        ) => reason,
        _ => AgeFailureReason::DocumentNotAccepted,
    }
}

/// What went wrong in the document session, in our words.
fn map_document_error(error: document_verification::DocumentSessionError) -> AgeSessionError {
    match error {
        document_verification::DocumentSessionError::Db(error) => AgeSessionError::Db(error),
        document_verification::DocumentSessionError::Models(refusal) => {
            AgeSessionError::ImageAnalysis(refusal)
        }
        other => AgeSessionError::InvalidState(other.to_string()),
    }
}
