//! Appeals: somebody was refused, and asks that a person looks again. The relying party makes the appeal, a reviewer decides
//! it as a case of the console, and the relying party is told.

use super::{
    AgeSessionError,
    appeal_store::{self, AppealRow},
    session::{AgeAttemptOutcome, AgeSession, EstimatedAge, SignalProvenance},
    session_config::AgeMethodConfig,
    step_recorder,
    store::AgeSessionStore,
    types::{AgeFailureReason, AgeMethod, AgeSessionStatus, AgeSessionType, AppealState, LivenessLevel},
    webhooks::ResultNotifier,
};
use crate::{
    cases::{self, CaseKind, CaseSubject, NewCase},
    erasure_keys,
    image_analysis::{ImageAnalyser, sample_faces::encode_jpeg},
    session_steps::{self, SessionStepKind, SessionStepOutcome, StepEnd},
    tenancy::limits::{self, LimitSettings},
};
use base::{AgeSessionId, AppId, CaseId, Environment, SignedDuration, Timestamp, Uuid};
use db::{AuditEvent, Db, ReadTx, WriteTx};
use media::image_validation;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The longest statement, characters.
pub const MAX_APPEAL_STATEMENT_CHARS: usize = 2000;
/// How long a session is kept from the appeal on, at least, so that there is something to decide about.
pub const APPEAL_RETENTION: SignedDuration = SignedDuration::from_hours(24 * 30);
/// The quality of the JPEG that is stored.
const PICTURE_JPEG_QUALITY: u8 = 90;
/// Appeals come after findings of content moderation and checks of documents, whose people wait.
const APPEAL_PRIORITY: i64 = 100;

/// What a relying party sends with an appeal.
#[derive(Clone, Default)]
pub struct AgeAppealRequest {
    /// What the person says.
    pub statement: Option<String>,
    /// The language of the person, BCP 47; cases are routed by it.
    pub language: Option<String>,
    /// The picture that was taken when the age was estimated, JPEG or PNG, if the relying party has kept it and the person
    /// agrees that a reviewer sees it.
    pub picture: Option<Vec<u8>>,
}

// A person's own words, and their picture.
impl std::fmt::Debug for AgeAppealRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AgeAppealRequest")
    }
}

/// An appeal whose picture was read.
#[derive(Debug)]
pub struct PreparedAgeAppeal(AgeAppealRequest);

/// What a reviewer judges an appeal by, as it was when the appeal was made. Stored sealed: new members need defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgeAppealEvidence {
    pub method: AgeMethod,
    pub kind: AgeSessionType,
    /// The age that was asked for, years.
    pub threshold: i64,
    /// The check of liveness.
    pub level: LivenessLevel,
    /// Why the person was refused.
    pub reason: Option<String>,
    /// What the age was estimated to be, if it was.
    pub estimate: Option<EstimatedAge>,
    /// The state that the session had.
    pub state: AgeSessionStatus,
    /// Attempts that had ended, by any method.
    pub attempts: i64,
    /// When the last one ended.
    pub refused_at: Timestamp,
    /// What the person says.
    pub statement: Option<String>,
    /// The method's id of the evidence.
    #[serde(default)]
    pub evidence_id: Option<String>,
    /// For a device signal: who stands behind it.
    #[serde(default)]
    pub signal: Option<SignalProvenance>,
}

impl AgeAppealEvidence {
    /// The outcome of the attempt that the appeal is about, as it was decided. The session may have had others since.
    fn decided(&self, session: &AgeSession, overturned: bool, now: Timestamp) -> AgeAttemptOutcome {
        // What earlier versions stored lacks these two.
        let last = session.outcome.as_ref();
        let refused =
            last.filter(|last| (last.method, last.at, last.passed) == (self.method, self.refused_at, false));
        let evidence_id = refused.and_then(|refused| refused.evidence_id.clone());
        AgeAttemptOutcome {
            method: self.method,
            passed: overturned,
            age: Some(self.threshold),
            evidence_id: self.evidence_id.clone().or(evidence_id),
            error_code: self.reason.clone().filter(|_| !overturned),
            level: self.level,
            at: now,
            estimate: None,
            overturned,
            signal: self.signal.or(refused.and_then(|refused| refused.signal)),
            storable_result: None,
        }
    }
}

