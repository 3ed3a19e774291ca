//! What a person does: says yes or no to the use of his face, opens a method, takes its turns, calls it off.
//!
//! A turn is taken in two steps. First it is **claimed**: the row counts it, so that of two answers to one question one
//! counts, and what it costs outside (a message, a call to a provider) happens once. Then, without a lock, the method makes
//! of it what it can, and what came of that is **settled** in one transaction with its webhook. A turn that only asks how
//! things are is not claimed, and may be repeated.

use super::{
    Ages, Business, NotDone, Response, anonymity,
    methods::{self, Ask, At, InputProblem, Next, Step, TurnInput},
    moves::Event,
    session::{Attempt, Codes, Consent, Gift, Session, Verdict},
    store::Held,
    wanted::Block,
    words::{AgeFailureReason, AgeMethod, AgeSessionStatus, AgeSessionType},
};
use base::{AgeSessionId, AttemptId, SignedDuration};
use db::Tx;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Turns of one attempt.
const MOST_TURNS: i64 = 60;
/// Hours that a proof serves; the holder's page asks for a batch each hour.
const PROOF_HOURS: u16 = 24;

/// How a session stands after a turn.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The session.
    pub session: Session,
    /// What is being tried.
    pub attempt: Option<AttemptId>,
    /// What the page sends back with the next answer.
    pub continuation: Option<String>,
    /// What it is to do.
    pub step: Option<Step>,
    /// What of the last answer could not be used.
    pub problem: Option<InputProblem>,
}

/// What travels through the page, sealed.
#[derive(Serialize, Deserialize)]
struct Carried {
    turn: i64,
    locale: String,
    held: Value,
}

impl Ages {
    /// The session of a page's address, with what the business is called.
    pub async fn of_person(&self, id: AgeSessionId, sandbox: bool) -> Result<(Session, Business), NotDone> {
        let session = self.find(id).await?.filter(|session| session.sandbox == sandbox);
        let session = session.ok_or(NotDone::NoSession)?;
        let business = self.business(session.app).await?;
        Ok((session, business))
    }

    /// A session that lives, which nobody else changes until [`Self::written`].
    pub(super) async fn held(&self, id: AgeSessionId) -> Result<(Tx, Held), NotDone> {
        let mut tx = self.0.db.write().await?;
        let held = self.hold(&mut tx, id).await?.ok_or(NotDone::NoSession)?;
        if held.session.lives(self.0.world.now()) { Ok((tx, held)) } else { Err(NotDone::Expired) }
    }

    /// Writes a held session back; the change counts from then on.
    pub(super) async fn written(&self, mut tx: Tx, held: Held) -> Result<Session, NotDone> {
        self.keep(&mut tx, &held).await?;
        tx.commit().await?;
        Ok(held.session)
    }

    /// Notes what the person said to the use of biometric data.
    pub async fn consent(&self, id: AgeSessionId, given: bool) -> Result<Session, NotDone> {
        let now = self.0.world.now();
        let (tx, mut held) = self.held(id).await?;
        let session = &mut held.session;
        if !session.asks_for_consent() {
            return Err(NotDone::State("the session asks for no biometric consent".to_owned()));
        }
        session.consent = Some(Consent { given, at: now });
        session.updated_at = now;
        // Who takes it back, takes back what was begun with it.
        let begun = session.attempt.as_ref().and_then(|attempt| session.wanted.block(attempt.method));
        let measures = begun.is_some_and(Block::is_biometric)
            || session.attempt.as_ref().is_some_and(methods::is_estimating);
        let ends = !given && measures && session.state == AgeSessionStatus::InProgress;
        let dropped = if ends { session.attempt.take() } else { None };
        let session = self.written(tx, held).await?;
        self.let_go(&session, dropped).await;
        Ok(session)
    }

    /// Deletes what was supplied for an attempt that somebody gave up.
    async fn let_go(&self, session: &Session, attempt: Option<Attempt>) {
        if let Some(Attempt { held, .. }) = attempt {
            self.forget_document(session, held).await;
        }
    }

    /// Calls a session off.
    pub async fn cancel(&self, id: AgeSessionId) -> Result<Session, NotDone> {
        let now = self.0.world.now();
        let (tx, mut held) = self.held(id).await?;
        // What has ended has been told, and stays; unless it may be taken up again.
        if held.session.state.is_result() && !held.session.may_go_on(self.has(held.session.sandbox)) {
            return Err(NotDone::State(format!("the session is {}", held.session.state)));
        }
        let dropped = held.session.attempt.take();
        held.session.happen(Event::Cancelled, now)?;
        let session = self.written(tx, held).await?;
        self.let_go(&session, dropped).await;
        Ok(session)
    }

    /// Opens a method.
    pub async fn open(&self, id: AgeSessionId, method: AgeMethod, locale: &str) -> Result<Turn, NotDone> {
        self.0.signer.ready().await?;
        let (tx, mut held) = self.held(id).await?;
        let dropped = held.session.attempt.clone();
        let attempt = self.begin(&mut held.session, method)?;
        let session = self.written(tx, held).await?;
        self.let_go(&session, dropped).await;
        let next = {
            let (block, begun) = parts(&session, attempt).ok_or(NotDone::Stale)?;
            self.open_method(At { session: &session, block, attempt: begun, locale }).await?
        };
        self.settle(id, attempt, 0, next, locale).await
    }

