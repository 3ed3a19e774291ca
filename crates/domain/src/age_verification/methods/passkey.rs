//! `svc_key`: a passkey under which the end user stored an earlier result, which is shown again instead of using a
//! method (see [`stored_results`](crate::age_verification::stored_results) for how it got there).

use super::{
    AgeMethodHandler, AttemptContext, AttemptStep, StepFuture, StepOutcome, StepPrompt, TurnInput,
    evaluate_error, not_configured, ready, undecided,
};
use crate::age_verification::{
    AgeSessionError,
    decision::utc_date,
    rules::AgeRuleStore,
    session::{AgeMethodVerdict, AgeSession},
    session_config::{AgeMethodConfig, AgeSessionConfig, StoredAgeResult, satisfies_rule},
    stored_result_store::StoredResultStore,
    types::{AgeFailureReason, AgeMethod, AgeSessionType},
};
use age_methods::passkey::{PasskeyAuthenticationState, Passkeys};
use base::{Environment, SignedDuration, Timestamp};
use db::DbError;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// How long a passkey request may be answered.
const CONTINUATION_TTL: SignedDuration = SignedDuration::from_mins(5);

#[derive(Debug)]
pub(in crate::age_verification) struct PasskeyMethod {
    environment: Arc<dyn Environment>,
    passkeys: Option<Arc<Passkeys>>,
    results: Arc<StoredResultStore>,
    rules: Arc<AgeRuleStore>,
}

/// What travels through the page with a passkey request.
#[derive(Serialize, Deserialize)]
pub(in crate::age_verification) struct PasskeyContinuation<T> {
    pub(in crate::age_verification) state: T,
    at: Timestamp,
}

impl<T> PasskeyContinuation<T> {
    pub(in crate::age_verification) fn new(state: T, now: Timestamp) -> Self {
        Self { state, at: now }
    }

    /// Whether the request may still be answered.
    pub(in crate::age_verification) fn is_fresh(&self, now: Timestamp) -> bool {
        now.duration_since(self.at) <= CONTINUATION_TTL
    }
}

impl AgeMethodHandler for PasskeyMethod {
    fn is_available(&self) -> bool {
        self.passkeys.is_some()
    }

    fn open<'a>(&'a self, context: AttemptContext<'a>) -> StepFuture<'a> {
        ready(match &self.passkeys {
            Some(passkeys) => self.prompt(context, passkeys),
            None => not_configured(),
        })
    }

    fn process_turn<'a>(
        &'a self,
        context: AttemptContext<'a>,
        continuation: Value,
        input: &'a TurnInput,
    ) -> StepFuture<'a> {
        Box::pin(self.check_passkey(context, continuation, input))
    }
}

impl PasskeyMethod {
    pub(in crate::age_verification) fn new(
        environment: Arc<dyn Environment>,
        passkeys: Option<Arc<Passkeys>>,
        results: Arc<StoredResultStore>,
        rules: Arc<AgeRuleStore>,
    ) -> Self {
        Self { environment, passkeys, results, rules }
    }

    fn prompt(&self, context: AttemptContext<'_>, passkeys: &Passkeys) -> StepOutcome {
        match passkeys.start_authentication() {
            Ok((options, state)) => {
                let continuation = PasskeyContinuation::new(state, self.environment.now());
                StepOutcome::Prompt(StepPrompt::new(
                    AttemptStep::Passkey { silent: context.config.is_silent(), options },
                    json!(continuation),
                ))
            }
            Err(error) => evaluate_error(context, error, not_configured),
        }
    }

    async fn check_passkey(
        &self,
        context: AttemptContext<'_>,
        continuation: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let Some(passkeys) = &self.passkeys else { return Ok(not_configured()) };
        let request: PasskeyContinuation<PasskeyAuthenticationState> =
            serde_json::from_value(continuation).map_err(|_| AgeSessionError::StaleContinuation)?;
        let now = self.environment.now();
        if !request.is_fresh(now) {
            return Ok(self.prompt(context, passkeys));
        }
        let Some(credential) = &input.credential else { return Ok(undecided(AgeFailureReason::NoKey)) };
        let identified = match passkeys.identify(credential) {
            Ok(identified) => identified,
            Err(error) => return Ok(evaluate_error(context, error, not_configured)),
        };
        let Some(mut record) = self.results.load(&identified.id, context.session.sandbox).await? else {
            return Ok(undecided(AgeFailureReason::NoKey));
        };
        let changed = match passkeys.finish_authentication(&request.state, credential, &mut record.key) {
            Ok(changed) => changed,
            Err(error) => return Ok(evaluate_error(context, error, not_configured)),
        };
        if changed {
            self.results.update(&identified.id, &record).await?;
        }
        let rule = self.rule(context.session).await?;
        let max_age = match &rule {
            Some(rule) => SignedDuration::from_secs(rule.ttl).min(self.results.retention()),
            None => self.results.retention(),
        };
        if now.duration_since(record.proved_at()) > max_age {
            return Ok(undecided(AgeFailureReason::KeptResultTooOld));
        }
        let dates = (utc_date(record.proved_at()), utc_date(now));
        Ok(evaluate_stored_result(
            &record.result,
            dates,
            &context.session.wanted,
            context.config,
            rule.as_ref(),
        ))
    }

    /// The rule that the session names.
    async fn rule(&self, session: &AgeSession) -> Result<Option<AgeSessionConfig>, DbError> {
        match session.wanted.rule_id {
            Some(id) => self.rules.find(session.app, session.sandbox, id).await,
            None => Ok(None),
        }
    }
}

/// What follows from a stored result that is recent enough: `dates` are that of its proof and today's. `config` is the block of
/// `svc_key`.
fn evaluate_stored_result(
    stored: &StoredAgeResult,
    (proved_on, today): (Date, Date),
    session: &AgeSessionConfig,
    config: &AgeMethodConfig,
    rule: Option<&AgeSessionConfig>,
) -> StepOutcome {
    // Compared is what it still says.
    let result = &stored.as_of(proved_on, today);
    // The rule says what is enough; without one, the session's own methods; if there are no others than this one, its
    // threshold alone.
    let has_other_methods =
        session.blocks.iter().any(|block| block.allowed && block.method != AgeMethod::SvcKey);
    let is_enough = match rule {
        None if !has_other_methods => true,
        rule => satisfies_rule(result, rule.unwrap_or(session)),
    };
    // Beside a policy nothing else decides: a rule can only ask for more.
    let meets_policy = session.policy.is_none() || satisfies_rule(result, session);
    let config_of_rule = rule.and_then(|rule| rule.method_config(result.method));
    let threshold = config_of_rule.filter(|_| !config.says_threshold).unwrap_or(config).threshold;
    // A result that satisfies the thresholds of the other methods may still miss that of this one.
    let reaches_threshold = match session.kind {
        AgeSessionType::Over => result.age >= threshold,
        AgeSessionType::Under => result.age <= threshold,
        AgeSessionType::Age => true,
    };
    // A rule may be of another type, but the question is the session's.
    let is_answered = session.kind.is_answered_by(result.kind);
    if !is_answered || !is_enough || !meets_policy || !reaches_threshold {
        return undecided(AgeFailureReason::KeptResultNotEnough);
    }
    StepOutcome::Finished(AgeMethodVerdict::Passed {
        age: if session.kind == AgeSessionType::Age { result.age } else { threshold },
        evidence: None,
        level: result.liveness_level(),
        storable_result: None,
    })
}