/// An appeal.
#[derive(Clone, Debug)]
pub struct AgeAppeal {
    pub session: AgeSessionId,
    pub case: CaseId,
    pub state: AppealState,
    pub evidence: AgeAppealEvidence,
    pub created_at: Timestamp,
    pub decided_at: Option<Timestamp>,
    /// When the picture is deleted, if there is one.
    pub picture_until: Option<Timestamp>,
    /// When the session is deleted, and the appeal with it.
    pub deleted_at: Timestamp,
}

/// Takes appeals, shows and decides them.
#[derive(Debug)]
pub(super) struct AppealService {
    pub(super) db: Db,
    pub(super) environment: Arc<dyn Environment>,
    pub(super) sessions: Arc<AgeSessionStore>,
    pub(super) notifier: Arc<ResultNotifier>,
    pub(super) analyser: ImageAnalyser,
    pub(super) limits: LimitSettings,
    /// For how long after the refusal an appeal can be made; zero: not at all.
    pub(super) window: SignedDuration,
}

impl AppealService {
    /// Checks what a relying party sends, and reads the picture, which takes longer than a transaction should.
    pub(super) async fn prepare(
        &self,
        app: AppId,
        request: AgeAppealRequest,
    ) -> Result<PreparedAgeAppeal, AgeSessionError> {
        let chars = request.statement.as_ref().map_or(0, |text| text.chars().count());
        if chars > MAX_APPEAL_STATEMENT_CHARS {
            let words = format!("it has {chars} characters; at most {MAX_APPEAL_STATEMENT_CHARS} are taken");
            return Err(AgeSessionError::invalid("statement", words));
        }
        let picture = match request.picture {
            Some(bytes) => Some(self.read_picture(app, bytes).await?),
            None => None,
        };
        Ok(PreparedAgeAppeal(AgeAppealRequest { picture, ..request }))
    }

    /// Makes an appeal for the person of a session: once for each, within the window after the refusal.
    pub(super) async fn create(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        id: AgeSessionId,
        PreparedAgeAppeal(request): PreparedAgeAppeal,
    ) -> Result<AgeAppeal, AgeSessionError> {
        let now = self.environment.now();
        let locked = self.sessions.lock_in(tx, id).await?;
        let session = &locked.session;
        if session.app != app {
            return Err(AgeSessionError::SessionNotFound);
        }
        let evidence = self.evidence(session, request.statement, now)?;
        if appeal_store::exists(tx, id).await? {
            let words = "there has been an appeal already: each session has one";
            return Err(AgeSessionError::InvalidState(words.to_owned()));
        }
        let case = NewCase {
            app,
            account: None,
            kind: CaseKind::AgeAppeal,
            subject: CaseSubject::AgeSession(id),
            reason: evidence.reason.clone().unwrap_or_else(|| "REFUSED".to_owned()),
            language: request.language.as_deref().and_then(cases::primary_language),
            priority: APPEAL_PRIORITY,
            appeal_of: None,
        };
        let case = cases::create(tx, &*self.environment, &case).await?;
        let sealed = locked.seal(&*self.environment, &appeal_store::aad(id), &evidence);
        appeal_store::insert(tx, (id, app, case), sealed, now).await?;
        if let Some(picture) = request.picture {
            let stored = limits::count_stored_bytes(tx, app, picture.len() as i64).await?;
            limits::ensure_stored_bytes_allowed(tx, &self.limits, app, stored).await?;
            let sealed = locked.seal_bytes(&*self.environment, &appeal_store::picture_aad(id), &picture);
            let bytes = picture.len() as i64;
            appeal_store::insert_picture(tx, (id, app), (sealed, bytes), now + APPEAL_RETENTION).await?;
        }
        appeal_store::keep_session_until(tx, id, now + APPEAL_RETENTION).await?;
        if let Some(recorded) = step_recorder::recorded(session) {
            let step = SessionStepKind::Appeal;
            recorded.begin(tx, case.into(), step, evidence.method.as_str(), now).await?;
        }
        tx.audit(AuditEvent::new("age-appeal.create").app(app).target(id).detail("case", case.to_string()));
        let found = self.find(tx, app, id).await?;
        found.ok_or(AgeSessionError::SessionNotFound)
    }

