//! What a person does: says yes or no to the use of his face, opens a method, takes its turns, calls it off.
//!
//! A turn is taken in two steps. First it is **claimed**: the row counts it, so that of two answers to one question one
//! counts, and what it costs outside (a message, a call to a provider) happens once. Then, without a lock, the method makes
//! of it what it can, and what came of that is **settled** in one transaction with its webhook. A turn that only asks how
//! things are is not claimed, and may be repeated.

use super::{
    Ages, NotDone, Response,
    methods::{self, Ask, At, Next, Problem, Step},
    moves::Event,
    session::{Consent, Session, Verdict},
    store::Held,
    words::{Method, State},
};
use base::{AgeSessionId, AttemptId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Turns of one attempt.
const MOST_TURNS: i64 = 60;

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
    pub problem: Option<Problem>,
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
    pub async fn of_person(&self, id: AgeSessionId, sandbox: bool) -> Result<(Session, String), NotDone> {
        let session = self.find(id).await?.filter(|session| session.sandbox == sandbox);
        let session = session.ok_or(NotDone::NoSession)?;
        let business = self.business(session.app).await?;
        Ok((session, business))
    }

    /// Changes a session by a rule.
    async fn change<T>(
        &self,
        id: AgeSessionId,
        rule: impl FnOnce(&mut Session) -> Result<T, NotDone> + Send,
    ) -> Result<(T, Session), NotDone> {
        let mut tx = self.0.db.write().await?;
        let mut held = self.hold(&mut tx, id).await?.ok_or(NotDone::NoSession)?;
        if !held.session.lives(self.0.world.now()) {
            return Err(NotDone::Expired);
        }
        let done = rule(&mut held.session)?;
        self.keep(&mut tx, &held).await?;
        tx.commit().await?;
        Ok((done, held.session))
    }

    /// Notes what the person said to the use of biometric data.
    pub async fn consent(&self, id: AgeSessionId, given: bool) -> Result<Session, NotDone> {
        let now = self.0.world.now();
        let ((), session) = self
            .change(id, |session| {
                if !session.asks_for_consent() {
                    return Err(NotDone::State("the session asks for no biometric consent".to_owned()));
                }
                session.consent = Some(Consent { given, at: now });
                session.updated_at = now;
                // Who takes it back, takes back what was begun with it.
                let of_face = |session: &Session| {
                    let attempt = session.attempt.as_ref()?;
                    session.wanted.block(attempt.method).map(super::wanted::Block::is_biometric)
                };
                if !given && of_face(session) == Some(true) && session.state == State::InProgress {
                    session.attempt = None;
                }
                Ok(())
            })
            .await?;
        Ok(session)
    }

    /// Calls a session off.
    pub async fn cancel(&self, id: AgeSessionId) -> Result<Session, NotDone> {
        let now = self.0.world.now();
        let cancelled = self.change(id, |session| {
            session.attempt = None;
            Ok(session.happen(Event::Cancelled, now)?)
        });
        Ok(cancelled.await?.1)
    }

    /// Opens a method.
    pub async fn open(&self, id: AgeSessionId, method: Method, locale: &str) -> Result<Turn, NotDone> {
        self.0.signer.ready().await?;
        let world = &*self.0.world;
        let (attempt, session) = self
            .change(id, |session| {
                let has = self.has(session.sandbox);
                let block = session.wanted.usable(has).find(|block| block.method == method).cloned();
                let block = block.ok_or_else(|| NotDone::wrong("method", "the session does not offer it"))?;
                if session.is_declined(&block)
                    || (block.is_biometric() && session.asks_for_consent() && session.consent.is_none())
                {
                    return Err(NotDone::NoConsent);
                }
                if !session.may_open(&block) {
                    let words = if session.attempts_remaining(&block) == 0 {
                        "no attempts at this method are left".to_owned()
                    } else {
                        format!("the session is {}; no method can be opened in this state", session.state)
                    };
                    return Err(NotDone::State(words));
                }
                Ok(session.open(world, method)?)
            })
            .await?;
        let next = {
            let (block, begun) = parts(&session, attempt).ok_or(NotDone::Stale)?;
            self.open_method(At { session: &session, block, attempt: begun, locale }).await?
        };
        self.settle(id, attempt, 0, next, locale).await
    }

    /// Takes a turn: `continuation` is what came with the question, `input` the answer.
    pub async fn turn(
        &self,
        id: AgeSessionId,
        attempt: AttemptId,
        continuation: &str,
        input: &Map<String, Value>,
    ) -> Result<Turn, NotDone> {
        self.0.signer.ready().await?;
        let Carried { mut turn, locale, held } =
            self.carried(id, attempt, continuation).ok_or(NotDone::Stale)?;
        let session = self.find(id).await?.ok_or(NotDone::NoSession)?;
        if !session.lives(self.0.world.now()) {
            return Err(NotDone::Expired);
        }
        let begun = session.attempt.as_ref().filter(|begun| begun.id == attempt && begun.turn == turn);
        let method = begun.ok_or(NotDone::Stale)?.method;
        let session = if methods::only_asks(method) {
            session
        } else {
            let ((), session) = self
                .change(id, |session| {
                    let begun = session.attempt.as_mut();
                    let begun = begun.filter(|begun| begun.id == attempt && begun.turn == turn);
                    begun.ok_or(NotDone::Stale)?.turn += 1;
                    Ok(())
                })
                .await?;
            turn += 1;
            session
        };
        let (block, begun) = parts(&session, attempt).ok_or(NotDone::Stale)?;
        let next = if turn > MOST_TURNS {
            Next::End(Verdict::Undecided { code: "TOO_MANY_TURNS" })
        } else {
            self.take_turn(At { session: &session, block, attempt: begun, locale: &locale }, held, input)
                .await?
        };
        self.settle(id, attempt, turn, next, &locale).await
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
        let asked = match next {
            Next::Ask(Ask { step, problem, held, kept }) => {
                if let Some(kept) = kept {
                    begun.held = kept;
                }
                Some((step, problem, held))
            }
            Next::Waits => {
                if session.state != State::Processing {
                    session.happen(Event::Waits, now)?;
                }
                None
            }
            Next::End(verdict) => {
                let method = begun.method;
                let outcome = session.judge(method, verdict, self.has(session.sandbox), now)?.clone();
                self.tell(&mut tx, session, &outcome).await?;
                None
            }
        };
        self.keep(&mut tx, &held).await?;
        tx.commit().await?;
        let Held { session, .. } = held;
        let Some((step, problem, held)) = asked else {
            return Ok(Turn { session, attempt: None, continuation: None, step: None, problem: None });
        };
        let carried = Carried { turn, locale: locale.to_owned(), held };
        let continuation = Some(self.carry(id, attempt, &carried));
        Ok(Turn { session, attempt: Some(attempt), continuation, step: Some(step), problem })
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
        session.attempt = None;
        session.state = response.state;
        session.updated_at = now;
        if matches!(response.state, State::Complete | State::Fail | State::Error) {
            let outcome = response.outcome(session, now);
            session.outcome = Some(outcome.clone());
            self.tell(&mut tx, session, &outcome).await?;
        }
        self.keep(&mut tx, &held).await?;
        tx.commit().await?;
        Ok(held.session)
    }
}

fn parts(session: &Session, attempt: AttemptId) -> Option<(&super::wanted::Block, &super::session::Attempt)> {
    let begun = session.attempt.as_ref().filter(|begun| begun.id == attempt)?;
    Some((session.wanted.block(begun.method)?, begun))
}

fn place(id: AgeSessionId, attempt: AttemptId) -> Vec<u8> {
    format!("age session {id} attempt {attempt}").into_bytes()
}
