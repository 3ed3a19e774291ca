//! `svc_key`: a passkey under which a person keeps a result, and shows it again instead of a method.
//!
//! What is kept says what a result says and how it came about, and nothing of where: neither session nor business stands in
//! it. It is found by the key alone, which the authenticator gives out only after it made sure who asks.

use super::{
    AttemptContext, AttemptStep, StepOutcome, StepPrompt, TurnInput, evaluate_failure, not_configured,
};
use crate::age_verification::{
    AgeSession, AgeSessionError, AgeVerificationService,
    session::{AgeMethodVerdict, GrantedArtefact},
    session_config::{AgeSessionConfig, StoredAgeResult, satisfies_rule},
    types::{AgeCheckType, AgeFailureReason, AgeMethod, AgeSessionStatus, AgeSessionType},
};
use age_methods::passkey::{PasskeyAuthenticationState, PasskeyRegistrationState, Passkeys, StoredPasskey};
use aws_lc_rs::digest;
use base::{AgeSessionId, SignedDuration, Timestamp};
use db::{Db, DbError, Durability, FromRow, sql};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// How long a question about a key may be answered.
const CONTINUATION_TTL: SignedDuration = SignedDuration::from_mins(5);

/// What is kept under a key. Old rows must still be read after an update: add members with defaults.
#[derive(Serialize, Deserialize)]
struct StoredResultRecord {
    key: StoredPasskey,
    held: StoredAgeResult,
    at: Timestamp,
    sandbox: bool,
}

/// What travels with a question about a key.
#[derive(Serialize, Deserialize)]
struct PasskeyContinuation<T> {
    state: T,
    at: Timestamp,
}

/// How far the keeping of a result came.
#[derive(Debug)]
pub enum KeepResultOutcome {
    /// The browser is asked to make a key.
    PasskeyRequested {
        /// What it is asked, in the JSON form of `WebAuthn` level 3.
        options: Value,
        /// What the page sends back with the answer.
        continuation: String,
    },
    /// It is kept.
    Stored(Box<AgeSession>),
}

impl AgeVerificationService {
    fn passkeys(&self, sandbox: bool) -> Option<&Arc<Passkeys>> {
        if sandbox { self.0.sandbox_providers.passkeys.as_ref() } else { self.0.providers.passkeys.as_ref() }
    }

    pub(super) fn prompt_passkey(&self, at: AttemptContext<'_>) -> StepOutcome {
        let Some(passkeys) = self.passkeys(at.session.sandbox) else { return not_configured() };
        match passkeys.start_authentication() {
            Ok((options, state)) => {
                let carried = PasskeyContinuation { state, at: self.0.world.now() };
                StepOutcome::Prompt(StepPrompt::new(AttemptStep::Passkey { options }, json!(carried)))
            }
            Err(failure) => evaluate_failure(at, failure, not_configured),
        }
    }

    pub(super) async fn check_passkey(
        &self,
        at: AttemptContext<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let Some(passkeys) = self.passkeys(at.session.sandbox) else { return Ok(not_configured()) };
        let carried: PasskeyContinuation<PasskeyAuthenticationState> =
            serde_json::from_value(held).map_err(|_| AgeSessionError::StaleContinuation)?;
        let now = self.0.world.now();
        if now.duration_since(carried.at) > CONTINUATION_TTL {
            return Ok(self.prompt_passkey(at));
        }
        let undecided = |code| Ok(StepOutcome::Finished(AgeMethodVerdict::Undecided { code }));
        let Some(credential) = &input.credential else { return undecided(AgeFailureReason::NoKey) };
        let named = match passkeys.identify(credential) {
            Ok(named) => named,
            Err(failure) => return Ok(evaluate_failure(at, failure, not_configured)),
        };
        let Some(mut token) = self.load_stored_result(&named.id, at.session.sandbox).await? else {
            return undecided(AgeFailureReason::NoKey);
        };
        let changed = match passkeys.finish_authentication(&carried.state, credential, &mut token.key) {
            Ok(changed) => changed,
            Err(failure) => return Ok(evaluate_failure(at, failure, not_configured)),
        };
        if changed {
            self.save_stored_result(&named.id, &token).await?;
        }
        let rule = match at.session.wanted.rule_id {
            Some(id) => {
                let mut view = self.0.db.read().await?;
                self.find_rule(&mut view, at.session.app, at.session.sandbox, id).await?
            }
            None => None,
        };
        let longest = rule
            .as_ref()
            .map_or(self.0.settings.stored_result_retention, |rule| SignedDuration::from_secs(rule.ttl));
        if now.duration_since(token.at) > longest.min(self.0.settings.stored_result_retention) {
            return undecided(AgeFailureReason::KeptResultTooOld);
        }
        let wanted = &at.session.wanted;
        // Where a session names a rule, that says what is enough; where it has nothing but keys, their own threshold does.
        let others = wanted.blocks.iter().any(|block| block.allowed && block.method != AgeMethod::SvcKey);
        let enough = match &rule {
            None if !others => wanted.kind.is_answered_by(token.held.kind),
            rule => satisfies_rule(&token.held, rule.as_ref().unwrap_or(wanted)),
        };
        let of_rule = rule.as_ref().and_then(|rule| rule.method_config(token.held.method));
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
        Ok(StepOutcome::Finished(AgeMethodVerdict::Passed {
            age,
            evidence: None,
            check_type: AgeCheckType::AgeToken,
            storable_result: None,
        }))
    }

