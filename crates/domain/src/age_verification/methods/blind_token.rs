//! `double_anonymity`: a token that an issuer signed without seeing it (docs/ANONYMITY.md). The page is asked for a token
//! of this attempt; how it gets one, and from whom among all who are old enough, is not to be known here.

use super::{
    AttemptContext, AttemptStep, InputProblem, StepOutcome, StepPrompt, TurnInput, evaluate_failure,
    not_configured,
};
use crate::age_verification::{
    AgeSessionError, AgeVerificationService, decision,
    session::AgeMethodVerdict,
    types::{AgeFailureReason, InputProblemCode},
};
use age_methods::{
    AgeAttribute,
    blind_tokens::{BlindToken, BlindTokenError, TokenChallenge, VerifyingKey, select_key},
};
use base::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What travels with the question: it is in no row.
#[derive(Serialize, Deserialize)]
struct TokenContinuation {
    challenge: String,
    /// The key that the token must be of, and what it stands for.
    key: String,
    years: u8,
    until: Timestamp,
}

impl AgeVerificationService {
    pub(super) async fn prompt_blind_token(
        &self,
        at: AttemptContext<'_>,
    ) -> Result<StepOutcome, AgeSessionError> {
        let Some(anonymity) = self.blind_tokens() else { return Ok(not_configured()) };
        let keys = match self.accepted_token_keys(at.session.sandbox).await? {
            Ok(keys) => keys,
            Err(failure) => return Ok(evaluate_failure(at, failure, not_configured)),
        };
        let now = self.0.world.now();
        let years = anonymity.threshold_for(at.block.threshold).unwrap_or(at.block.token_threshold_years());
        let Some(key) = select_key(&keys, years, now) else {
            tracing::warn!(years, "the issuer has no key for tokens of this age");
            return Ok(not_configured());
        };
        let mut context = [0; 32];
        self.0.world.fill_random(&mut context);
        let challenge = TokenChallenge::new(anonymity.issuer_name(), Some(context), &[]);
        let Ok(challenge) = challenge else { return Ok(not_configured()) };
        let encode = |bytes: &[u8]| base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes);
        let carried = TokenContinuation {
            challenge: encode(&challenge.to_bytes()),
            key: encode(key.key.to_spki()),
            years: key.years,
            until: key.until,
        };
        let step = AttemptStep::Token {
            challenge: carried.challenge.clone(),
            key: carried.key.clone(),
            threshold: key.years,
            issuer_url: anonymity.issuer_page_url(at.session.sandbox),
        };
        Ok(StepOutcome::Prompt(StepPrompt::new(step, json!(carried))))
    }

    /// Takes a token, or word that the issuer gave none. What is of no use is asked for anew, with another challenge.
    pub(super) async fn check_blind_token(
        &self,
        at: AttemptContext<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<StepOutcome, AgeSessionError> {
        let carried: TokenContinuation =
            serde_json::from_value(held).map_err(|_| AgeSessionError::StaleContinuation)?;
        if input.declined {
            // Why, only the person and the issuer know.
            return Ok(StepOutcome::Finished(AgeMethodVerdict::Undecided {
                code: AgeFailureReason::NoToken,
            }));
        }
        let shown =
            input.token.as_deref().ok_or_else(|| AgeSessionError::invalid("token", "a text is expected"))?;
        match verify_token(&carried, shown, self.0.world.now()) {
            Ok(token) => {
                let known = AgeAttribute::Over { years: carried.years, reached: true };
                let evidence = self.0.world.uuid_v4().to_string();
                let verdict = decision::decide_from_evidence(
                    known,
                    &at.session.wanted,
                    at.block,
                    self.today(),
                    Some(evidence),
                );
                Ok(StepOutcome::RedeemToken { token: token.redemption_id(), until: carried.until, verdict })
            }
            Err(bad) => {
                tracing::debug!(error = &bad as &dyn std::error::Error, "a token is of no use");
                Ok(match self.prompt_blind_token(at).await? {
                    StepOutcome::Prompt(ask) => {
                        StepOutcome::Prompt(ask.with_problem(InputProblem::new(InputProblemCode::TryAgain)))
                    }
                    other => other,
                })
            }
        }
    }
}

/// The token, where it is of the key and for the challenge that were asked for, and the key still counts.
fn verify_token(
    carried: &TokenContinuation,
    shown: &str,
    now: Timestamp,
) -> Result<BlindToken, BlindTokenError> {
    let decode =
        |text: &str| base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text).map_err(|_| BlindTokenError::Malformed);
    // A token is 472 letters long.
    if shown.len() > 2 * BlindToken::BYTES {
        return Err(BlindTokenError::Malformed);
    }
    let token = BlindToken::parse(&decode(shown.trim_end_matches('='))?)?;
    let challenge = TokenChallenge::parse(&decode(&carried.challenge)?)?;
    let key = VerifyingKey::from_spki(&decode(&carried.key)?).filter(|_| now < carried.until);
    key.ok_or(BlindTokenError::WrongKey)?.verify(&token, &challenge)?;
    Ok(token)
}