    /// Begins an attempt, where the session allows it.
    fn begin(&self, session: &mut Session, method: AgeMethod) -> Result<AttemptId, NotDone> {
        let has = self.has(session.sandbox);
        let block = session.wanted.usable(has).find(|block| block.method == method).cloned();
        let block = block.ok_or_else(|| NotDone::wrong("method", "the session does not offer it"))?;
        let unasked = block.is_biometric() && session.asks_for_consent() && session.consent.is_none();
        if unasked || session.is_declined(&block) {
            return Err(NotDone::NoConsent);
        }
        if session.may_open(&block) {
            return Ok(session.open(&*self.0.world, method)?);
        }
        Err(NotDone::State(if session.attempts_remaining(&block) == 0 {
            "no attempts at this method are left".to_owned()
        } else {
            format!("the session is {}; no method can be opened in this state", session.state)
        }))
    }

    /// Takes a turn: `continuation` is what came with the question, `input` the answer.
    pub async fn turn(
        &self,
        id: AgeSessionId,
        attempt: AttemptId,
        continuation: &str,
        input: &TurnInput,
    ) -> Result<Turn, NotDone> {
        self.0.signer.ready().await?;
        let Carried { mut turn, locale, held } =
            self.carried(id, attempt, continuation).ok_or(NotDone::Stale)?;
        let session = self.find(id).await?.ok_or(NotDone::NoSession)?;
        if !session.lives(self.0.world.now()) {
            return Err(NotDone::Expired);
        }
        // A document is followed by a job as well, and a wallet answers by itself: both may be quicker than the page that asks.
        let ended = session.attempt.is_none()
            && session.outcome.as_ref().is_some_and(|outcome| methods::ends_elsewhere(outcome.method));
        if ended {
            return Ok(Turn { session, attempt: None, continuation: None, step: None, problem: None });
        }
        let begun = session.attempt.as_ref().filter(|begun| begun.id == attempt && begun.turn == turn);
        let begun = begun.ok_or(NotDone::Stale)?;
        let claimed = !methods::only_asks(begun, input);
        let session = if claimed {
            let (tx, mut held) = self.held(id).await?;
            let begun = held.session.attempt.as_mut();
            let begun = begun.filter(|begun| begun.id == attempt && begun.turn == turn);
            begun.ok_or(NotDone::Stale)?.turn += 1;
            turn += 1;
            self.written(tx, held).await?
        } else {
            session
        };
        let (block, begun) = parts(&session, attempt).ok_or(NotDone::Stale)?;
        let taken = if turn > MOST_TURNS {
            Ok(Next::End(Verdict::Undecided { code: AgeFailureReason::TooManyTurns }))
        } else {
            self.take_turn(At { session: &session, block, attempt: begun, locale: &locale }, held, input)
                .await
        };
        match taken {
            Ok(next) => self.settle(id, attempt, turn, next, &locale).await,
            Err(error) => {
                // Nothing came of it: the same answer, or a better one to the same question, may be given again.
                if claimed {
                    self.give_back(id, attempt, turn).await?;
                }
                Err(error)
            }
        }
    }

    /// Takes a claim back.
    async fn give_back(&self, id: AgeSessionId, attempt: AttemptId, turn: i64) -> Result<(), NotDone> {
        let (tx, mut held) = self.held(id).await?;
        let begun = held.session.attempt.as_mut();
        if let Some(begun) = begun.filter(|begun| begun.id == attempt && begun.turn == turn) {
            begun.turn -= 1;
            self.written(tx, held).await?;
        }
        Ok(())
    }

    /// Writes down what came of a turn, and tells the business where an attempt ended.
    pub(super) async fn settle(
        &self,
        id: AgeSessionId,
        attempt: AttemptId,
        turn: i64,
        next: Next,
        locale: &str,
    ) -> Result<Turn, NotDone> {
        let now = self.0.world.now();
        let mut tx = self.0.db.write().await?;
        let mut held = self.hold(&mut tx, id).await?.ok_or(NotDone::NoSession)?;
        let session = &mut held.session;
        let begun = session.attempt.as_mut().filter(|begun| begun.id == attempt && begun.turn == turn);
        let begun = begun.ok_or(NotDone::Stale)?;
        let mut ended = None;
        let asked = match next {
            Next::Ask(Ask { step, problem, held, kept, wrong, sent }) => {
                if let Some(kept) = kept {
                    begun.held = kept;
                }
                begun.wrong += i64::from(wrong);
                if sent {
                    session.codes = Codes { sent: session.codes.sent + 1, last: Some(now) };
                }
                Some((step, problem, held))
            }
            Next::Waits => {
                if session.state != AgeSessionStatus::Processing {
                    session.happen(Event::Waits, now)?;
                }
                None
            }
            Next::Spend { token, until, verdict } => {
                let method = begun.method;
                let fresh = anonymity::spend(&mut tx, token, until).await?;
                let spent = Verdict::Undecided { code: AgeFailureReason::TokenSpent };
                self.end(&mut tx, session, method, if fresh { verdict } else { spent }).await?;
                None
            }
            Next::End(verdict) => {
                let method = begun.method;
                let used = begun.held.clone();
                self.end(&mut tx, session, method, verdict).await?;
                ended = Some(used);
                None
            }
        };
        self.keep(&mut tx, &held).await?;
        tx.commit().await?;
        let Held { session, .. } = held;
        // Only now: whoever else looks at it meanwhile must see the same, and not that it is gone.
        if let Some(used) = ended {
            self.forget_document(&session, used).await;
        }
        let Some((step, problem, held)) = asked else {
            return Ok(Turn { session, attempt: None, continuation: None, step: None, problem: None });
        };
        let carried = Carried { turn, locale: locale.to_owned(), held };
        let continuation = Some(self.carry(id, attempt, &carried));
        Ok(Turn { session, attempt: Some(attempt), continuation, step: Some(step), problem })
    }