    /// Whether a person who has shown their age may keep the result.
    pub fn offers_stored_result(&self, session: &AgeSession) -> bool {
        let wanted: &AgeSessionConfig = &session.wanted;
        let result = session.outcome.as_ref().is_some_and(|outcome| outcome.held.is_some());
        session.state == AgeSessionStatus::Complete
            && session.issues.is_none()
            && result
            && !session.given.contains(&GrantedArtefact::Key)
            && self.passkeys(session.sandbox).is_some()
            && wanted.method_config(AgeMethod::SvcKey).is_some_and(|block| block.allowed)
    }

    /// Keeps the result of a session under a key: first the browser is asked to make one, then it answers.
    pub async fn keep_result(
        &self,
        id: AgeSessionId,
        answer: Option<(&str, &Value)>,
    ) -> Result<KeepResultOutcome, AgeSessionError> {
        let session = self.find_session(id).await?.ok_or(AgeSessionError::SessionNotFound)?;
        let refused = || {
            AgeSessionError::InvalidState("the session has no result that can be kept under a key".to_owned())
        };
        let passkeys = self
            .passkeys(session.sandbox)
            .filter(|_| self.offers_stored_result(&session))
            .ok_or_else(refused)?;
        let unusable = |failure: age_methods::AgeMethodError| {
            AgeSessionError::invalid("credential", failure.to_string())
        };
        let Some((continuation, credential)) = answer else {
            let label = self.relying_party(session.app).await?;
            let (options, state) =
                passkeys.start_registration(self.0.world.uuid_v4(), &label.name).map_err(unusable)?;
            let plain = json!(PasskeyContinuation { state, at: self.0.world.now() }).to_string();
            let sealed = self.0.vault.seal(&*self.0.world, &registration_aad(id), plain.as_bytes());
            let continuation = base64_simd::URL_SAFE_NO_PAD.encode_to_string(sealed);
            return Ok(KeepResultOutcome::PasskeyRequested { options, continuation });
        };
        let carried = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(continuation).ok();
        let carried = carried.and_then(|sealed| self.0.vault.open(&registration_aad(id), &sealed).ok());
        let carried: Option<PasskeyContinuation<PasskeyRegistrationState>> =
            carried.and_then(|plain| serde_json::from_slice(&plain).ok());
        let now = self.0.world.now();
        let carried = carried
            .filter(|carried| now.duration_since(carried.at) <= CONTINUATION_TTL)
            .ok_or(AgeSessionError::StaleContinuation)?;
        let key = passkeys.finish_registration(&carried.state, credential).map_err(unusable)?;
        let (tx, mut row) = self.lock_live_session(id).await?;
        let held = row.session.outcome.as_ref().and_then(|outcome| outcome.held.clone());
        let held = held.filter(|_| !row.session.given.contains(&GrantedArtefact::Key)).ok_or_else(refused)?;
        row.session.given.push(GrantedArtefact::Key);
        let session = self.commit_session(tx, row).await?;
        let name = key.id().to_vec();
        self.save_stored_result(&name, &StoredResultRecord { key, held, at: now, sandbox: session.sandbox })
            .await?;
        Ok(KeepResultOutcome::Stored(Box::new(session)))
    }

