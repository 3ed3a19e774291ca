//! An age session, as it is kept: one sealed document. It says how far the person is and what came of it, and has nothing
//! that they typed or showed.

use super::{
    Location,
    session_config::{AgeMethodConfig, AgeSessionConfig, AvailableMethods, StoredAgeResult},
    state_machine::{AgeSessionEvent, InvalidTransitionError},
    types::{AgeCheckType, AgeFailureReason, AgeMethod, AgeSessionStatus, AgeSessionType},
};
use crate::audit::sha256_hex;
use base::{AgeAttemptId, AgeSessionId, AppId, Environment, Id as _, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A session. Old rows must still be read after an update: add members with defaults.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgeSession {
    /// Which.
    pub id: AgeSessionId,
    /// Whose.
    pub app: AppId,
    /// Whether providers of the sandbox answer.
    pub sandbox: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// What was asked for.
    pub wanted: AgeSessionConfig,
    /// How far it is.
    pub state: AgeSessionStatus,
    /// What the person said to the use of biometric data.
    pub consent: Option<BiometricConsent>,
    /// What was tried.
    pub tries: Vec<MethodAttemptHistory>,
    /// What is being tried.
    pub attempt: Option<MethodAttempt>,
    /// What came of the last attempt that ended.
    pub outcome: Option<AgeAttemptOutcome>,
    /// Webhooks that were sent.
    pub told: i64,
    /// One-time codes that were sent to the person, by whichever method.
    #[serde(default)]
    pub codes: OneTimeCodeCounter,
    /// Results that were handed to the person: kept under a key of their own, or as a proof for tills.
    #[serde(default)]
    pub given: Vec<GrantedArtefact>,
    /// Of a session of the issuer of blind tokens: the age that the token is for, years.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issues: Option<u8>,
    /// Of the same: the digest of the secret that the tab has which began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Of the same: the digest of the blinded message that was signed in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<String>,
}

/// What the person said to the use of biometric data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BiometricConsent {
    /// Yes or no.
    pub given: bool,
    /// When.
    pub at: Timestamp,
}

/// How often a method was tried, and how it ended last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodAttemptHistory {
    /// Which.
    pub method: AgeMethod,
    /// Attempts that ended.
    pub attempts: i64,
    /// Whether the last one showed that the age is not as asked.
    pub failed: bool,
}

/// An attempt that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodAttempt {
    /// Which.
    pub id: AgeAttemptId,
    /// At what.
    pub method: AgeMethod,
    /// Turns that were taken: an answer counts for the last one alone.
    pub turn: i64,
    /// Wrong codes that were typed.
    pub wrong: i64,
    /// What the server must know of it that the page need not carry: a document session, a request to a wallet.
    pub held: Value,
}

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgeAttemptOutcome {
    /// At what.
    pub method: AgeMethod,
    /// Whether the age is as asked; for a session of the type AGE, whether there is one.
    pub passed: bool,
    /// The age where it was asked for, else the threshold, years.
    pub age: Option<i64>,
    /// Under what the method knows it.
    pub evidence_id: Option<String>,
    /// Why it did not pass.
    pub error_code: Option<String>,
    /// What it rests on.
    pub check_type: AgeCheckType,
    /// When.
    pub at: Timestamp,
    /// What a kept result would say.
    pub held: Option<StoredAgeResult>,
}

/// One-time codes that were sent: whoever opens a session may not have strangers' phones ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneTimeCodeCounter {
    /// How many.
    pub sent: i64,
    /// When the last one was.
    pub last: Option<Timestamp>,
}

/// Something that a person took along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GrantedArtefact {
    /// A result under a key of their own.
    Key,
    /// A proof of age.
    Proof,
}

/// What came of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgeMethodVerdict {
    /// The age is as asked, or is this one.
    Passed {
        /// The age where it was asked for, else the threshold, years.
        age: i64,
        /// Under what the method knows it.
        evidence: Option<String>,
        /// What it rests on.
        check_type: AgeCheckType,
        /// What a kept result would say.
        storable_result: Option<StoredAgeResult>,
    },
    /// The age is not as asked.
    Failed {
        /// Under what the method knows it.
        evidence: Option<String>,
        /// Why.
        code: AgeFailureReason,
    },
    /// It could not be told.
    Undecided {
        /// Why.
        code: AgeFailureReason,
    },
    /// The method broke; it is not the person's fault.
    Broken {
        /// Why.
        code: AgeFailureReason,
    },
}

