//! What an end user does in a session: they answer the question of consent, open a method, take its turns, and cancel.
//!
//! A turn is taken in two steps. First it is **claimed**: the row counts it, so that of two answers to one step only
//! one counts, and what it triggers outside (a message, a call to a provider) happens once. Then the method processes
//! it without a lock, and what follows is **committed** in one transaction with its webhook. A turn that only polls is
//! not claimed, and may be repeated. The service runs turns in tasks of their own, so that a connection that breaks ends
//! none half-way; what must be limited is counted first all the same (`attempt_budgets`).

use super::{
    AgeSessionError, blind_tokens,
    continuation::ContinuationVault,
    methods::{
        AgeMethodSets, AttemptContext, AttemptStep, InputProblem, StepOutcome, StepPrompt, TurnInput,
        page_cannot_send_signals,
    },
    session::{AgeMethodVerdict, AgeSession, BiometricConsent, DeviceSignalState, MethodAttempt},
    session_config::AgeMethodConfig,
    state_machine::AgeSessionEvent,
    store::AgeSessionStore,
    types::{AgeFailureReason, AgeMethod, AgeSessionStatus},
    webhooks::ResultNotifier,
};
use age_methods::device_signal::{DeviceChallenge, DeviceStatement};
use base::{AgeAttemptId, AgeSessionId, Environment};
use db::{AuditEvent, WriteTx};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use tracing::Instrument as _;

/// Turns of one attempt, at most. Polls do not count.
const MAX_TURNS_PER_ATTEMPT: i64 = 60;

/// The state of a session after an attempt was opened or a turn was taken.
#[derive(Clone, Debug)]
pub struct TurnResult {
    pub session: AgeSession,
    /// The attempt that is under way; none if it has ended, or if a check continues without the end user.
    pub attempt: Option<AgeAttemptId>,
    /// What the page sends back with its next turn.
    pub continuation: Option<String>,
    /// What the page is to do next.
    pub step: Option<AttemptStep>,
    /// Why the last input could not be used.
    pub problem: Option<InputProblem>,
}

impl TurnResult {
    /// The page has nothing to do.
    fn without_step(session: AgeSession) -> Self {
        Self { session, attempt: None, continuation: None, step: None, problem: None }
    }
}

/// What travels through the page between two turns, sealed.
#[derive(Serialize, Deserialize)]
struct AttemptContinuation {
    turn: i64,
    locale: String,
    /// What the method remembers.
    #[serde(rename = "held")]
    state: Value,
}

/// Opens attempts, takes their turns and ends them.
#[derive(Debug)]
pub(super) struct AttemptRunner {
    environment: Arc<dyn Environment>,
    sessions: Arc<AgeSessionStore>,
    continuations: Arc<ContinuationVault>,
    methods: Arc<AgeMethodSets>,
    notifier: Arc<ResultNotifier>,
}

impl AttemptRunner {
    pub(super) fn new(
        environment: Arc<dyn Environment>,
        sessions: Arc<AgeSessionStore>,
        continuations: Arc<ContinuationVault>,
        methods: Arc<AgeMethodSets>,
        notifier: Arc<ResultNotifier>,
    ) -> Self {
        Self { environment, sessions, continuations, methods, notifier }
    }

    /// Records the end user's answer to the use of biometric data, unless the session has ended for good. A refusal also
    /// abandons an attempt that uses their face, or ends it if checks run on without them, also when the session's time is over.
    pub(super) async fn record_consent(
        &self,
        id: AgeSessionId,
        given: bool,
    ) -> Result<AgeSession, AgeSessionError> {
        self.notifier.prepare().await?;
        let (mut tx, mut locked) = self.sessions.lock(id).await?;
        let now = self.environment.now();
        let session = &mut locked.session;
        // As long as a check has their face, they can take back that it may.
        let takes_back = !given && session.state == AgeSessionStatus::Processing;
        if !session.is_live(now) && !takes_back {
            return Err(AgeSessionError::Expired);
        }
        if !session.requires_consent() {
            return Err(AgeSessionError::InvalidState(
                "the session asks for no biometric consent".to_owned(),
            ));
        }
        if !session.takes_consent(self.methods.get(session.sandbox)) {
            return Err(AgeSessionError::InvalidState(format!("the session is {}", session.state)));
        }
        session.consent = Some(BiometricConsent { given, at: now });
        session.updated_at = now;
        let abandoned = session.attempt.clone().filter(|_| !given && self.uses_face(session));
        if let Some(MethodAttempt { method, .. }) = &abandoned {
            if session.state == AgeSessionStatus::Processing {
                let declined = AgeMethodVerdict::Undecided { code: AgeFailureReason::Declined };
                self.end_attempt(&mut tx, session, *method, declined).await?;
            }
            session.attempt = None;
        }
        let session = self.sessions.commit(tx, locked).await?;
        self.methods.discard(&session, abandoned).await;
        Ok(session)
    }