    /// Begins to forget what is kept under a key, whoever's: the browser is asked for it.
    pub fn begin_forget_result(&self, sandbox: bool) -> Result<(Value, String), AgeSessionError> {
        let none = || AgeSessionError::InvalidState("this server keeps no results under keys".to_owned());
        let passkeys = self.passkeys(sandbox).ok_or_else(none)?;
        let (options, state) = passkeys.start_authentication().map_err(|_| none())?;
        let plain = json!(PasskeyContinuation { state, at: self.0.world.now() }).to_string();
        let sealed = self.0.vault.seal(&*self.0.world, DELETION_AAD, plain.as_bytes());
        Ok((options, base64_simd::URL_SAFE_NO_PAD.encode_to_string(sealed)))
    }

    /// Forgets what is kept under a key that answers; whether there was something.
    pub async fn forget_result(
        &self,
        sandbox: bool,
        continuation: &str,
        credential: &Value,
    ) -> Result<bool, AgeSessionError> {
        let none = || AgeSessionError::InvalidState("this server keeps no results under keys".to_owned());
        let passkeys = self.passkeys(sandbox).ok_or_else(none)?;
        let carried = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(continuation).ok();
        let carried = carried.and_then(|sealed| self.0.vault.open(DELETION_AAD, &sealed).ok());
        let carried: Option<PasskeyContinuation<PasskeyAuthenticationState>> =
            carried.and_then(|plain| serde_json::from_slice(&plain).ok());
        let now = self.0.world.now();
        let carried = carried
            .filter(|carried| now.duration_since(carried.at) <= CONTINUATION_TTL)
            .ok_or(AgeSessionError::StaleContinuation)?;
        let unusable = |failure: age_methods::AgeMethodError| {
            AgeSessionError::invalid("credential", failure.to_string())
        };
        let named = passkeys.identify(credential).map_err(unusable)?;
        let Some(mut token) = self.load_stored_result(&named.id, sandbox).await? else { return Ok(false) };
        passkeys.finish_authentication(&carried.state, credential, &mut token.key).map_err(unusable)?;
        let mut tx = self.0.db.write().await?;
        let rows =
            tx.execute(sql!("DELETE FROM age_tokens WHERE id = $1", credential_id_hash(&named.id))).await?;
        tx.commit().await?;
        Ok(rows > 0)
    }

    async fn load_stored_result(
        &self,
        key: &[u8],
        sandbox: bool,
    ) -> Result<Option<StoredResultRecord>, DbError> {
        #[derive(FromRow)]
        struct StoredResultRow {
            sealed: Vec<u8>,
        }
        let id = credential_id_hash(key);
        let mut view = self.0.db.read().await?;
        let row: Option<StoredResultRow> = view
            .fetch_optional(sql!(
                "SELECT sealed FROM age_tokens WHERE id = $1 AND forget_at > $2",
                id.clone(),
                self.0.world.now(),
            ))
            .await?;
        let plain = row.and_then(|row| self.0.vault.open(&stored_result_aad(&id), &row.sealed).ok());
        let token: Option<StoredResultRecord> = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
        Ok(token.filter(|token| token.sandbox == sandbox))
    }

    async fn save_stored_result(&self, key: &[u8], token: &StoredResultRecord) -> Result<(), DbError> {
        let id = credential_id_hash(key);
        let plain = serde_json::to_vec(token).expect("a kept result is JSON");
        let mut tx = self.0.db.write().await?;
        tx.execute(sql!(
            "INSERT INTO age_tokens (id, sealed, forget_at) VALUES ($1, $2, $3)
             ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed",
            id.clone(),
            self.0.vault.seal(&*self.0.world, &stored_result_aad(&id), &plain),
            token.at + self.0.settings.stored_result_retention,
        ))
        .await?;
        tx.commit().await
    }
}

/// Forgets results that are too old to be shown, at most 1,000 at once; how many.
pub(in crate::age_verification) async fn purge_stored_results(
    db: &Db,
    now: Timestamp,
) -> Result<u64, DbError> {
    let mut tx = db.write_with_durability(Durability::Process).await?;
    let rows = tx
        .execute(sql!(
            "DELETE FROM age_tokens WHERE id IN (SELECT id FROM age_tokens WHERE forget_at <= $1 LIMIT 1000)",
            now,
        ))
        .await?;
    tx.commit().await?;
    Ok(rows)
}

const DELETION_AAD: &[u8] = b"forgetting an age token";

/// What of a key's name is kept in a column.
fn credential_id_hash(key: &[u8]) -> Vec<u8> {
    digest::digest(&digest::SHA256, key).as_ref().to_vec()
}

fn stored_result_aad(id: &[u8]) -> Vec<u8> {
    [b"age token ", id].concat()
}

fn registration_aad(id: AgeSessionId) -> Vec<u8> {
    format!("age session {id} key").into_bytes()
}