    /// Ends the attempt that is under way, and tells the business.
    async fn end(
        &self,
        tx: &mut Tx,
        session: &mut Session,
        method: AgeMethod,
        verdict: Verdict,
    ) -> Result<(), NotDone> {
        let has = self.has(session.sandbox);
        let outcome = session.judge(method, verdict, has, self.0.world.now())?.clone();
        Ok(self.tell(tx, session, &outcome).await?)
    }

    /// Whether a person who has shown to be old enough may take a proof along.
    pub fn offers_proof(&self, session: &Session, business: &Business) -> bool {
        let shown = session.outcome.as_ref().is_some_and(|outcome| outcome.held.is_some());
        self.0.settings.proofs
            && business.proofs
            && !session.sandbox
            && session.wanted.kind == AgeSessionType::Over
            && session.state == AgeSessionStatus::Complete
            && session.issues.is_none()
            && shown
            && !session.given.contains(&Gift::Proof)
    }

    /// Gives the person an invitation for the holder's page: an address.
    pub async fn give_proof(&self, id: AgeSessionId) -> Result<String, NotDone> {
        let session = self.find(id).await?.ok_or(NotDone::NoSession)?;
        let business = self.business(session.app).await?;
        let mut tx = self.0.db.write().await?;
        let mut held = self.hold(&mut tx, id).await?.ok_or(NotDone::NoSession)?;
        if !self.offers_proof(&held.session, &business) {
            return Err(NotDone::State("the session has no result that a proof is made of".to_owned()));
        }
        let age = held.session.outcome.as_ref().and_then(|outcome| u8::try_from(outcome.age?).ok());
        let age = age.ok_or_else(|| NotDone::State("the session's result names no age".to_owned()))?;
        let until = self.0.world.now() + SignedDuration::from_hours(i64::from(PROOF_HOURS));
        let invited = self.0.issuer.invite(&mut tx, held.session.app, &[age], PROOF_HOURS, until).await;
        let code = invited.map_err(|error| NotDone::State(error.to_string()))?;
        held.session.given.push(Gift::Proof);
        self.keep(&mut tx, &held).await?;
        tx.commit().await?;
        Ok(format!("{}/poa/holder/#{}", self.0.settings.public_url, code.expose()))
    }

    fn carry(&self, id: AgeSessionId, attempt: AttemptId, carried: &Carried) -> String {
        let plain = serde_json::to_vec(carried).expect("what is carried is JSON");
        let sealed = self.0.vault.seal(&*self.0.world, &place(id, attempt), &plain);
        base64_simd::URL_SAFE_NO_PAD.encode_to_string(sealed)
    }

    fn carried(&self, id: AgeSessionId, attempt: AttemptId, continuation: &str) -> Option<Carried> {
        let sealed = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(continuation).ok()?;
        serde_json::from_slice(&self.0.vault.open(&place(id, attempt), &sealed).ok()?).ok()
    }

    /// Sets what a sandbox's session came to, and tells the business as if a person had been through.
    pub async fn respond(&self, id: AgeSessionId, response: &Response) -> Result<Session, NotDone> {
        self.0.signer.ready().await?;
        let now = self.0.world.now();
        let mut tx = self.0.db.write().await?;
        let mut held = self.hold(&mut tx, id).await?.ok_or(NotDone::NoSession)?;
        let session = &mut held.session;
        response.fits(session.wanted.kind)?;
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
            self.tell(&mut tx, session, &outcome).await?;
        }
        self.keep(&mut tx, &held).await?;
        tx.commit().await?;
        self.let_go(&held.session, dropped).await;
        Ok(held.session)
    }
}

pub(super) fn parts(session: &Session, attempt: AttemptId) -> Option<(&Block, &Attempt)> {
    let begun = session.attempt.as_ref().filter(|begun| begun.id == attempt)?;
    Some((session.wanted.block(begun.method)?, begun))
}

fn place(id: AgeSessionId, attempt: AttemptId) -> Vec<u8> {
    format!("age session {id} attempt {attempt}").into_bytes()
}