    /// Whether the attempt that is under way uses the end user's face.
    fn uses_face(&self, session: &AgeSession) -> bool {
        session.attempt.as_ref().is_some_and(|attempt| {
            session.wanted.method_config(attempt.method).is_some_and(AgeMethodConfig::is_biometric)
                || self.methods.handler(session, attempt.method).has_switched_to_estimation(attempt)
        })
    }

    /// Cancels a session, unless it has ended for good. `actor` is who does so for the end user, as the audit trail says.
    pub(super) async fn cancel_session(
        &self,
        id: AgeSessionId,
        actor: Option<String>,
    ) -> Result<AgeSession, AgeSessionError> {
        self.notifier.prepare().await?;
        let now = self.environment.now();
        let (mut tx, mut locked) = self.sessions.lock_live(id).await?;
        if let Some(actor) = actor {
            tx.set_actor(actor);
            tx.audit(AuditEvent::new("age-session.cancel").app(locked.session.app).target(id));
        }
        let session = &mut locked.session;
        // The outcome of a session that has ended was reported and stays, unless the session may be resumed.
        if session.state.is_ended() && !session.can_continue(self.methods.get(session.sandbox)) {
            return Err(AgeSessionError::InvalidState(format!("the session is {}", session.state)));
        }
        let method = session.current_method();
        let abandoned = session.attempt.take();
        session.apply(AgeSessionEvent::Cancelled, now)?;
        self.notifier.notify_end(&mut tx, session, method, now).await?;
        let session = self.sessions.commit(tx, locked).await?;
        self.methods.discard(&session, abandoned).await;
        Ok(session)
    }

    /// Notes that a session ran out before it had a result, and tells its relying party. Does nothing to a session that has
    /// one, or that has time left. `check_ended`: also if it waits for a check, which brings no result any more.
    pub(super) async fn expire_session(
        &self,
        id: AgeSessionId,
        check_ended: bool,
    ) -> Result<(), AgeSessionError> {
        self.notifier.prepare().await?;
        let now = self.environment.now();
        let (mut tx, mut locked) = self.sessions.lock(id).await?;
        let session = &mut locked.session;
        let waits_in_vain =
            check_ended && session.state == AgeSessionStatus::Processing && !session.is_live(now);
        if !session.has_run_out(now) && !waits_in_vain {
            return Ok(());
        }
        let method = session.current_method();
        let abandoned = session.attempt.take();
        session.apply(AgeSessionEvent::RanOut, now)?;
        self.notifier.notify_end(&mut tx, session, method, now).await?;
        let session = self.sessions.commit(tx, locked).await?;
        self.methods.discard(&session, abandoned).await;
        Ok(())
    }

    /// Opens a method. An attempt that is under way is abandoned.
    pub(super) async fn open_attempt(
        &self,
        id: AgeSessionId,
        method: AgeMethod,
        locale: &str,
    ) -> Result<TurnResult, AgeSessionError> {
        if method == AgeMethod::DeviceSignal {
            return Err(page_cannot_send_signals());
        }
        self.notifier.prepare().await?;
        let (tx, mut locked) = self.sessions.lock_live(id).await?;
        let abandoned = locked.session.attempt.clone();
        let attempt = self.begin_attempt(&mut locked.session, method)?;
        let session = self.sessions.commit(tx, locked).await?;
        self.methods.discard(&session, abandoned).await;
        let context = AttemptContext::find(&session, attempt, locale)?;
        let outcome = self.methods.handler(&session, method).open(context).await?;
        self.commit_outcome(id, attempt, 0, outcome, locale).await
    }