impl AgeSession {
    /// A session that begins.
    pub fn begin(world: &dyn Environment, app: AppId, sandbox: bool, wanted: AgeSessionConfig) -> Self {
        let now = world.now();
        Self {
            id: AgeSessionId::new(world),
            app,
            sandbox,
            created_at: now,
            updated_at: now,
            wanted,
            state: AgeSessionStatus::Pending,
            consent: None,
            tries: Vec::new(),
            attempt: None,
            outcome: None,
            told: 0,
            codes: OneTimeCodeCounter::default(),
            given: Vec::new(),
            issues: None,
            secret: None,
            signed: None,
        }
    }

    /// Whether whoever has this secret may begin something in it. A session of the issuer is led on by the tab that began
    /// it, or what one person shows could be signed for another; the others have no secret.
    pub fn is_authorised_by(&self, secret: Option<&str>) -> bool {
        let right = |digest: &String| secret.is_some_and(|secret| *digest == sha256_hex(secret.as_bytes()));
        self.issues.is_none() || self.secret.as_ref().is_some_and(right)
    }

    /// Notes what was signed in a session of the issuer, and forgets how the age was shown: what is left answers the same
    /// message again. Every member stands here, so that a new one is thought of.
    pub fn record_issued_token(&mut self, message: String) {
        *self = Self {
            id: self.id,
            app: self.app,
            sandbox: self.sandbox,
            created_at: self.created_at,
            updated_at: self.created_at,
            wanted: self.wanted.clone(),
            state: self.state,
            consent: None,
            tries: Vec::new(),
            attempt: None,
            outcome: None,
            told: 0,
            codes: OneTimeCodeCounter::default(),
            given: Vec::new(),
            issues: self.issues,
            secret: self.secret.take(),
            signed: Some(message),
        };
    }

    /// Whether its time has not run out.
    pub fn is_live(&self, now: Timestamp) -> bool {
        now < self.wanted.until
    }

    /// Seconds until its time runs out.
    pub fn seconds_left(&self, now: Timestamp) -> i64 {
        self.wanted.until.duration_since(now).as_secs().max(0)
    }

    /// Whether somebody who is there may not use it. Of whom it is not known where they are, they may.
    pub fn is_blocked_at(&self, location: Option<&Location>) -> bool {
        location.is_some_and(|at| self.wanted.blocked_locations.iter().any(|blocked| blocked.contains(at)))
    }

    /// Attempts at a method that ended.
    pub fn attempts_made(&self, method: AgeMethod) -> i64 {
        self.tries.iter().find(|tried| tried.method == method).map_or(0, |tried| tried.attempts)
    }

    /// Attempts at a method that are left. One that is resumed after its end has those of a block that may be tried again.
    pub fn attempts_remaining(&self, block: &AgeMethodConfig) -> i64 {
        let resumed = self.wanted.resume_enabled
            && matches!(self.state, AgeSessionStatus::Fail | AgeSessionStatus::Error);
        let most = if resumed { block.effective_retry_limit() } else { block.max_attempts() };
        (most - self.attempts_made(block.method)).max(0)
    }

    /// Whether the person must be asked before a face is looked at.
    pub fn requires_consent(&self) -> bool {
        !self.wanted.block_biometric_consent
    }

    /// Whether the person said no to a method that uses their face.
    pub fn is_consent_refused(&self, block: &AgeMethodConfig) -> bool {
        block.is_biometric() && self.requires_consent() && self.consent.is_some_and(|consent| !consent.given)
    }

    /// Whether an attempt at a method may begin now, as far as states and attempts go.
    pub fn may_open(&self, block: &AgeMethodConfig) -> bool {
        if self.attempts_remaining(block) == 0 || self.is_consent_refused(block) {
            return false;
        }
        match self.state {
            AgeSessionStatus::Pending | AgeSessionStatus::InProgress => true,
            AgeSessionStatus::Fail | AgeSessionStatus::Error => {
                let last = self.outcome.as_ref().is_some_and(|outcome| outcome.method == block.method);
                self.wanted.resume_enabled || (last && block.retry_enabled)
            }
            AgeSessionStatus::Processing | AgeSessionStatus::Complete | AgeSessionStatus::Cancelled => false,
        }
    }

