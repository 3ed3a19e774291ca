//! An age session as it is stored: one sealed document. It records how far the end user got and the outcome, but
//! nothing that they typed or showed.

use super::{
    Location,
    session_config::{AgeMethodConfig, AgeSessionConfig, AvailableMethods, StoredAgeResult},
    state_machine::{AgeSessionEvent, InvalidTransitionError},
    types::{
        AgeFailureReason, AgeMethod, AgeSessionStatus, AgeSessionType, AppAttestation, LivenessLevel,
        SignalAssurance,
    },
};
use crate::{audit::sha256_hex, time_left::whole_seconds_until};
use age_methods::device_signal::DeviceChallenge;
use base::{AgeAttemptId, AgeSessionId, AppId, Environment, Id as _, SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How long the end user's page shows what became of a session once its time is over and it has ended: a check may have run for
/// longer than the session, from the page they are led back, and a page that another device went on from asks only when its
/// countdown ends.
const OUTCOME_SHOWN_FOR: SignedDuration = SignedDuration::from_mins(10);

/// A session. Rows of older builds must stay readable: give new members defaults, and keep the serialised names.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgeSession {
    pub id: AgeSessionId,
    /// The application that the session belongs to.
    pub app: AppId,
    /// Whether the session belongs to the sandbox, where providers are simulated.
    pub sandbox: bool,
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// What the relying party asked for.
    pub wanted: AgeSessionConfig,
    pub state: AgeSessionStatus,
    /// The end user's answer to the use of biometric data, once there is one.
    pub consent: Option<BiometricConsent>,
    /// The methods at which attempts have ended.
    pub tries: Vec<MethodAttemptHistory>,
    /// The attempt that is under way.
    pub attempt: Option<MethodAttempt>,
    /// The outcome of the last attempt that ended, or the one that a reviewer has set on appeal.
    pub outcome: Option<AgeAttemptOutcome>,
    /// Whether it was resumed after FAIL or ERROR: each method then has the retry limit of its block.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumed: bool,
    /// The only method that can still be opened: the one that was opened again after FAIL or ERROR in a session that allows
    /// its retry, but not to be resumed with another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retried: Option<AgeMethod>,
    /// The number of webhooks so far.
    #[serde(rename = "told")]
    pub webhooks_sent: i64,
    /// One-time codes that were sent to the end user, by any method.
    #[serde(default, rename = "codes")]
    pub one_time_codes: OneTimeCodeCounter,
    /// Cards that a provider was asked about. It does not start over with an attempt.
    #[serde(default, rename = "cards")]
    pub cards_checked: i64,
    /// Questions that registries of identities and identity providers were asked, by any method. It does not start over with
    /// an attempt.
    #[serde(default, rename = "questions")]
    pub questions_asked: i64,
    /// What the end user took along: a stored result, or a proof for tills.
    #[serde(default, rename = "given")]
    pub granted: Vec<GrantedArtefact>,
    /// In a session of the issuer of blind tokens: the age that the token attests, years.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issues: Option<u8>,
    /// In a session of the issuer: SHA-256 (hexadecimal) of the secret of the tab that began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// In a session of the issuer: SHA-256 (hexadecimal) of the blinded message that was signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<String>,
}

/// The end user's answer to the use of biometric data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BiometricConsent {
    /// `false` if they refused.
    pub given: bool,
    /// When they answered.
    pub at: Timestamp,
}

/// How often a method was tried, and how the last attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodAttemptHistory {
    pub method: AgeMethod,
    /// Attempts that ended.
    pub attempts: i64,
    /// Whether the last one showed that the age is not as required.
    pub failed: bool,
}

/// An attempt that is under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodAttempt {
    pub id: AgeAttemptId,
    pub method: AgeMethod,
    /// Turns so far. Only the answer to the latest turn counts.
    pub turn: i64,
    /// Wrong codes that were typed.
    #[serde(rename = "wrong")]
    pub wrong_codes: i64,
    /// State of the method that stays on the server and does not travel through the page: a linked document session, or
    /// the progress of a wallet request. `null` for the other methods.
    #[serde(rename = "held")]
    pub state: Value,
}

/// The outcome of an attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgeAttemptOutcome {
    pub method: AgeMethod,
    /// Whether the age is as required; in a session of the type AGE, whether an age was determined.
    pub passed: bool,
    /// In a session of the type AGE the age, if it was determined; else the threshold. Years.
    pub age: Option<i64>,
    /// The method's id of the evidence; the attempt's id if the method has none.
    pub evidence_id: Option<String>,
    /// Why it did not pass.
    pub error_code: Option<String>,
    /// The check of liveness behind it.
    #[serde(default = "no_liveness_check")]
    pub level: LivenessLevel,
    /// When the attempt ended.
    pub at: Timestamp,
    /// What the age was estimated to be, if it was and the attempt did not pass: a reviewer of an appeal sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<EstimatedAge>,
    /// Whether a reviewer set it on appeal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overturned: bool,
    /// For a device signal: who stands behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<SignalProvenance>,
    /// The result as it can be stored under a passkey; none if it may not be stored.
    #[serde(rename = "held")]
    pub storable_result: Option<StoredAgeResult>,
}

