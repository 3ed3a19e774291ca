//! `svc_key`: a passkey under which a person keeps a result, and shows it again instead of a method.
//!
//! What is kept says what a result says and how it came about, and nothing of where: neither session nor business stands in
//! it. It is found by the key alone, which the authenticator gives out only after it made sure who asks.

use super::{Ask, At, Next, Step, TurnInput, failed, not_set_up};
use crate::ages::{
    Ages, NotDone, Session,
    session::{Gift, Verdict},
    wanted::{Held, Wanted, satisfies},
    words::{AgeCheckType, AgeFailureReason, AgeMethod, AgeSessionStatus, AgeSessionType},
};
use ::methods::passkey::{Authenticating, Key, Passkeys, Registering};
use aws_lc_rs::digest;
use base::{AgeSessionId, SignedDuration, Timestamp};
use db::{Db, DbError, Durability, FromRow, sql};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// How long a question about a key may be answered.
const GOOD: SignedDuration = SignedDuration::from_mins(5);

/// What is kept under a key. Old rows must still be read after an update: add members with defaults.
#[derive(Serialize, Deserialize)]
struct Token {
    key: Key,
    held: Held,
    at: Timestamp,
    sandbox: bool,
}

/// What travels with a question about a key.
#[derive(Serialize, Deserialize)]
struct Carried<T> {
    state: T,
    at: Timestamp,
}

/// How far the keeping of a result came.
#[derive(Debug)]
pub enum Kept {
    /// The browser is asked to make a key.
    Asked {
        /// What it is asked, in the JSON form of `WebAuthn` level 3.
        options: Value,
        /// What the page sends back with the answer.
        continuation: String,
    },
    /// It is kept.
    Done(Box<Session>),
}

impl Ages {
    fn passkeys(&self, sandbox: bool) -> Option<&Arc<Passkeys>> {
        if sandbox { self.0.sandbox.passkeys.as_ref() } else { self.0.providers.passkeys.as_ref() }
    }

    pub(super) fn ask_for_key(&self, at: At<'_>) -> Next {
        let Some(passkeys) = self.passkeys(at.session.sandbox) else { return not_set_up() };
        match passkeys.ask() {
            Ok((options, state)) => {
                let carried = Carried { state, at: self.0.world.now() };
                Next::Ask(Ask::new(Step::Passkey { options }, json!(carried)))
            }
            Err(failure) => failed(at, failure, not_set_up),
        }
    }

    pub(super) async fn use_key(&self, at: At<'_>, held: Value, input: &TurnInput) -> Result<Next, NotDone> {
        let Some(passkeys) = self.passkeys(at.session.sandbox) else { return Ok(not_set_up()) };
        let carried: Carried<Authenticating> = serde_json::from_value(held).map_err(|_| NotDone::Stale)?;
        let now = self.0.world.now();
        if now.duration_since(carried.at) > GOOD {
            return Ok(self.ask_for_key(at));
        }
        let undecided = |code| Ok(Next::End(Verdict::Undecided { code }));
        let Some(credential) = &input.credential else { return undecided(AgeFailureReason::NoKey) };
        let named = match passkeys.named(credential) {
            Ok(named) => named,
            Err(failure) => return Ok(failed(at, failure, not_set_up)),
        };
        let Some(mut token) = self.token(&named.id, at.session.sandbox).await? else {
            return undecided(AgeFailureReason::NoKey);
        };
        let changed = match passkeys.answered(&carried.state, credential, &mut token.key) {
            Ok(changed) => changed,
            Err(failure) => return Ok(failed(at, failure, not_set_up)),
        };
        if changed {
            self.keep_token(&named.id, &token).await?;
        }
        let rule = match at.session.wanted.rule_id {
            Some(id) => {
                let mut view = self.0.db.read().await?;
                self.rule(&mut view, at.session.app, at.session.sandbox, id).await?
            }
            None => None,
        };
        let longest =
            rule.as_ref().map_or(self.0.settings.tokens, |rule| SignedDuration::from_secs(rule.ttl));
        if now.duration_since(token.at) > longest.min(self.0.settings.tokens) {
            return undecided(AgeFailureReason::KeptResultTooOld);
        }
        let wanted = &at.session.wanted;
        // Where a session names a rule, that says what is enough; where it has nothing but keys, their own threshold does.
        let others = wanted.blocks.iter().any(|block| block.allowed && block.method != AgeMethod::SvcKey);
        let enough = match &rule {
            None if !others => wanted.kind.is_told_by(token.held.kind),
            rule => satisfies(&token.held, rule.as_ref().unwrap_or(wanted)),
        };
        let of_rule = rule.as_ref().and_then(|rule| rule.block(token.held.method));
        let asked = of_rule.filter(|_| !at.block.says_threshold).unwrap_or(at.block).threshold;
        // What satisfies a rule of the session's own methods need not reach the threshold of this one.
        let reached = match wanted.kind {
            AgeSessionType::Over => token.held.age >= asked,
            AgeSessionType::Under => token.held.age <= asked,
            AgeSessionType::Age => true,
        };
        if !enough || !reached {
            return undecided(AgeFailureReason::KeptResultNotEnough);
        }
        let age = if wanted.kind == AgeSessionType::Age { token.held.age } else { asked };
        Ok(Next::End(Verdict::Passed { age, evidence: None, check_type: AgeCheckType::AgeToken, held: None }))
    }