    /// What speaks for and against; refused if there is nothing to appeal against, or not any more.
    fn evidence(
        &self,
        session: &AgeSession,
        statement: Option<String>,
        now: Timestamp,
    ) -> Result<AgeAppealEvidence, AgeSessionError> {
        let refused = |words: String| Err(AgeSessionError::InvalidState(words));
        let Some(outcome) = session.outcome.as_ref().filter(|outcome| is_refusal(session, outcome)) else {
            return refused(format!(
                "the session is {}, and nobody was refused in it for their age",
                session.state_at(now)
            ));
        };
        if now > outcome.at + self.window {
            return refused(format!(
                "the person was refused at {}; an appeal can be made for {} days",
                outcome.at,
                self.window.as_hours() / 24
            ));
        }
        let config = session.wanted.method_config(outcome.method);
        // A session that asks for an age itself was refused above, so the age of the outcome is the threshold.
        let threshold = outcome.age.or(config.map(|config: &AgeMethodConfig| config.threshold));
        Ok(AgeAppealEvidence {
            method: outcome.method,
            kind: session.wanted.kind,
            threshold: threshold.unwrap_or_default(),
            level: outcome.level,
            reason: outcome.error_code.clone(),
            estimate: outcome.estimate,
            state: session.state_at(now),
            attempts: session.tries.iter().map(|history| history.attempts).sum(),
            refused_at: outcome.at,
            statement: statement.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()),
            evidence_id: outcome.evidence_id.clone(),
            signal: outcome.signal,
        })
    }

    /// The picture as it is stored: upright, without what a camera writes beside it.
    async fn read_picture(&self, app: AppId, bytes: Vec<u8>) -> Result<Vec<u8>, AgeSessionError> {
        let limits = self.analyser.image_limits().relaxed();
        let analyser = self.analyser.for_application(app);
        let read = analyser.run(move |_| {
            let header = image_validation::inspect(&bytes, &limits)?;
            let picture = image_validation::decode(&bytes, &header, &limits)?;
            Ok::<_, image_validation::ImageError>(encode_jpeg(&picture, PICTURE_JPEG_QUALITY))
        });
        let read = read.await.map_err(AgeSessionError::ImageAnalysis)?;
        read.map_err(|error| AgeSessionError::invalid("picture", error.message))
    }

    /// The appeal of a session, if there is one.
    pub(super) async fn find(
        &self,
        view: &mut ReadTx,
        app: AppId,
        id: AgeSessionId,
    ) -> Result<Option<AgeAppeal>, AgeSessionError> {
        let Some(row) = appeal_store::find(view, app, id).await? else { return Ok(None) };
        let Some(stored) = self.sessions.read(view, id).await? else { return Ok(None) };
        let Some(evidence) = stored.open(&appeal_store::aad(id), &row.sealed) else { return Ok(None) };
        let AppealRow { case_id, state, created_at, decided_at, picture_until, forget_at, .. } = row;
        Ok(Some(AgeAppeal {
            session: id,
            case: case_id,
            state,
            evidence,
            created_at,
            decided_at: decided_at.map(Timestamp::from),
            picture_until: picture_until.map(Timestamp::from),
            deleted_at: forget_at,
        }))
    }

    /// The picture of an appeal, JPEG, as long as it is there.
    pub(super) async fn picture(
        &self,
        app: AppId,
        id: AgeSessionId,
    ) -> Result<Option<Vec<u8>>, AgeSessionError> {
        let mut view = self.db.read().await?;
        let Some(sealed) = appeal_store::find_picture(&mut view, app, id).await? else { return Ok(None) };
        let Some(stored) = self.sessions.read(&mut view, id).await? else { return Ok(None) };
        Ok(stored.open_bytes(&appeal_store::picture_aad(id), &sealed))
    }

    /// Decides an appeal in the caller's transaction, for which [`ResultNotifier::prepare`] was called. `false`: there is
    /// nothing to decide any more. A decision that upheld the refusal can be overturned later, and no other one changed.
    pub(super) async fn decide(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        id: AgeSessionId,
        overturn: bool,
    ) -> Result<bool, AgeSessionError> {
        let Some(row) = appeal_store::find(tx, app, id).await? else { return Ok(false) };
        let now = self.environment.now();
        let mut locked = self.sessions.lock_in(tx, id).await?;
        let evidence: Option<AgeAppealEvidence> = locked.open(&appeal_store::aad(id), &row.sealed);
        // It was damaged: nobody can say which attempt the appeal is about.
        let Some(evidence) = evidence else { return Ok(false) };
        let session = &mut locked.session;
        let state = match (row.state, overturn) {
            (AppealState::Open | AppealState::Upheld, true) => AppealState::Overturned,
            (AppealState::Open, false) => AppealState::Upheld,
            _ => return Ok(row.state == AppealState::Upheld),
        };
        // They have passed by another attempt meanwhile.
        if session.state == AgeSessionStatus::Complete {
            appeal_store::set_state(tx, id, AppealState::Withdrawn, now).await?;
            if appeal_store::delete_picture(tx, id).await? {
                erasure_keys::record_erasure(tx).await?;
            }
            return Ok(false);
        }
        let decided = evidence.decided(session, overturn, now);
        if overturn {
            session.overturn(decided.clone(), now)?;
        }
        appeal_store::set_state(tx, id, state, now).await?;
        let has_erased = appeal_store::delete_picture(tx, id).await?;
        self.notifier.notify_appeal(tx, session, &decided, state).await?;
        self.sessions.save(tx, &locked).await?;
        let outcome = if overturn { SessionStepOutcome::Passed } else { SessionStepOutcome::Failed };
        let end = StepEnd::because(outcome, Some(state.as_str()));
        session_steps::end(tx, Uuid::from(row.case_id), end, now).await?;
        let event = AuditEvent::new("age-appeal.decide").app(app).target(id);
        tx.audit(event.detail("case", row.case_id.to_string()).detail("decision", state.as_str()));
        if has_erased {
            erasure_keys::record_erasure(tx).await?;
        }
        Ok(true)
    }
}

