//! What a person does: says yes or no to the use of their face, opens a method, takes its turns, calls it off.
//!
//! A turn is taken in two steps. First it is **claimed**: the row counts it, so that of two answers to one question one
//! counts, and what it costs outside (a message, a call to a provider) happens once. Then, without a lock, the method makes
//! of it what it can, and what came of that is **settled** in one transaction with its webhook. A turn that only asks how
//! things are is not claimed, and may be repeated.

use super::{
    AgeSessionError, AgeVerificationService, RelyingPartyProfile, SandboxResponse, blind_tokens,
    methods::{self, AttemptContext, AttemptStep, InputProblem, StepOutcome, StepPrompt, TurnInput},
    session::{
        AgeMethodVerdict, AgeSession, BiometricConsent, GrantedArtefact, MethodAttempt, OneTimeCodeCounter,
    },
    session_config::AgeMethodConfig,
    state_machine::AgeSessionEvent,
    store::LockedAgeSession,
    types::{AgeFailureReason, AgeMethod, AgeSessionStatus, AgeSessionType},
};
use base::{AgeAttemptId, AgeSessionId, SignedDuration};
use db::WriteTx;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Turns of one attempt.
const MAX_TURNS_PER_ATTEMPT: i64 = 60;
/// Hours that a proof serves; the holder's page asks for a batch each hour.
const PROOF_VALIDITY_HOURS: u16 = 24;

/// How a session stands after a turn.
#[derive(Clone, Debug)]
pub struct TurnResult {
    /// The session.
    pub session: AgeSession,
    /// What is being tried.
    pub attempt: Option<AgeAttemptId>,
    /// What the page sends back with the next answer.
    pub continuation: Option<String>,
    /// What it is to do.
    pub step: Option<AttemptStep>,
    /// What of the last answer could not be used.
    pub problem: Option<InputProblem>,
}

/// What travels through the page, sealed.
#[derive(Serialize, Deserialize)]
struct AttemptContinuation {
    turn: i64,
    locale: String,
    held: Value,
}

impl AgeVerificationService {
    /// The session of a page's address, with what the business is called.
    pub async fn end_user_session(
        &self,
        id: AgeSessionId,
        sandbox: bool,
    ) -> Result<(AgeSession, RelyingPartyProfile), AgeSessionError> {
        let session = self.find_session(id).await?.filter(|session| session.sandbox == sandbox);
        let session = session.ok_or(AgeSessionError::SessionNotFound)?;
        let business = self.relying_party(session.app).await?;
        Ok((session, business))
    }

    /// A session that lives, which nobody else changes until [`Self::commit_session`].
    pub(super) async fn lock_live_session(
        &self,
        id: AgeSessionId,
    ) -> Result<(WriteTx, LockedAgeSession), AgeSessionError> {
        let mut tx = self.0.db.write().await?;
        let held = self.lock_session(&mut tx, id).await?.ok_or(AgeSessionError::SessionNotFound)?;
        if held.session.is_live(self.0.world.now()) { Ok((tx, held)) } else { Err(AgeSessionError::Expired) }
    }

    /// Writes a held session back; the change counts from then on.
    pub(super) async fn commit_session(
        &self,
        mut tx: WriteTx,
        held: LockedAgeSession,
    ) -> Result<AgeSession, AgeSessionError> {
        self.save_session(&mut tx, &held).await?;
        tx.commit().await?;
        Ok(held.session)
    }

    /// Notes what the person said to the use of biometric data.
    pub async fn record_consent(&self, id: AgeSessionId, given: bool) -> Result<AgeSession, AgeSessionError> {
        let now = self.0.world.now();
        let (tx, mut held) = self.lock_live_session(id).await?;
        let session = &mut held.session;
        if !session.requires_consent() {
            return Err(AgeSessionError::InvalidState(
                "the session asks for no biometric consent".to_owned(),
            ));
        }
        session.consent = Some(BiometricConsent { given, at: now });
        session.updated_at = now;
        // Who takes it back, takes back what was begun with it.
        let begun = session.attempt.as_ref().and_then(|attempt| session.wanted.method_config(attempt.method));
        let measures = begun.is_some_and(AgeMethodConfig::is_biometric)
            || session.attempt.as_ref().is_some_and(methods::is_estimating);
        let ends = !given && measures && session.state == AgeSessionStatus::InProgress;
        let dropped = if ends { session.attempt.take() } else { None };
        let session = self.commit_session(tx, held).await?;
        self.discard_document_session(&session, dropped).await;
        Ok(session)
    }

