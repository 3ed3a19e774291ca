//! `doc_scan`: the end user goes through a document verification session of this server. What they supplied is deleted
//! as soon as the age is known.

use super::{AgeMethodHandler, AttemptContext, AttemptStep, StepFuture, StepOutcome, StepPrompt, TurnInput};
use crate::{
    age_verification::{
        AgeSessionError,
        decision::AgeDecider,
        document_follow_up::FollowDocumentSession,
        session::{AgeMethodVerdict, AgeSession, MethodAttempt},
        session_config::AgeMethodConfig,
        types::{AgeFailureReason, AuthenticityLevel, LivenessLevel},
    },
    document_verification::{
        CreateDocumentSession, DocumentSessionError, DocumentSessionOutcome, DocumentVerificationService,
        request::{
            DocumentSessionRequest, RESOURCES_TTL_SECONDS, RequestedCheck, RequestedTask, RequiredDocument,
            SdkConfig, TOKEN_TTL_SECONDS,
        },
        restrictions::DocumentRestrictions,
        types::{LivenessType, ManualCheck, ResourceKind, TaskType, VerificationCheckType},
    },
};
use age_methods::AgeAttribute;
use base::{DocumentSessionId, Environment, SignedDuration, Timestamp, Uuid};
use db::Db;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// How often the page polls while checks run, milliseconds.
const POLL_INTERVAL_MS: u32 = 2000;
/// Seconds that what was supplied is kept beyond the end of the session, at most; normally it is deleted once the age
/// is known.
const RESOURCES_GRACE_SECONDS: i64 = 3600;
/// The document session ended without a result.
pub(in crate::age_verification) const SESSION_ENDED_REASON: AgeFailureReason =
    AgeFailureReason::DocumentSessionEnded;

#[derive(Debug)]
pub(in crate::age_verification) struct DocumentMethod {
    db: Db,
    environment: Arc<dyn Environment>,
    documents: DocumentVerificationService,
    decider: Arc<AgeDecider>,
}

/// The document session of an attempt: its [`MethodAttempt::state`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct LinkedDocumentSession {
    session: DocumentSessionId,
    /// The token with which the page opens it.
    token: Uuid,
}

impl AgeMethodHandler for DocumentMethod {
    /// It needs no provider.
    fn is_available(&self) -> bool {
        true
    }

    fn open<'a>(&'a self, context: AttemptContext<'a>) -> StepFuture<'a> {
        Box::pin(self.create_document_session(context))
    }

    fn process_turn<'a>(&'a self, context: AttemptContext<'a>, _: Value, _: &'a TurnInput) -> StepFuture<'a> {
        Box::pin(self.poll(context))
    }

    fn is_status_poll(&self, _: &MethodAttempt, _: &TurnInput) -> bool {
        true
    }

    fn may_end_while_polling(&self) -> bool {
        true
    }

    fn discard<'a>(&'a self, session: &'a AgeSession, state: Value) -> BoxFuture<'a, ()> {
        Box::pin(self.delete_document_session(session, state))
    }
}

impl DocumentMethod {
    pub(in crate::age_verification) fn new(
        db: Db,
        environment: Arc<dyn Environment>,
        documents: DocumentVerificationService,
        decider: Arc<AgeDecider>,
    ) -> Self {
        Self { db, environment, documents, decider }
    }