    /// Opens an attempt with a device signal, for the business's app. An attempt that is under way is abandoned: it is in the
    /// session as it was before, which is returned as well. What was supplied for it is to be deleted after the commit.
    pub(super) async fn begin_signal(
        &self,
        tx: &mut WriteTx,
        id: AgeSessionId,
    ) -> Result<(DeviceChallenge, AgeSession), AgeSessionError> {
        let mut locked = self.sessions.lock_in(tx, id).await?;
        let session = &mut locked.session;
        if !session.is_live(self.environment.now()) {
            return Err(AgeSessionError::Expired);
        }
        let challenge = self.methods.get(session.sandbox).device_signal().new_challenge();
        let challenge = challenge
            .ok_or_else(|| AgeSessionError::invalid("session", "it does not offer device_signal"))?;
        let before = session.clone();
        self.begin_attempt(session, AgeMethod::DeviceSignal)?;
        let state = DeviceSignalState { challenge: challenge.clone(), provenance: None };
        if let Some(attempt) = &mut session.attempt {
            attempt.state = serde_json::to_value(state).expect("texts and times are JSON");
        }
        self.sessions.save(tx, &locked).await?;
        Ok((challenge, before))
    }

    /// Ends that attempt with what the app sent, for the challenge that it was given. The challenge counts once, and a
    /// statement that cannot be read is not counted.
    pub(super) async fn submit_signal(
        &self,
        id: AgeSessionId,
        challenge: &str,
        sent: &DeviceStatement,
    ) -> Result<AgeSession, AgeSessionError> {
        self.notifier.prepare().await?;
        let session = self.sessions.get(id).await?;
        let now = self.environment.now();
        if !session.is_live(now) {
            return Err(AgeSessionError::Expired);
        }
        let current = session.attempt.filter(|attempt| attempt.method == AgeMethod::DeviceSignal);
        let state = current
            .as_ref()
            .and_then(|attempt| serde_json::from_value::<DeviceSignalState>(attempt.state.clone()).ok())
            .filter(|state| state.challenge.text == challenge && now <= state.challenge.until);
        let (Some(MethodAttempt { id: attempt, turn, .. }), Some(state)) = (current, state) else {
            return Err(AgeSessionError::StaleContinuation);
        };
        // Of two answers to one challenge, one counts.
        let session = self.claim_turn(id, attempt, turn).await?;
        let context = AttemptContext::find(&session, attempt, "")?;
        let handler = self.methods.get(session.sandbox).device_signal();
        match handler.judge(context, &state.challenge, sent) {
            Ok((verdict, provenance)) => {
                let outcome = StepOutcome::Signalled { verdict, provenance };
                Ok(self.commit_outcome(id, attempt, turn + 1, outcome, "").await?.session)
            }
            Err(error) => {
                self.release_claim(id, attempt, turn + 1).await?;
                Err(error)
            }
        }
    }

    /// Begins an attempt, if the session allows it.
    fn begin_attempt(
        &self,
        session: &mut AgeSession,
        method: AgeMethod,
    ) -> Result<AgeAttemptId, AgeSessionError> {
        let available = self.methods.get(session.sandbox);
        let config = session.usable_methods(available).find(|config| config.method == method).cloned();
        let config =
            config.ok_or_else(|| AgeSessionError::invalid("method", "the session does not offer it"))?;
        let consent_missing =
            config.is_biometric() && session.requires_consent() && session.consent.is_none();
        if consent_missing || session.is_consent_refused(&config) {
            return Err(AgeSessionError::ConsentRequired);
        }
        if session.may_open(&config) {
            return Ok(session.begin_attempt(&*self.environment, method)?);
        }
        let other = session.retried.filter(|other| *other != method);
        Err(AgeSessionError::InvalidState(if let Some(other) = other {
            format!("the session is being retried with {other}, and allows no other method")
        } else if session.attempts_remaining(&config) == 0 {
            "no attempts at this method are left".to_owned()
        } else {
            format!("the session is {}; no method can be opened in this state", session.state)
        }))
    }