    /// Deletes what was supplied for an attempt that somebody gave up.
    async fn discard_document_session(&self, session: &AgeSession, attempt: Option<MethodAttempt>) {
        if let Some(MethodAttempt { held, .. }) = attempt {
            self.delete_document_session(session, held).await;
        }
    }

    /// Calls a session off.
    pub async fn cancel_session(&self, id: AgeSessionId) -> Result<AgeSession, AgeSessionError> {
        let now = self.0.world.now();
        let (tx, mut held) = self.lock_live_session(id).await?;
        // What has ended has been told, and stays; unless it may be taken up again.
        if held.session.state.is_ended()
            && !held.session.can_continue(self.available_methods(held.session.sandbox))
        {
            return Err(AgeSessionError::InvalidState(format!("the session is {}", held.session.state)));
        }
        let dropped = held.session.attempt.take();
        held.session.apply(AgeSessionEvent::Cancelled, now)?;
        let session = self.commit_session(tx, held).await?;
        self.discard_document_session(&session, dropped).await;
        Ok(session)
    }

    /// Opens a method.
    pub async fn open_attempt(
        &self,
        id: AgeSessionId,
        method: AgeMethod,
        locale: &str,
    ) -> Result<TurnResult, AgeSessionError> {
        self.0.signer.ensure_key().await?;
        let (tx, mut held) = self.lock_live_session(id).await?;
        let dropped = held.session.attempt.clone();
        let attempt = self.try_begin_attempt(&mut held.session, method)?;
        let session = self.commit_session(tx, held).await?;
        self.discard_document_session(&session, dropped).await;
        let next = {
            let (block, begun) =
                attempt_parts(&session, attempt).ok_or(AgeSessionError::StaleContinuation)?;
            self.open_method(AttemptContext { session: &session, block, attempt: begun, locale }).await?
        };
        self.commit_step_outcome(id, attempt, 0, next, locale).await
    }

    /// Begins an attempt, where the session allows it.
    fn try_begin_attempt(
        &self,
        session: &mut AgeSession,
        method: AgeMethod,
    ) -> Result<AgeAttemptId, AgeSessionError> {
        let has = self.available_methods(session.sandbox);
        let block = session.wanted.usable_methods(has).find(|block| block.method == method).cloned();
        let block =
            block.ok_or_else(|| AgeSessionError::invalid("method", "the session does not offer it"))?;
        let unasked = block.is_biometric() && session.requires_consent() && session.consent.is_none();
        if unasked || session.is_consent_refused(&block) {
            return Err(AgeSessionError::ConsentRequired);
        }
        if session.may_open(&block) {
            return Ok(session.begin_attempt(&*self.0.world, method)?);
        }
        Err(AgeSessionError::InvalidState(if session.attempts_remaining(&block) == 0 {
            "no attempts at this method are left".to_owned()
        } else {
            format!("the session is {}; no method can be opened in this state", session.state)
        }))
    }

    /// Takes a turn: `continuation` is what came with the question, `input` the answer.
    pub async fn submit_turn(
        &self,
        id: AgeSessionId,
        attempt: AgeAttemptId,
        continuation: &str,
        input: &TurnInput,
    ) -> Result<TurnResult, AgeSessionError> {
        self.0.signer.ensure_key().await?;
        let AttemptContinuation { mut turn, locale, held } =
            self.open_continuation(id, attempt, continuation).ok_or(AgeSessionError::StaleContinuation)?;
        let session = self.find_session(id).await?.ok_or(AgeSessionError::SessionNotFound)?;
        if !session.is_live(self.0.world.now()) {
            return Err(AgeSessionError::Expired);
        }
        // A document is followed by a job as well, and a wallet answers by itself: both may be quicker than the page that asks.
        let ended = session.attempt.is_none()
            && session.outcome.as_ref().is_some_and(|outcome| methods::may_end_while_polling(outcome.method));
        if ended {
            return Ok(TurnResult { session, attempt: None, continuation: None, step: None, problem: None });
        }
        let begun = session.attempt.as_ref().filter(|begun| begun.id == attempt && begun.turn == turn);
        let begun = begun.ok_or(AgeSessionError::StaleContinuation)?;
        let claimed = !methods::is_status_poll(begun, input);
        let session = if claimed {
            let (tx, mut held) = self.lock_live_session(id).await?;
            let begun = held.session.attempt.as_mut();
            let begun = begun.filter(|begun| begun.id == attempt && begun.turn == turn);
            begun.ok_or(AgeSessionError::StaleContinuation)?.turn += 1;
            turn += 1;
            self.commit_session(tx, held).await?
        } else {
            session
        };
        let (block, begun) = attempt_parts(&session, attempt).ok_or(AgeSessionError::StaleContinuation)?;
        let taken = if turn > MAX_TURNS_PER_ATTEMPT {
            Ok(StepOutcome::Finished(AgeMethodVerdict::Undecided { code: AgeFailureReason::TooManyTurns }))
        } else {
            self.process_turn(
                AttemptContext { session: &session, block, attempt: begun, locale: &locale },
                held,
                input,
            )
            .await
        };
        match taken {
            Ok(next) => self.commit_step_outcome(id, attempt, turn, next, &locale).await,
            Err(error) => {
                // Nothing came of it: the same answer, or a better one to the same question, may be given again.
                if claimed {
                    self.release_claim(id, attempt, turn).await?;
                }
                Err(error)
            }
        }
    }