    /// Whether a person who has shown his age may keep the result.
    pub fn offers_key(&self, session: &Session) -> bool {
        let wanted: &Wanted = &session.wanted;
        let result = session.outcome.as_ref().is_some_and(|outcome| outcome.held.is_some());
        session.state == AgeSessionStatus::Complete
            && session.issues.is_none()
            && result
            && !session.given.contains(&Gift::Key)
            && self.passkeys(session.sandbox).is_some()
            && wanted.block(AgeMethod::SvcKey).is_some_and(|block| block.allowed)
    }

    /// Keeps the result of a session under a key: first the browser is asked to make one, then it answers.
    pub async fn keep_result(
        &self,
        id: AgeSessionId,
        answer: Option<(&str, &Value)>,
    ) -> Result<Kept, NotDone> {
        let session = self.find(id).await?.ok_or(NotDone::NoSession)?;
        let refused = || NotDone::State("the session has no result that can be kept under a key".to_owned());
        let passkeys =
            self.passkeys(session.sandbox).filter(|_| self.offers_key(&session)).ok_or_else(refused)?;
        let unusable = |failure: ::methods::Failure| NotDone::wrong("credential", failure.to_string());
        let Some((continuation, credential)) = answer else {
            let label = self.business(session.app).await?;
            let (options, state) =
                passkeys.register(self.0.world.random_uuid(), &label.name).map_err(unusable)?;
            let plain = json!(Carried { state, at: self.0.world.now() }).to_string();
            let sealed = self.0.vault.seal(&*self.0.world, &place(id), plain.as_bytes());
            let continuation = base64_simd::URL_SAFE_NO_PAD.encode_to_string(sealed);
            return Ok(Kept::Asked { options, continuation });
        };
        let carried = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(continuation).ok();
        let carried = carried.and_then(|sealed| self.0.vault.open(&place(id), &sealed).ok());
        let carried: Option<Carried<Registering>> =
            carried.and_then(|plain| serde_json::from_slice(&plain).ok());
        let now = self.0.world.now();
        let carried =
            carried.filter(|carried| now.duration_since(carried.at) <= GOOD).ok_or(NotDone::Stale)?;
        let key = passkeys.registered(&carried.state, credential).map_err(unusable)?;
        let (tx, mut row) = self.held(id).await?;
        let held = row.session.outcome.as_ref().and_then(|outcome| outcome.held.clone());
        let held = held.filter(|_| !row.session.given.contains(&Gift::Key)).ok_or_else(refused)?;
        row.session.given.push(Gift::Key);
        let session = self.written(tx, row).await?;
        let name = key.id().to_vec();
        self.keep_token(&name, &Token { key, held, at: now, sandbox: session.sandbox }).await?;
        Ok(Kept::Done(Box::new(session)))
    }