    /// Takes a turn. `continuation` is that of the step that `input` answers.
    pub(super) async fn submit_turn(
        &self,
        id: AgeSessionId,
        attempt: AgeAttemptId,
        continuation: &str,
        input: &TurnInput,
    ) -> Result<TurnResult, AgeSessionError> {
        self.notifier.prepare().await?;
        let continuation: Option<AttemptContinuation> =
            self.continuations.open(&continuation_aad(id, attempt), continuation);
        let AttemptContinuation { mut turn, locale, state } =
            continuation.ok_or(AgeSessionError::StaleContinuation)?;
        let session = self.sessions.get(id).await?;
        let now = self.environment.now();
        if !session.is_live(now) {
            // What became of it is read with the session, as it is after any step that is over.
            let is_shown = session.is_shown(now);
            return Err(if is_shown { AgeSessionError::StaleContinuation } else { AgeSessionError::Expired });
        }
        if self.has_ended_while_polling(&session) {
            return Ok(TurnResult::without_step(session));
        }
        let current = session.attempt.as_ref().filter(|current| is_turn(current, attempt, turn));
        let current = current.ok_or(AgeSessionError::StaleContinuation)?;
        let must_claim = !self.methods.handler(&session, current.method).is_status_poll(current, input);
        let session = if must_claim {
            let session = self.claim_turn(id, attempt, turn).await?;
            turn += 1;
            session
        } else {
            session
        };
        let context = AttemptContext::find(&session, attempt, &locale)?;
        let outcome = if turn > MAX_TURNS_PER_ATTEMPT {
            let code = AgeFailureReason::TooManyTurns;
            Ok(StepOutcome::Finished(AgeMethodVerdict::Undecided { code }))
        } else {
            let handler = self.methods.handler(&session, context.config.method);
            handler.process_turn(context, state, input).await
        };
        match outcome {
            Ok(outcome) => self.commit_outcome(id, attempt, turn, outcome, &locale).await,
            Err(error) => {
                // Nothing has happened, so the step may be answered again.
                if must_claim {
                    self.release_claim(id, attempt, turn).await?;
                }
                Err(error)
            }
        }
    }

    /// Whether the attempt ended without a turn: a job follows documents, and wallets answer by themselves, and both
    /// may be faster than the page that polls.
    fn has_ended_while_polling(&self, session: &AgeSession) -> bool {
        session.attempt.is_none()
            && session
                .outcome
                .as_ref()
                .is_some_and(|outcome| self.methods.handler(session, outcome.method).may_end_while_polling())
    }

    /// Counts a turn, unless another request was faster.
    async fn claim_turn(
        &self,
        id: AgeSessionId,
        attempt: AgeAttemptId,
        turn: i64,
    ) -> Result<AgeSession, AgeSessionError> {
        let (tx, mut locked) = self.sessions.lock_live(id).await?;
        let current = locked.session.attempt.as_mut().filter(|current| is_turn(current, attempt, turn));
        current.ok_or(AgeSessionError::StaleContinuation)?.turn += 1;
        Ok(self.sessions.commit(tx, locked).await?)
    }

    /// Takes a claim back.
    async fn release_claim(
        &self,
        id: AgeSessionId,
        attempt: AgeAttemptId,
        turn: i64,
    ) -> Result<(), AgeSessionError> {
        let (tx, mut locked) = self.sessions.lock_live(id).await?;
        let current = locked.session.attempt.as_mut();
        if let Some(current) = current.filter(|current| is_turn(current, attempt, turn)) {
            current.turn -= 1;
            self.sessions.commit(tx, locked).await?;
        }
        Ok(())
    }

