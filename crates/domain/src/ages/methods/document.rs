//! `doc_scan`: a document session of this server, whose resources are deleted as soon as its age is known.

use super::{Ask, At, Next, Step};
use crate::{
    ages::{
        Ages, NotDone, judge,
        session::{Session, Verdict},
        wanted::Block,
        words::{
            AgeFailureReason, AgeMethod as Method, AuthenticityLevel as Authenticity, LivenessLevel as Level,
        },
    },
    identity::{
        self, Outcome as Came,
        flow::CreateSession,
        request::{
            RESOURCES_TTL_SECONDS, RequestedCheck, RequestedTask, RequiredDocument, SdkConfig,
            SessionRequest, TOKEN_TTL_SECONDS,
        },
        words::{CheckType, LivenessType, ManualCheck, ResourceKind, TaskType},
    },
};
use base::{AgeSessionId, AttemptId, SessionId, SignedDuration, Timestamp, Uuid};
use jobs::{Failure, Job, Lane, Outcome, Retry};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How often the page asks how the checks are doing, milliseconds.
const POLL_MS: u32 = 2000;
/// How often the server looks by itself, as the person may have closed the page: while checks run, and while he is at it.
const EVERY: SignedDuration = SignedDuration::from_secs(5);
const SELDOM: SignedDuration = SignedDuration::from_secs(20);
/// Seconds that resources are kept beyond the session's own time; they go as soon as the age is known.
const LONGER: i64 = 3600;

/// Nobody finished the document session.
const ENDED: AgeFailureReason = AgeFailureReason::DocumentSessionEnded;

/// The document session of an attempt.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Used {
    session: SessionId,
    token: Uuid,
}

/// Ends an attempt at `doc_scan` when its document session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowDocument {
    /// Of which session.
    pub session: AgeSessionId,
    /// Which attempt.
    pub attempt: AttemptId,
}

impl Job for FollowDocument {
    const KIND: &'static str = "follow-age-document";
    const LANE: Lane = Lane::Quick;
    const RETRY: Retry = Retry { waits: &[5, 10, 60, 300, 600], jitter: 0.2 };
}

/// What the document session is asked for.
fn request(session: &Session, block: &Block, now: Timestamp) -> SessionRequest {
    let seconds = session.seconds_left(now);
    // Both end at the same moment: one that ended first would make of somebody who only ran out of time one who failed.
    let [earliest, latest] = [TOKEN_TTL_SECONDS.start(), TOKEN_TTL_SECONDS.end()]
        .map(|seconds| now + SignedDuration::from_secs(*seconds));
    let until = session.wanted.until.clamp(earliest, latest);
    let mut checks = Vec::new();
    if block.authenticity != Authenticity::Off {
        let by_hand = block.authenticity == Authenticity::Manual;
        let manual_check = if by_hand { ManualCheck::Always } else { ManualCheck::Never };
        checks.push(RequestedCheck { manual_check, ..RequestedCheck::new(CheckType::Authenticity) });
    }
    if block.level != Level::None {
        let active = block.level == Level::Active;
        let liveness_type = Some(if active { LivenessType::Zoom } else { LivenessType::Static });
        checks.push(RequestedCheck { liveness_type, ..RequestedCheck::new(CheckType::Liveness) });
        checks.push(RequestedCheck::new(CheckType::FaceMatch));
    }
    SessionRequest {
        resources_ttl: (seconds + LONGER).max(*RESOURCES_TTL_SECONDS.start()),
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
        ..SessionRequest::new(until)
    }
}

impl Ages {
    pub(super) async fn open_document(&self, at: At<'_>) -> Result<Next, NotDone> {
        let world = &*self.0.world;
        let identities = &self.0.identities;
        let request = request(at.session, at.block, world.now());
        let violations = identities.violations(&request);
        if !violations.is_empty() {
            return Err(NotDone::Invalid(violations));
        }
        let (app, sandbox) = (at.session.app, at.session.sandbox);
        let mut tx = self.0.db.write().await?;
        let made = identities.create(&mut tx, CreateSession { app, sandbox, request, device: None }).await?;
        let job = FollowDocument { session: at.session.id, attempt: at.attempt.id };
        jobs::enqueue_at(&mut tx, world, &job, world.now() + SELDOM).await?;
        tx.commit().await?;
        let used = Used { session: made.id, token: made.token };
        Ok(Next::Ask(Ask { kept: Some(json!(used)), ..self.document_step(at, used) }))
    }