/// Whether an outcome refuses the person for their age: the session failed, or its last attempt said that they are on the
/// wrong side of the threshold, or might be. A session that asks for an age itself refuses nobody.
fn is_refusal(session: &AgeSession, outcome: &AgeAttemptOutcome) -> bool {
    let of_age = [AgeFailureReason::UnderAge, AgeFailureReason::OverAge, AgeFailureReason::AgeUncertain];
    let is_about_age =
        outcome.error_code.as_deref().is_some_and(|code| of_age.iter().any(|reason| reason.as_str() == code));
    let goes_on = matches!(session.state, AgeSessionStatus::Complete | AgeSessionStatus::Processing);
    session.wanted.kind != AgeSessionType::Age
        && session.issues.is_none()
        && !outcome.passed
        && !goes_on
        && (session.state == AgeSessionStatus::Fail || is_about_age)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::age_verification::request::tests::config;
    use base::{Id as _, TestEnvironment};
    use serde_json::json;

    #[test]
    fn what_evidence_of_earlier_versions_lacks_is_known_while_the_attempt_is_the_last() {
        let environment = TestEnvironment::at("2026-11-22T12:00:00Z");
        let asked = config(&json!({ "type": "OVER", "electronic_id": { "threshold": 21 } }));
        let mut session = AgeSession::begin(&environment, AppId::new(&environment), false, asked);
        let stored = json!({
            "method": "ELECTRONIC_ID", "kind": "OVER", "threshold": 21, "level": "NONE", "reason": "UNDER_AGE",
            "estimate": null, "state": "FAIL", "attempts": 1, "refused_at": "2026-11-22T12:00:00Z",
            "statement": null,
        });
        let evidence: AgeAppealEvidence = serde_json::from_value(stored).unwrap();
        let refused = AgeAttemptOutcome {
            evidence_id: Some("e-1".to_owned()),
            ..evidence.decided(&session, false, evidence.refused_at)
        };
        let now = evidence.refused_at + SignedDuration::from_hours(24);
        for (at, evidence_id) in [(evidence.refused_at, Some("e-1")), (now, None)] {
            session.outcome = Some(AgeAttemptOutcome { at, ..refused.clone() });
            let decided = evidence.decided(&session, true, now);
            assert_eq!((decided.method, decided.age), (AgeMethod::ElectronicId, Some(21)));
            assert_eq!((decided.passed, decided.overturned, decided.at), (true, true, now));
            assert_eq!((decided.evidence_id.as_deref(), decided.error_code), (evidence_id, None));
        }
    }
}