    /// Commits what follows from a turn, and notifies the relying party if that ends the attempt. Refused with
    /// [`AgeSessionError::StaleContinuation`] if `turn` is no longer the latest turn of the attempt under way, and with
    /// [`AgeSessionError::Expired`] if the session ran out meanwhile: its result says so already. [`Self::expire_session`] then
    /// ends the attempt.
    pub(super) async fn commit_outcome(
        &self,
        id: AgeSessionId,
        attempt: AgeAttemptId,
        turn: i64,
        outcome: StepOutcome,
        locale: &str,
    ) -> Result<TurnResult, AgeSessionError> {
        // A job that ends an attempt comes here directly, and may run in a process that has signed nothing yet.
        self.notifier.prepare().await?;
        let (mut tx, mut locked) = self.sessions.lock(id).await?;
        // As of the lock: what is committed must not contradict what the result says by then.
        let now = self.environment.now();
        let session = &mut locked.session;
        if session.has_run_out(now) {
            return Err(AgeSessionError::Expired);
        }
        let current = session.attempt.as_mut().filter(|current| is_turn(current, attempt, turn));
        let current = current.ok_or(AgeSessionError::StaleContinuation)?;
        let mut finished = None;
        let prompt = match outcome {
            StepOutcome::Prompt(mut prompt) => {
                if let Some(state) = prompt.attempt_state.take() {
                    current.state = state;
                }
                current.wrong_codes += i64::from(prompt.wrong_code);
                Some(prompt)
            }
            StepOutcome::Pending => {
                if session.state != AgeSessionStatus::Processing {
                    session.apply(AgeSessionEvent::CheckPending, now)?;
                }
                None
            }
            StepOutcome::RedeemToken { token, until, verdict } => {
                let method = current.method;
                let is_first_use = blind_tokens::record_redemption(&mut tx, token, until).await?;
                let spent = AgeMethodVerdict::Undecided { code: AgeFailureReason::TokenSpent };
                self.end_attempt(&mut tx, session, method, if is_first_use { verdict } else { spent })
                    .await?;
                None
            }
            StepOutcome::Signalled { verdict, provenance } => {
                let method = current.method;
                if let Ok(state) = serde_json::from_value::<DeviceSignalState>(current.state.take()) {
                    let state = DeviceSignalState { provenance, ..state };
                    current.state = serde_json::to_value(state).expect("texts and times are JSON");
                }
                self.end_attempt(&mut tx, session, method, verdict).await?;
                None
            }
            StepOutcome::Estimated { verdict, estimate } => {
                let method = current.method;
                finished = Some(current.clone());
                self.end_attempt(&mut tx, session, method, verdict).await?;
                // Whoever has passed does not appeal.
                if let Some(outcome) = session.outcome.as_mut().filter(|outcome| !outcome.passed) {
                    outcome.estimate = Some(estimate);
                }
                None
            }
            StepOutcome::Finished(verdict) => {
                let method = current.method;
                finished = Some(current.clone());
                self.end_attempt(&mut tx, session, method, verdict).await?;
                None
            }
        };
        let session = self.sessions.commit(tx, locked).await?;
        // After the commit: until then others must still find what was supplied.
        self.methods.discard(&session, finished).await;
        let Some(StepPrompt { step, problem, continuation_state, .. }) = prompt else {
            return Ok(TurnResult::without_step(session));
        };
        let continuation = AttemptContinuation { turn, locale: locale.to_owned(), state: continuation_state };
        let continuation = self.continuations.seal(&continuation_aad(id, attempt), &continuation);
        Ok(TurnResult {
            session,
            attempt: Some(attempt),
            continuation: Some(continuation),
            step: Some(step),
            problem,
        })
    }

    /// Ends the attempt that is under way, and notifies the relying party.
    async fn end_attempt(
        &self,
        tx: &mut WriteTx,
        session: &mut AgeSession,
        method: AgeMethod,
        verdict: AgeMethodVerdict,
    ) -> Result<(), AgeSessionError> {
        let available = self.methods.get(session.sandbox);
        let outcome = session.finish_attempt(method, verdict, available, self.environment.now())?.clone();
        self.notifier.notify(tx, session, &outcome).await
    }
}

fn is_turn(current: &MethodAttempt, attempt: AgeAttemptId, turn: i64) -> bool {
    current.id == attempt && current.turn == turn
}

fn continuation_aad(id: AgeSessionId, attempt: AgeAttemptId) -> Vec<u8> {
    format!("age session {id} attempt {attempt}").into_bytes()
}

/// Runs a command in a task of its own. If the caller's connection breaks, their call is dropped; what was begun must
/// have its outcome all the same.
pub(super) async fn run_to_its_end<T: Send + 'static>(
    command: impl Future<Output = Result<T, AgeSessionError>> + Send + 'static,
) -> Result<T, AgeSessionError> {
    let task = tokio::spawn(command.in_current_span());
    task.await.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Err(AgeSessionError::InvalidState("the server is stopping".to_owned())),
    })
}