    fn document_step(&self, at: At<'_>, used: Used) -> Ask {
        let url = self.0.identities.page_url(at.session.sandbox, used.session, used.token);
        Ask::new(Step::Document { url }, Value::Null)
    }

    pub(super) async fn look_at_document(&self, at: At<'_>) -> Result<Next, NotDone> {
        let used: Option<Used> = serde_json::from_value(at.attempt.held.clone()).ok();
        let Some(used) = used else { return Err(NotDone::Stale) };
        let (identities, app, sandbox) = (&self.0.identities, at.session.app, at.session.sandbox);
        let gone = || Next::End(Verdict::Undecided { code: ENDED });
        let held = match identities.of(app, used.session, sandbox).await {
            Ok(held) => held,
            Err(identity::NotDone::NoSession) => return Ok(gone()),
            Err(error) => return Err(foreign(error)),
        };
        let came = identities.outcome(&held).await.map_err(foreign)?;
        let verdict = match came {
            Came::Open => return Ok(Next::Ask(self.document_step(at, used))),
            Came::Checking => {
                let waits =
                    at.session.wanted.synchronous_checks || at.block.synchronous_checks.unwrap_or(false);
                let wait = Next::Ask(Ask::new(Step::Wait { poll_ms: POLL_MS }, Value::Null));
                return Ok(if waits { wait } else { Next::Waits });
            }
            Came::Expired => return Ok(gone()),
            Came::Approved(Some(born)) => {
                let today = self.today();
                let evidence = Some(used.session.to_string());
                judge::finding(::methods::Known::Born(born), &at.session.wanted, at.block, today, evidence)
            }
            Came::Approved(None) => Verdict::Undecided { code: AgeFailureReason::NoDateOfBirth },
            Came::Refused(reason) => Verdict::Undecided { code: refusal(&reason) },
        };
        Ok(Next::End(verdict))
    }

    /// Deletes what was supplied, once the attempt has ended that it was supplied for. Where that fails, it goes when the
    /// document session's own time is over.
    pub(in crate::ages) async fn forget_document(&self, session: &Session, held: Value) {
        let Ok(used) = serde_json::from_value::<Used>(held) else { return };
        match self.0.identities.delete(session.app, used.session, session.sandbox).await {
            Ok(()) | Err(identity::NotDone::NoSession) => {}
            Err(error) => {
                tracing::warn!(session.id = %session.id, "a document session is left to its own end: {error}");
            }
        }
    }

    /// Runs a [`FollowDocument`].
    pub(in crate::ages) async fn follow_document(&self, job: &FollowDocument) -> Result<Outcome, Failure> {
        let now = self.0.world.now();
        let again = Ok(Outcome::Again(now + EVERY));
        let Some(session) = self.find(job.session).await? else { return Ok(Outcome::Done) };
        let Some(attempt) = session.attempt.as_ref().filter(|attempt| attempt.id == job.attempt) else {
            return Ok(Outcome::Done);
        };
        let Some(block) = session.wanted.block(Method::DocScan) else { return Ok(Outcome::Done) };
        let turn = attempt.turn;
        let next = self.look_at_document(At { session: &session, block, attempt, locale: "" }).await?;
        match next {
            // The page shows what the person is to do; nothing is to be written down.
            Next::Ask(ask) if matches!(ask.step, Step::Document { .. }) => Ok(Outcome::Again(now + SELDOM)),
            Next::Ask(_) => again,
            Next::Waits if session.state == crate::ages::words::AgeSessionStatus::Processing => again,
            // Both ran out of time, and a session that did stays as it was.
            Next::End(Verdict::Undecided { code: ENDED }) if !session.lives(self.0.world.now()) => {
                self.forget_document(&session, attempt.held.clone()).await;
                Ok(Outcome::Done)
            }
            next => match self.settle(job.session, job.attempt, turn, next, "").await {
                Ok(turn) if turn.session.attempt.is_some() => again,
                Ok(_) | Err(NotDone::Stale | NotDone::NoSession) => Ok(Outcome::Done),
                Err(error) => Err(error.into()),
            },
        }
    }
}

/// Why a document does not do, in the words of its checks.
fn refusal(reason: &str) -> AgeFailureReason {
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
fn foreign(error: identity::NotDone) -> NotDone {
    match error {
        identity::NotDone::Db(error) => NotDone::Db(error),
        identity::NotDone::Models(refusal) => NotDone::Models(refusal),
        other => NotDone::State(other.to_string()),
    }
}