/// An age as it was estimated, years.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimatedAge {
    pub years: f32,
    /// The ends of the interval in which the age lies in 80 of 100 cases.
    pub low: f32,
    pub high: f32,
}

/// Who stands behind what a phone's system states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalProvenance {
    /// Who set or checked the age.
    pub assurance: SignalAssurance,
    /// Who vouches for the app that read it.
    pub attestation: AppAttestation,
}

/// What an attempt with a device signal remembers: the challenge, then who stands behind the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceSignalState {
    pub challenge: DeviceChallenge,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<SignalProvenance>,
}

/// One-time codes that a session has sent, counted before they leave. Limited, so that nobody can use sessions to send
/// messages to strangers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneTimeCodeCounter {
    pub sent: i64,
    /// When the last one was sent.
    pub last: Option<Timestamp>,
}

/// Something that an end user took along from a session; each can be taken once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GrantedArtefact {
    /// The result, stored under a passkey.
    Key,
    /// A proof of age for tills.
    Proof,
}

/// The verdict of a method at the end of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub enum AgeMethodVerdict {
    /// The age is as required, or was determined.
    Passed {
        /// In a session of the type AGE the age, else the threshold; years.
        age: i64,
        /// The method's id of the evidence.
        evidence: Option<String>,
        /// The check of liveness behind it.
        level: LivenessLevel,
        /// The result as it can be stored under a passkey; none if it may not be stored.
        storable_result: Option<StoredAgeResult>,
    },
    /// The age is not as required.
    Failed {
        /// The method's id of the evidence.
        evidence: Option<String>,
        code: AgeFailureReason,
    },
    /// The method could not determine the age.
    Undecided { code: AgeFailureReason },
    /// The method failed for a technical reason, which is not the end user's fault.
    Broken { code: AgeFailureReason },
}

fn no_liveness_check() -> LivenessLevel {
    LivenessLevel::None
}

impl AgeSession {
    /// A new session.
    pub fn begin(environment: &dyn Environment, app: AppId, sandbox: bool, config: AgeSessionConfig) -> Self {
        let now = environment.now();
        Self {
            id: AgeSessionId::new(environment),
            app,
            sandbox,
            created_at: now,
            updated_at: now,
            wanted: config,
            state: AgeSessionStatus::Pending,
            consent: None,
            tries: Vec::new(),
            attempt: None,
            outcome: None,
            resumed: false,
            retried: None,
            webhooks_sent: 0,
            one_time_codes: OneTimeCodeCounter::default(),
            cards_checked: 0,
            questions_asked: 0,
            granted: Vec::new(),
            issues: None,
            secret: None,
            signed: None,
        }
    }

    /// Whether a caller with this secret may begin something in the session. A session of the issuer is bound to the
    /// tab that began it; otherwise evidence that one person shows could be signed for another. Other sessions have no
    /// secret.
    pub fn is_authorised_by(&self, secret: Option<&str>) -> bool {
        let matches = |digest: &String| secret.is_some_and(|secret| *digest == sha256_hex(secret.as_bytes()));
        self.issues.is_none() || self.secret.as_ref().is_some_and(matches)
    }