    /// Begins to forget what is kept under a key, whoever's: the browser is asked for it.
    pub fn ask_to_forget(&self, sandbox: bool) -> Result<(Value, String), NotDone> {
        let none = || NotDone::State("this server keeps no results under keys".to_owned());
        let passkeys = self.passkeys(sandbox).ok_or_else(none)?;
        let (options, state) = passkeys.ask().map_err(|_| none())?;
        let plain = json!(Carried { state, at: self.0.world.now() }).to_string();
        let sealed = self.0.vault.seal(&*self.0.world, FORGETTING, plain.as_bytes());
        Ok((options, base64_simd::URL_SAFE_NO_PAD.encode_to_string(sealed)))
    }

    /// Forgets what is kept under a key that answers; whether there was something.
    pub async fn forget(
        &self,
        sandbox: bool,
        continuation: &str,
        credential: &Value,
    ) -> Result<bool, NotDone> {
        let none = || NotDone::State("this server keeps no results under keys".to_owned());
        let passkeys = self.passkeys(sandbox).ok_or_else(none)?;
        let carried = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(continuation).ok();
        let carried = carried.and_then(|sealed| self.0.vault.open(FORGETTING, &sealed).ok());
        let carried: Option<Carried<Authenticating>> =
            carried.and_then(|plain| serde_json::from_slice(&plain).ok());
        let now = self.0.world.now();
        let carried =
            carried.filter(|carried| now.duration_since(carried.at) <= GOOD).ok_or(NotDone::Stale)?;
        let unusable = |failure: ::methods::Failure| NotDone::wrong("credential", failure.to_string());
        let named = passkeys.named(credential).map_err(unusable)?;
        let Some(mut token) = self.token(&named.id, sandbox).await? else { return Ok(false) };
        passkeys.answered(&carried.state, credential, &mut token.key).map_err(unusable)?;
        let mut tx = self.0.db.write().await?;
        let rows = tx.execute(sql!("DELETE FROM age_tokens WHERE id = $1", hash(&named.id))).await?;
        tx.commit().await?;
        Ok(rows > 0)
    }

    async fn token(&self, key: &[u8], sandbox: bool) -> Result<Option<Token>, DbError> {
        #[derive(FromRow)]
        struct Row {
            sealed: Vec<u8>,
        }
        let id = hash(key);
        let mut view = self.0.db.read().await?;
        let row: Option<Row> = view
            .fetch_optional(sql!(
                "SELECT sealed FROM age_tokens WHERE id = $1 AND forget_at > $2",
                id.clone(),
                self.0.world.now(),
            ))
            .await?;
        let plain = row.and_then(|row| self.0.vault.open(&token_place(&id), &row.sealed).ok());
        let token: Option<Token> = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
        Ok(token.filter(|token| token.sandbox == sandbox))
    }

    async fn keep_token(&self, key: &[u8], token: &Token) -> Result<(), DbError> {
        let id = hash(key);
        let plain = serde_json::to_vec(token).expect("a kept result is JSON");
        let mut tx = self.0.db.write().await?;
        tx.execute(sql!(
            "INSERT INTO age_tokens (id, sealed, forget_at) VALUES ($1, $2, $3)
             ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed",
            id.clone(),
            self.0.vault.seal(&*self.0.world, &token_place(&id), &plain),
            token.at + self.0.settings.tokens,
        ))
        .await?;
        tx.commit().await
    }
}

/// Forgets results that are too old to be shown, at most 1,000 at once; how many.
pub(in crate::ages) async fn purge_tokens(db: &Db, now: Timestamp) -> Result<u64, DbError> {
    let mut tx = db.write_as(Durability::Process).await?;
    let rows = tx
        .execute(sql!(
            "DELETE FROM age_tokens WHERE id IN (SELECT id FROM age_tokens WHERE forget_at <= $1 LIMIT 1000)",
            now,
        ))
        .await?;
    tx.commit().await?;
    Ok(rows)
}

const FORGETTING: &[u8] = b"forgetting an age token";

/// What of a key's name is kept in a column.
fn hash(key: &[u8]) -> Vec<u8> {
    digest::digest(&digest::SHA256, key).as_ref().to_vec()
}

fn token_place(id: &[u8]) -> Vec<u8> {
    [b"age token ", id].concat()
}

fn place(id: AgeSessionId) -> Vec<u8> {
    format!("age session {id} key").into_bytes()
}