    /// Takes a claim back.
    async fn release_claim(
        &self,
        id: AgeSessionId,
        attempt: AgeAttemptId,
        turn: i64,
    ) -> Result<(), AgeSessionError> {
        let (tx, mut held) = self.lock_live_session(id).await?;
        let begun = held.session.attempt.as_mut();
        if let Some(begun) = begun.filter(|begun| begun.id == attempt && begun.turn == turn) {
            begun.turn -= 1;
            self.commit_session(tx, held).await?;
        }
        Ok(())
    }

    /// Writes down what came of a turn, and tells the business where an attempt ended.
    pub(super) async fn commit_step_outcome(
        &self,
        id: AgeSessionId,
        attempt: AgeAttemptId,
        turn: i64,
        next: StepOutcome,
        locale: &str,
    ) -> Result<TurnResult, AgeSessionError> {
        let now = self.0.world.now();
        let mut tx = self.0.db.write().await?;
        let mut held = self.lock_session(&mut tx, id).await?.ok_or(AgeSessionError::SessionNotFound)?;
        let session = &mut held.session;
        let begun = session.attempt.as_mut().filter(|begun| begun.id == attempt && begun.turn == turn);
        let begun = begun.ok_or(AgeSessionError::StaleContinuation)?;
        let mut ended = None;
        let asked = match next {
            StepOutcome::Prompt(StepPrompt {
                step,
                problem,
                continuation_state: held,
                attempt_state: kept,
                wrong_code: wrong,
                code_sent: sent,
            }) => {
                if let Some(kept) = kept {
                    begun.held = kept;
                }
                begun.wrong += i64::from(wrong);
                if sent {
                    session.codes = OneTimeCodeCounter { sent: session.codes.sent + 1, last: Some(now) };
                }
                Some((step, problem, held))
            }
            StepOutcome::Pending => {
                if session.state != AgeSessionStatus::Processing {
                    session.apply(AgeSessionEvent::CheckPending, now)?;
                }
                None
            }
            StepOutcome::RedeemToken { token, until, verdict } => {
                let method = begun.method;
                let fresh = blind_tokens::record_redemption(&mut tx, token, until).await?;
                let spent = AgeMethodVerdict::Undecided { code: AgeFailureReason::TokenSpent };
                self.end_attempt(&mut tx, session, method, if fresh { verdict } else { spent }).await?;
                None
            }
            StepOutcome::Finished(verdict) => {
                let method = begun.method;
                let used = begun.held.clone();
                self.end_attempt(&mut tx, session, method, verdict).await?;
                ended = Some(used);
                None
            }
        };
        self.save_session(&mut tx, &held).await?;
        tx.commit().await?;
        let LockedAgeSession { session, .. } = held;
        // Only now: whoever else looks at it meanwhile must see the same, and not that it is gone.
        if let Some(used) = ended {
            self.delete_document_session(&session, used).await;
        }
        let Some((step, problem, held)) = asked else {
            return Ok(TurnResult { session, attempt: None, continuation: None, step: None, problem: None });
        };
        let carried = AttemptContinuation { turn, locale: locale.to_owned(), held };
        let continuation = Some(self.seal_continuation(id, attempt, &carried));
        Ok(TurnResult { session, attempt: Some(attempt), continuation, step: Some(step), problem })
    }

    /// Ends the attempt that is under way, and tells the business.
    async fn end_attempt(
        &self,
        tx: &mut WriteTx,
        session: &mut AgeSession,
        method: AgeMethod,
        verdict: AgeMethodVerdict,
    ) -> Result<(), AgeSessionError> {
        let has = self.available_methods(session.sandbox);
        let outcome = session.finish_attempt(method, verdict, has, self.0.world.now())?.clone();
        Ok(self.notify_relying_party(tx, session, &outcome).await?)
    }