    /// Whether any method may begin now.
    pub fn can_continue(&self, has: &dyn AvailableMethods) -> bool {
        self.wanted.usable_methods(has).any(|block| self.may_open(block))
    }

    /// Moves it.
    pub fn apply(&mut self, event: AgeSessionEvent, now: Timestamp) -> Result<(), InvalidTransitionError> {
        self.state = self.state.after(event)?;
        self.updated_at = now;
        Ok(())
    }

    /// Begins an attempt.
    pub fn begin_attempt(
        &mut self,
        world: &dyn Environment,
        method: AgeMethod,
    ) -> Result<AgeAttemptId, InvalidTransitionError> {
        let event = match self.state {
            AgeSessionStatus::Fail | AgeSessionStatus::Error => AgeSessionEvent::Reopened,
            _ => AgeSessionEvent::MethodOpened,
        };
        self.apply(event, world.now())?;
        let id = AgeAttemptId::new(world);
        self.attempt = Some(MethodAttempt { id, method, turn: 0, wrong: 0, held: Value::Null });
        Ok(id)
    }

    /// Ends the attempt that is under way.
    pub fn finish_attempt(
        &mut self,
        method: AgeMethod,
        verdict: AgeMethodVerdict,
        has: &dyn AvailableMethods,
        now: Timestamp,
    ) -> Result<&AgeAttemptOutcome, InvalidTransitionError> {
        let failed = matches!(verdict, AgeMethodVerdict::Failed { .. });
        match self.tries.iter_mut().find(|tried| tried.method == method) {
            Some(tried) => (tried.attempts, tried.failed) = (tried.attempts + 1, failed),
            None => self.tries.push(MethodAttemptHistory { method, attempts: 1, failed }),
        }
        // Where a method keeps no evidence, what came of it is found by the attempt.
        let tried = self.attempt.take().map(|attempt| attempt.id.to_string());
        // What is left is asked as if it went on: a method that could not tell leaves room for the others.
        let left = {
            let mut going = self.clone();
            going.state = AgeSessionStatus::InProgress;
            going.can_continue(has)
        };
        // Where an age is asked for, one that is not known has no name.
        let asked = self.wanted.method_config(method).filter(|_| self.wanted.kind != AgeSessionType::Age);
        let threshold = asked.map(|block| block.threshold);
        let (event, passed, age, evidence_id, code, check_type, held) = match verdict {
            AgeMethodVerdict::Passed { age, evidence, check_type, storable_result: held } => {
                (AgeSessionEvent::Passed, true, Some(age), evidence, None, check_type, held)
            }
            AgeMethodVerdict::Failed { evidence, code } => {
                (AgeSessionEvent::Failed, false, threshold, evidence, Some(code), AgeCheckType::Session, None)
            }
            AgeMethodVerdict::Undecided { code } => {
                let event = if left { AgeSessionEvent::Undecided } else { AgeSessionEvent::MethodsExhausted };
                (event, false, threshold, None, Some(code), AgeCheckType::Session, None)
            }
            AgeMethodVerdict::Broken { code } => {
                let event = if left { AgeSessionEvent::Undecided } else { AgeSessionEvent::Errored };
                (event, false, threshold, None, Some(code), AgeCheckType::Session, None)
            }
        };
        // FAIL is for OVER and UNDER: where an age was asked for and none is known, it is an error.
        let event = match (event, self.wanted.kind) {
            (AgeSessionEvent::MethodsExhausted, AgeSessionType::Age) => AgeSessionEvent::Errored,
            (event, _) => event,
        };
        self.apply(event, now)?;
        let error_code = code.map(|code| code.to_string());
        Ok(self.outcome.insert(AgeAttemptOutcome {
            method,
            passed,
            age,
            evidence_id: evidence_id.or(tried),
            error_code,
            check_type,
            at: now,
            held,
        }))
    }
}
