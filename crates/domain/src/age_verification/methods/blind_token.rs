//! `double_anonymity`: a token that an issuer signed without seeing it (docs/BLIND-TOKENS.md). The page is asked for a
//! token of this attempt. How it gets one must not become known here: the token may come from any of those who are old
//! enough.

use super::{
    AgeMethodHandler, AttemptContext, AttemptStep, InputProblem, StepFuture, StepOutcome, StepPrompt,
    TurnInput, evaluate_error, not_configured, undecided,
};
use crate::age_verification::{
    AgeSessionError,
    blind_tokens::{BlindTokens, IssuerKeyStore},
    decision::AgeDecider,
    types::{AgeFailureReason, InputProblemCode},
};
use age_methods::{
    AgeAttribute,
    blind_tokens::{BlindToken, BlindTokenError, TokenChallenge, VerifyingKey, select_key},
};
use base::{Environment, Timestamp};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Debug)]
pub(in crate::age_verification) struct BlindTokenMethod {
    environment: Arc<dyn Environment>,
    blind_tokens: Option<Arc<BlindTokens>>,
    /// The keys of this server, if it is the issuer.
    keys: Arc<IssuerKeyStore>,
    decider: Arc<AgeDecider>,
}

/// What travels through the page with the challenge. It is in no row.
#[derive(Serialize, Deserialize)]
struct TokenContinuation {
    challenge: String,
    /// The key that must have signed the token.
    key: String,
    /// The age that its tokens attest.
    years: u8,
    /// Until when its tokens are accepted.
    until: Timestamp,
}

impl AgeMethodHandler for BlindTokenMethod {
    fn is_available(&self) -> bool {
        self.blind_tokens.is_some()
    }

    fn open<'a>(&'a self, context: AttemptContext<'a>) -> StepFuture<'a> {
        Box::pin(self.prompt(context))
    }

    fn process_turn<'a>(
        &'a self,
        context: AttemptContext<'a>,
        continuation: Value,
        input: &'a TurnInput,
    ) -> StepFuture<'a> {
        Box::pin(self.check_token(context, continuation, input))
    }
}

impl BlindTokenMethod {
    pub(in crate::age_verification) fn new(
        environment: Arc<dyn Environment>,
        blind_tokens: Option<Arc<BlindTokens>>,
        keys: Arc<IssuerKeyStore>,
        decider: Arc<AgeDecider>,
    ) -> Self {
        Self { environment, blind_tokens, keys, decider }
    }

    /// The age that a token attests if `threshold` is asked for, years.
    pub(super) fn threshold_for(&self, threshold: i64) -> Option<u8> {
        self.blind_tokens.as_ref()?.threshold_for(threshold)
    }

    /// Asks for a token, with a new challenge.
    async fn prompt(&self, context: AttemptContext<'_>) -> Result<StepOutcome, AgeSessionError> {
        let Some(blind_tokens) = &self.blind_tokens else { return Ok(not_configured()) };
        let sandbox = context.session.sandbox;
        let keys = match blind_tokens.accepted_keys(&self.keys, sandbox).await? {
            Ok(keys) => keys,
            Err(error) => return Ok(evaluate_error(context, error, not_configured)),
        };
        let years = blind_tokens
            .threshold_for(context.config.threshold)
            .unwrap_or_else(|| context.config.threshold_years());
        let Some(key) = select_key(&keys, years, self.environment.now()) else {
            tracing::warn!(years, "the issuer has no key for tokens of this age");
            return Ok(not_configured());
        };
        let mut redemption_context = [0; 32];
        self.environment.fill_random(&mut redemption_context);
        let challenge = TokenChallenge::new(blind_tokens.issuer_name(), Some(redemption_context), &[]);
        let Ok(challenge) = challenge else { return Ok(not_configured()) };
        let continuation = TokenContinuation {
            challenge: BASE64URL.encode_to_string(challenge.to_bytes()),
            key: BASE64URL.encode_to_string(key.key.to_spki()),
            years: key.years,
            until: key.until,
        };
        let step = AttemptStep::Token {
            challenge: continuation.challenge.clone(),
            key: continuation.key.clone(),
            threshold: key.years,
            issuer_url: blind_tokens.issuer_page_url(sandbox),
        };
        Ok(StepOutcome::Prompt(StepPrompt::new(step, json!(continuation))))
    }

    /// Whether the operator has withdrawn the key since the token was asked for.
    async fn is_withdrawn(
        &self,
        sandbox: bool,
        request: &TokenContinuation,
    ) -> Result<bool, AgeSessionError> {
        let Some(blind_tokens) = &self.blind_tokens else { return Ok(true) };
        let Ok(spki) = BASE64URL.decode_to_vec(&request.key) else { return Ok(true) };
        blind_tokens.is_withdrawn(&self.keys, sandbox, &spki).await
    }

    /// Checks a token, or takes note that the issuer gave none. An unusable token is asked for again, with another
    /// challenge.
    async fn check_token(
        &self,
        context: AttemptContext<'_>,
        continuation: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let request: TokenContinuation =
            serde_json::from_value(continuation).map_err(|_| AgeSessionError::StaleContinuation)?;
        if input.declined {
            // Only the end user and the issuer know why.
            return Ok(undecided(AgeFailureReason::NoToken));
        }
        let token =
            input.token.as_deref().ok_or_else(|| AgeSessionError::invalid("token", "a text is expected"))?;
        let verified = if self.is_withdrawn(context.session.sandbox, &request).await? {
            Err(BlindTokenError::WrongKey)
        } else {
            verify_token(&request, token, self.environment.now())
        };
        match verified {
            Ok(token) => {
                let verdict = self.decider.decide_from_evidence(
                    AgeAttribute::Over { years: request.years, reached: true },
                    &context.session.wanted,
                    context.config,
                    Some(self.decider.new_evidence_id()),
                );
                Ok(StepOutcome::RedeemToken { token: token.redemption_id(), until: request.until, verdict })
            }
            Err(error) => {
                tracing::debug!(error = &error as &dyn std::error::Error, "a token is of no use");
                Ok(match self.prompt(context).await? {
                    StepOutcome::Prompt(prompt) => StepOutcome::Prompt(
                        prompt.with_problem(InputProblem::new(InputProblemCode::TryAgain)),
                    ),
                    other => other,
                })
            }
        }
    }
}

/// The token, if it is of the requested key and for the requested challenge, and the key's tokens are still accepted.
fn verify_token(
    request: &TokenContinuation,
    token: &str,
    now: Timestamp,
) -> Result<BlindToken, BlindTokenError> {
    let decode = |text: &str| BASE64URL.decode_to_vec(text).map_err(|_| BlindTokenError::Malformed);
    // A token in base64url has 472 characters.
    if token.len() > 2 * BlindToken::BYTES {
        return Err(BlindTokenError::Malformed);
    }
    let token = BlindToken::parse(&decode(token.trim_end_matches('='))?)?;
    let challenge = TokenChallenge::parse(&decode(&request.challenge)?)?;
    let key = VerifyingKey::from_spki(&decode(&request.key)?).filter(|_| now < request.until);
    key.ok_or(BlindTokenError::WrongKey)?.verify(&token, &challenge)?;
    Ok(token)
}