    /// Creates a document session, and queues the job that follows it.
    async fn create_document_session(
        &self,
        context: AttemptContext<'_>,
    ) -> Result<StepOutcome, AgeSessionError> {
        let request = document_session_request(context.session, context.config, self.environment.now());
        let violations = self.documents.violations(&request, context.session.sandbox);
        if !violations.is_empty() {
            return Err(AgeSessionError::InvalidRequest(violations));
        }
        let (app, sandbox) = (context.session.app, context.session.sandbox);
        let mut tx = self.db.write().await?;
        let unrecorded = context.session.issues.is_some();
        let command = CreateDocumentSession {
            app,
            sandbox,
            request,
            device: None,
            unrecorded,
            serves_age_session: true,
        };
        let created = self.documents.create(&mut tx, command).await?;
        let job = FollowDocumentSession {
            session: context.session.id,
            attempt: context.attempt.id,
            document: Some(created.id),
        };
        job.enqueue(&mut tx, &*self.environment).await?;
        tx.commit().await?;
        let linked = LinkedDocumentSession { session: created.id, token: created.token };
        Ok(StepOutcome::Prompt(StepPrompt {
            attempt_state: Some(json!(linked)),
            ..self.prompt(context, linked)
        }))
    }

    fn prompt(&self, context: AttemptContext<'_>, linked: LinkedDocumentSession) -> StepPrompt {
        let url = self.documents.page_url(context.session.sandbox, linked.session, linked.token);
        // The page is shown in a frame of this session's page, which may itself be in a frame of the relying party.
        let url = format!("{url}&ageSessionId={}", context.session.id);
        StepPrompt::new(AttemptStep::Document { url }, Value::Null)
    }

    /// What follows from the state of the document session.
    pub(in crate::age_verification) async fn poll(
        &self,
        context: AttemptContext<'_>,
    ) -> Result<StepOutcome, AgeSessionError> {
        let linked: Option<LinkedDocumentSession> =
            serde_json::from_value(context.attempt.state.clone()).ok();
        let linked = linked.ok_or(AgeSessionError::StaleContinuation)?;
        let session_ended =
            || StepOutcome::Finished(AgeMethodVerdict::Undecided { code: SESSION_ENDED_REASON });
        let found =
            self.documents.find(&mut self.db.read_once().await?, context.session.app, linked.session).await?;
        let Some(session) = found else { return Ok(session_ended()) };
        let verdict = match self.documents.outcome(&session).await.map_err(map_document_error)? {
            DocumentSessionOutcome::Open => {
                return Ok(StepOutcome::Prompt(self.prompt(context, linked)));
            }
            DocumentSessionOutcome::Checking => {
                let waits = context.session.wanted.synchronous_checks
                    || context.config.synchronous_checks.unwrap_or(false);
                let step = AttemptStep::Wait { poll_ms: POLL_INTERVAL_MS };
                let wait = StepOutcome::Prompt(StepPrompt::new(step, Value::Null));
                return Ok(if waits { wait } else { StepOutcome::Pending });
            }
            DocumentSessionOutcome::Expired => return Ok(session_ended()),
            DocumentSessionOutcome::Approved(Some(born)) => self.decider.decide_from_evidence(
                AgeAttribute::DateOfBirth(born),
                &context.session.wanted,
                context.config,
                Some(linked.session.to_string()),
            ),
            DocumentSessionOutcome::Approved(None) => {
                AgeMethodVerdict::Undecided { code: AgeFailureReason::NoDateOfBirth }
            }
            DocumentSessionOutcome::Refused(reason) => {
                AgeMethodVerdict::Undecided { code: rejection_reason(&reason) }
            }
        };
        Ok(StepOutcome::Finished(verdict))
    }

    /// Deletes the document session of an attempt.
    async fn delete_document_session(&self, session: &AgeSession, state: Value) {
        if let Ok(linked) = serde_json::from_value::<LinkedDocumentSession>(state) {
            self.discard_document_session(session, linked.session).await;
        }
    }

    /// Deletes the document session of an age session that was erased.
    pub(in crate::age_verification) async fn erase_document_session(
        &self,
        document: DocumentSessionId,
    ) -> Result<(), AgeSessionError> {
        self.documents.erase(document).await.map(drop).map_err(map_document_error)
    }

