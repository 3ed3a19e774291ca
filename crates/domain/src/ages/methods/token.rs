//! `double_anonymity`: a token that an issuer signed without seeing it (docs/ANONYMITY.md). The page is asked for a token
//! of this attempt; how it gets one, and from whom among all who are old enough, is not to be known here.

use super::{Ask, At, InputProblem, Next, Step, TurnInput, failed, not_set_up};
use crate::ages::{
    Ages, NotDone, judge,
    session::Verdict,
    words::{AgeFailureReason, InputProblemCode},
};
use ::methods::{
    Known,
    blind::{BadToken, Challenge, Token, VerifyingKey, best},
};
use base::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What travels with the question: it is in no row.
#[derive(Serialize, Deserialize)]
struct Carried {
    challenge: String,
    /// The key that the token must be of, and what it stands for.
    key: String,
    years: u8,
    until: Timestamp,
}

impl Ages {
    pub(super) async fn ask_for_token(&self, at: At<'_>) -> Result<Next, NotDone> {
        let Some(anonymity) = self.anonymity() else { return Ok(not_set_up()) };
        let keys = match self.token_keys(at.session.sandbox).await? {
            Ok(keys) => keys,
            Err(failure) => return Ok(failed(at, failure, not_set_up)),
        };
        let now = self.0.world.now();
        let years = anonymity.age_for(at.block.threshold).unwrap_or(at.block.token_years());
        let Some(key) = best(&keys, years, now) else {
            tracing::warn!(years, "the issuer has no key for tokens of this age");
            return Ok(not_set_up());
        };
        let mut context = [0; 32];
        self.0.world.fill(&mut context);
        let challenge = Challenge::new(anonymity.name(), Some(context), &[]);
        let Ok(challenge) = challenge else { return Ok(not_set_up()) };
        let encode = |bytes: &[u8]| base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes);
        let carried = Carried {
            challenge: encode(&challenge.to_bytes()),
            key: encode(key.key.to_spki()),
            years: key.years,
            until: key.until,
        };
        let step = Step::Token {
            challenge: carried.challenge.clone(),
            key: carried.key.clone(),
            threshold: key.years,
            issuer_url: anonymity.page(at.session.sandbox),
        };
        Ok(Next::Ask(Ask::new(step, json!(carried))))
    }

    /// Takes a token, or word that the issuer gave none. What is of no use is asked for anew, with another challenge.
    pub(super) async fn take_token(
        &self,
        at: At<'_>,
        held: Value,
        input: &TurnInput,
    ) -> Result<Next, NotDone> {
        let carried: Carried = serde_json::from_value(held).map_err(|_| NotDone::Stale)?;
        if input.declined {
            // Why, only the person and the issuer know.
            return Ok(Next::End(Verdict::Undecided { code: AgeFailureReason::NoToken }));
        }
        let shown = input.token.as_deref().ok_or_else(|| NotDone::wrong("token", "a text is expected"))?;
        match verified(&carried, shown, self.0.world.now()) {
            Ok(token) => {
                let known = Known::Over { years: carried.years, is: true };
                let evidence = self.0.world.random_uuid().to_string();
                let verdict =
                    judge::finding(known, &at.session.wanted, at.block, self.today(), Some(evidence));
                Ok(Next::Spend { token: token.spent(), until: carried.until, verdict })
            }
            Err(bad) => {
                tracing::debug!("a token is of no use: {bad}");
                Ok(match self.ask_for_token(at).await? {
                    Next::Ask(ask) => Next::Ask(ask.because(InputProblem::new(InputProblemCode::TryAgain))),
                    other => other,
                })
            }
        }
    }
}

/// The token, where it is of the key and for the challenge that were asked for, and the key still counts.
fn verified(carried: &Carried, shown: &str, now: Timestamp) -> Result<Token, BadToken> {
    let decode = |text: &str| base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text).map_err(|_| BadToken::Form);
    // A token is 472 letters long.
    if shown.len() > 2 * Token::SIZE {
        return Err(BadToken::Form);
    }
    let token = Token::parse(&decode(shown.trim_end_matches('='))?)?;
    let challenge = Challenge::parse(&decode(&carried.challenge)?)?;
    let key = VerifyingKey::from_spki(&decode(&carried.key)?).filter(|_| now < carried.until);
    key.ok_or(BadToken::Key)?.verify(&token, &challenge)?;
    Ok(token)
}