    /// Records the digest of the message that was signed in a session of the issuer, and forgets how the age was
    /// proved. What is left is enough to answer the same message again. Every member is listed, so that a new one is
    /// not forgotten here.
    pub fn record_issued_token(&mut self, message_digest: String) {
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
            resumed: false,
            retried: None,
            webhooks_sent: 0,
            one_time_codes: OneTimeCodeCounter::default(),
            cards_checked: 0,
            questions_asked: 0,
            granted: Vec::new(),
            issues: self.issues,
            secret: self.secret.take(),
            signed: Some(message_digest),
        };
    }

    /// Whether the session has not expired.
    pub fn is_live(&self, now: Timestamp) -> bool {
        now < self.wanted.until
    }

    /// Whether the end user's page may read the session: it has not expired, a check is still running, or its time was over, or it
    /// ended, within the last ten minutes. Of one that ran out, and of one of the issuer of blind tokens, nothing is shown after
    /// its time.
    pub fn is_shown(&self, now: Timestamp) -> bool {
        let shows_outcome = match self.state {
            AgeSessionStatus::Pending | AgeSessionStatus::InProgress | AgeSessionStatus::Expired => false,
            AgeSessionStatus::Processing => true,
            AgeSessionStatus::Complete
            | AgeSessionStatus::Fail
            | AgeSessionStatus::Error
            | AgeSessionStatus::Cancelled => now < self.updated_at.max(self.wanted.until) + OUTCOME_SHOWN_FOR,
        };
        self.is_live(now) || (self.issues.is_none() && shows_outcome)
    }

    /// The state as it is now: a session that ran out before it had a result is `EXPIRED`, also before a job has noted it.
    pub fn state_at(&self, now: Timestamp) -> AgeSessionStatus {
        if self.has_run_out(now) { AgeSessionStatus::Expired } else { self.state }
    }

    /// Whether the session ran out before it had a result. A check that is running may still end.
    pub fn has_run_out(&self, now: Timestamp) -> bool {
        !self.is_live(now) && matches!(self.state, AgeSessionStatus::Pending | AgeSessionStatus::InProgress)
    }

    /// Seconds until the session expires, rounded up; 0 afterwards.
    pub fn seconds_left(&self, now: Timestamp) -> i64 {
        whole_seconds_until(self.wanted.until, now)
    }

    /// Whether the session blocks this location. An unknown location is not blocked.
    pub fn is_blocked_at(&self, location: Option<&Location>) -> bool {
        location.is_some_and(|location| {
            self.wanted.blocked_locations.iter().any(|blocked| blocked.contains(location))
        })
    }

    /// Attempts at the method that have ended.
    pub fn attempts_made(&self, method: AgeMethod) -> i64 {
        self.tries.iter().find(|history| history.method == method).map_or(0, |history| history.attempts)
    }

    /// Attempts at the method that are left. A session that is resumed after FAIL or ERROR, or may be, has the retry limit
    /// of each block, even if the block itself allows no retry.
    pub fn attempts_remaining(&self, block: &AgeMethodConfig) -> i64 {
        let may_resume = self.wanted.resume_enabled
            && matches!(self.state, AgeSessionStatus::Fail | AgeSessionStatus::Error);
        let limit =
            if self.resumed || may_resume { block.effective_retry_limit() } else { block.max_attempts() };
        (limit - self.attempts_made(block.method)).max(0)
    }

    /// Whether the end user must consent before a face is analysed.
    pub fn requires_consent(&self) -> bool {
        !self.wanted.block_biometric_consent
    }

    /// Whether the end user's answer to the use of biometric data is still taken. Where a refusal alone is in the way,
    /// they may think better of it. What was decided from a face stays with the answer that allowed it.
    pub fn takes_consent(&self, available: &dyn AvailableMethods) -> bool {
        let given = Some(BiometricConsent { given: true, at: self.updated_at });
        !self.state.is_ended() || Self { consent: given, ..self.clone() }.can_continue(available)
    }

    /// Whether the method uses a face and the end user refused consent.
    pub fn is_consent_refused(&self, block: &AgeMethodConfig) -> bool {
        block.is_biometric() && self.requires_consent() && self.consent.is_some_and(|consent| !consent.given)
    }

    /// Whether an attempt at the method may begin now, judged by the state, the attempts left, and consent.
    pub fn may_open(&self, block: &AgeMethodConfig) -> bool {
        let is_left_out = self.retried.is_some_and(|method| method != block.method);
        if is_left_out || self.attempts_remaining(block) == 0 || self.is_consent_refused(block) {
            return false;
        }
        match self.state {
            AgeSessionStatus::Pending | AgeSessionStatus::InProgress => true,
            AgeSessionStatus::Fail | AgeSessionStatus::Error => {
                let was_last = self.outcome.as_ref().is_some_and(|outcome| outcome.method == block.method);
                self.wanted.resume_enabled || (was_last && block.retry_enabled)
            }
            AgeSessionStatus::Processing
            | AgeSessionStatus::Complete
            | AgeSessionStatus::Cancelled
            | AgeSessionStatus::Expired => false,
        }
    }

    /// The methods that can be used, in the order in which they are offered.
    pub fn usable_methods<'a>(
        &'a self,
        available: &'a dyn AvailableMethods,
    ) -> impl Iterator<Item = &'a AgeMethodConfig> {
        self.wanted.usable_methods(self.app, available)
    }

    /// Whether an attempt at any method may begin now.
    pub fn can_continue(&self, available: &dyn AvailableMethods) -> bool {
        self.usable_methods(available).any(|block| self.may_open(block))
    }

    /// Moves the session to the state after `event`.
    pub fn apply(&mut self, event: AgeSessionEvent, now: Timestamp) -> Result<(), InvalidTransitionError> {
        self.state = self.state.after(event)?;
        self.updated_at = now;
        Ok(())
    }

    /// Begins an attempt. An attempt that is under way is abandoned and does not count.
    pub fn begin_attempt(
        &mut self,
        environment: &dyn Environment,
        method: AgeMethod,
    ) -> Result<AgeAttemptId, InvalidTransitionError> {
        let event = match self.state {
            AgeSessionStatus::Fail | AgeSessionStatus::Error => AgeSessionEvent::Reopened,
            _ => AgeSessionEvent::MethodOpened,
        };
        self.apply(event, environment.now())?;
        // The state no longer tells, and this attempt may be abandoned and begun again.
        if event == AgeSessionEvent::Reopened {
            if self.wanted.resume_enabled {
                self.resumed = true;
            } else {
                self.retried = Some(method);
            }
        }
        let id = AgeAttemptId::new(environment);
        self.attempt = Some(MethodAttempt { id, method, turn: 0, wrong_codes: 0, state: Value::Null });
        Ok(id)
    }

    /// The method that the session is at: that of the attempt under way, else of the last that ended.
    pub fn current_method(&self) -> Option<AgeMethod> {
        let attempt = self.attempt.as_ref().map(|attempt| attempt.method);
        attempt.or_else(|| self.outcome.as_ref().map(|outcome| outcome.method))
    }

    /// Sets the outcome that a reviewer has found on appeal, in place of that of the last attempt. An attempt that is under
    /// way is abandoned.
    pub fn overturn(
        &mut self,
        outcome: AgeAttemptOutcome,
        now: Timestamp,
    ) -> Result<(), InvalidTransitionError> {
        self.apply(AgeSessionEvent::Overturned, now)?;
        self.attempt = None;
        self.outcome = Some(outcome);
        Ok(())
    }

    /// Ends the attempt that is under way, and moves the session on.
    pub fn finish_attempt(
        &mut self,
        method: AgeMethod,
        verdict: AgeMethodVerdict,
        available: &dyn AvailableMethods,
        now: Timestamp,
    ) -> Result<&AgeAttemptOutcome, InvalidTransitionError> {
        let failed = matches!(verdict, AgeMethodVerdict::Failed { .. });
        match self.tries.iter_mut().find(|history| history.method == method) {
            Some(history) => (history.attempts, history.failed) = (history.attempts + 1, failed),
            None => self.tries.push(MethodAttemptHistory { method, attempts: 1, failed }),
        }
        let ended = self.attempt.take();
        let signal_state = ended.as_ref().filter(|_| method == AgeMethod::DeviceSignal);
        let signal_state = signal_state
            .and_then(|attempt| serde_json::from_value::<DeviceSignalState>(attempt.state.clone()).ok());
        // The id of the attempt stands in for that of the evidence if the method has none.
        let attempt_id = ended.map(|attempt| attempt.id.to_string());
        // Which methods are left is judged as if the session went on: an undecided attempt leaves room for the others.
        let any_method_left = {
            let mut continued = self.clone();
            continued.state = AgeSessionStatus::InProgress;
            continued.can_continue(available)
        };
        // In a session of the type AGE the outcome has no age unless one was determined.
        let config = self.wanted.method_config(method).filter(|_| self.wanted.kind != AgeSessionType::Age);
        let threshold = config.map(|config| config.threshold);
        let method_level =
            self.wanted.method_config(method).map_or_else(no_liveness_check, AgeMethodConfig::liveness_level);
        let (event, passed, age, evidence_id, code, level, storable_result) = match verdict {
            AgeMethodVerdict::Passed { age, evidence, level, storable_result } => {
                (AgeSessionEvent::Passed, true, Some(age), evidence, None, level, storable_result)
            }
            AgeMethodVerdict::Failed { evidence, code } => {
                (AgeSessionEvent::Failed, false, threshold, evidence, Some(code), method_level, None)
            }
            AgeMethodVerdict::Undecided { code } => {
                let event = if any_method_left {
                    AgeSessionEvent::Undecided
                } else {
                    AgeSessionEvent::MethodsExhausted
                };
                (event, false, threshold, None, Some(code), method_level, None)
            }
            AgeMethodVerdict::Broken { code } => {
                let event =
                    if any_method_left { AgeSessionEvent::Undecided } else { AgeSessionEvent::Errored };
                (event, false, threshold, None, Some(code), method_level, None)
            }
        };
        // FAIL is only for OVER and UNDER: a session of the type AGE without an age is an ERROR.
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
            evidence_id: evidence_id.or(attempt_id),
            error_code,
            level,
            at: now,
            estimate: None,
            overturned: false,
            signal: signal_state.and_then(|state| state.provenance),
            storable_result,
        }))
    }
}