    /// Deletes a document session of an age session, with everything that was supplied. If that fails, it is deleted when
    /// the document session expires.
    pub(in crate::age_verification) async fn discard_document_session(
        &self,
        session: &AgeSession,
        document: DocumentSessionId,
    ) {
        let deleted = match self.documents.delete(session.app, document, session.sandbox).await {
            // A relying party may not delete a session while its checks run. This one belongs to the application, or it
            // would not have been found, and its attempt is over: nobody waits for the checks.
            Err(DocumentSessionError::ChecksNotFinished) => self.documents.erase(document).await.map(drop),
            deleted => deleted,
        };
        match deleted {
            Ok(()) | Err(DocumentSessionError::SessionNotFound) => {}
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    session.id = %session.id,
                    "a document session could not be deleted, and stays until it expires"
                );
            }
        }
    }
}

/// What the document session asks for.
fn document_session_request(
    session: &AgeSession,
    config: &AgeMethodConfig,
    now: Timestamp,
) -> DocumentSessionRequest {
    let seconds = session.seconds_left(now);
    // Both sessions expire at the same moment: if the document session expired first, the attempt would fail although
    // the end user still had time.
    let [earliest, latest] = [TOKEN_TTL_SECONDS.start(), TOKEN_TTL_SECONDS.end()]
        .map(|seconds| now + SignedDuration::from_secs(*seconds));
    let until = session.wanted.until.clamp(earliest, latest);
    let mut checks = Vec::new();
    if config.authenticity != AuthenticityLevel::Off {
        let is_manual = config.authenticity == AuthenticityLevel::Manual;
        let manual_check = if is_manual { ManualCheck::Always } else { ManualCheck::Never };
        checks.push(RequestedCheck {
            manual_check,
            ..RequestedCheck::new(VerificationCheckType::Authenticity)
        });
    }
    if config.level != LivenessLevel::None {
        let is_active = config.level == LivenessLevel::Active;
        let liveness_type = Some(if is_active { LivenessType::Zoom } else { LivenessType::Static });
        checks.push(RequestedCheck { liveness_type, ..RequestedCheck::new(VerificationCheckType::Liveness) });
        checks.push(RequestedCheck::new(VerificationCheckType::FaceMatch));
    }
    DocumentSessionRequest {
        resources_ttl: (seconds + RESOURCES_GRACE_SECONDS).max(*RESOURCES_TTL_SECONDS.start()),
        // A method that looks at a face is opened only with the end user's consent. Nobody is asked about a document alone,
        // and who agreed to another method has not agreed to this: its portrait is compared with other faces only if the
        // relying party has consent.
        block_biometric_consent: !session.requires_consent() || config.is_biometric(),
        checks,
        tasks: vec![RequestedTask::new(TaskType::IdDocument)],
        documents: vec![RequiredDocument {
            // Where nothing is asked of the document, its date of birth counts even if it has expired.
            filter: DocumentRestrictions {
                allow_expired: config.authenticity == AuthenticityLevel::Off,
                allow_non_latin: config.allow_non_latin_documents == Some(true),
                machine_readable_only: true,
                latin_print_only: config.allow_non_latin_documents == Some(false),
                ..DocumentRestrictions::default()
            },
            ..RequiredDocument::new(ResourceKind::IdDocument)
        }],
        sdk_config: SdkConfig {
            allow_handoff: !config.disable_mobile_hand_off.unwrap_or(false),
            preset_issuing_country: config.preset_issuing_country.clone(),
            privacy_policy_url: session.wanted.privacy_policy.clone(),
            ..SdkConfig::default()
        },
        ..DocumentSessionRequest::new(until)
    }
}

/// Why the document was rejected. `reason` is that of the check that rejected it.
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

/// An error of the document session as one of the age session.
fn map_document_error(error: DocumentSessionError) -> AgeSessionError {
    match error {
        DocumentSessionError::Db(error) => AgeSessionError::Db(error),
        DocumentSessionError::Models(error) => AgeSessionError::ImageAnalysis(error),
        other => AgeSessionError::InvalidState(other.to_string()),
    }
}