    /// Whether a person who has shown to be old enough may take a proof along.
    pub fn offers_proof(&self, session: &AgeSession, business: &RelyingPartyProfile) -> bool {
        let shown = session.outcome.as_ref().is_some_and(|outcome| outcome.held.is_some());
        self.0.settings.offers_proof_of_age
            && business.uses_proof_of_age
            && !session.sandbox
            && session.wanted.kind == AgeSessionType::Over
            && session.state == AgeSessionStatus::Complete
            && session.issues.is_none()
            && shown
            && !session.given.contains(&GrantedArtefact::Proof)
    }

    /// Gives the person an invitation for the holder's page: an address.
    pub async fn create_proof_invitation(&self, id: AgeSessionId) -> Result<String, AgeSessionError> {
        let session = self.find_session(id).await?.ok_or(AgeSessionError::SessionNotFound)?;
        let business = self.relying_party(session.app).await?;
        let mut tx = self.0.db.write().await?;
        let mut held = self.lock_session(&mut tx, id).await?.ok_or(AgeSessionError::SessionNotFound)?;
        if !self.offers_proof(&held.session, &business) {
            return Err(AgeSessionError::InvalidState(
                "the session has no result that a proof is made of".to_owned(),
            ));
        }
        let age = held.session.outcome.as_ref().and_then(|outcome| u8::try_from(outcome.age?).ok());
        let age =
            age.ok_or_else(|| AgeSessionError::InvalidState("the session's result names no age".to_owned()))?;
        let until = self.0.world.now() + SignedDuration::from_hours(i64::from(PROOF_VALIDITY_HOURS));
        let invited = self
            .0
            .issuer
            .create_holder_grant(&mut tx, held.session.app, &[age], PROOF_VALIDITY_HOURS, until)
            .await;
        let code = invited.map_err(|error| AgeSessionError::InvalidState(error.to_string()))?;
        held.session.given.push(GrantedArtefact::Proof);
        self.save_session(&mut tx, &held).await?;
        tx.commit().await?;
        Ok(format!("{}/poa/holder/#{}", self.0.settings.public_url, code.expose()))
    }

    fn seal_continuation(
        &self,
        id: AgeSessionId,
        attempt: AgeAttemptId,
        carried: &AttemptContinuation,
    ) -> String {
        let plain = serde_json::to_vec(carried).expect("what is carried is JSON");
        let sealed = self.0.vault.seal(&*self.0.world, &continuation_aad(id, attempt), &plain);
        base64_simd::URL_SAFE_NO_PAD.encode_to_string(sealed)
    }

    fn open_continuation(
        &self,
        id: AgeSessionId,
        attempt: AgeAttemptId,
        continuation: &str,
    ) -> Option<AttemptContinuation> {
        let sealed = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(continuation).ok()?;
        serde_json::from_slice(&self.0.vault.open(&continuation_aad(id, attempt), &sealed).ok()?).ok()
    }

    /// Sets what a sandbox's session came to, and tells the business as if a person had been through.
    pub async fn apply_sandbox_response(
        &self,
        id: AgeSessionId,
        response: &SandboxResponse,
    ) -> Result<AgeSession, AgeSessionError> {
        self.0.signer.ensure_key().await?;
        let now = self.0.world.now();
        let mut tx = self.0.db.write().await?;
        let mut held = self.lock_session(&mut tx, id).await?.ok_or(AgeSessionError::SessionNotFound)?;
        let session = &mut held.session;
        response.check_session_type(session.wanted.kind)?;
        let dropped = session.attempt.take();
        session.state = response.state;
        session.updated_at = now;
        if response.state == AgeSessionStatus::Pending {
            session.outcome = None;
        }
        if matches!(
            response.state,
            AgeSessionStatus::Complete | AgeSessionStatus::Fail | AgeSessionStatus::Error
        ) {
            let outcome = response.outcome(session, now);
            session.outcome = Some(outcome.clone());
            self.notify_relying_party(&mut tx, session, &outcome).await?;
        }
        self.save_session(&mut tx, &held).await?;
        tx.commit().await?;
        self.discard_document_session(&held.session, dropped).await;
        Ok(held.session)
    }
}

pub(super) fn attempt_parts(
    session: &AgeSession,
    attempt: AgeAttemptId,
) -> Option<(&AgeMethodConfig, &MethodAttempt)> {
    let begun = session.attempt.as_ref().filter(|begun| begun.id == attempt)?;
    Some((session.wanted.method_config(begun.method)?, begun))
}

fn continuation_aad(id: AgeSessionId, attempt: AgeAttemptId) -> Vec<u8> {
    format!("age session {id} attempt {attempt}").into_bytes()
}
