//! LA Wallet, Louisiana's app of digital driver's licences, by its remote verification: a service that the app's makers
//! admit opens a request and gets a code for it; the person types the code into the app ("Verify You", "Remote Verify"),
//! and agrees to tell their age or declines.
//!
//! The makers publish no interface for services, so the service speaks the signed protocol of docs/PROVIDERS.md.

use crate::{
    AgeEvidence, AgeMethodError, InvalidSettingError,
    registry::{SignedProtocolClient, SignedProtocolSettings, SignedVerdict},
    sandbox::SandboxAnswer,
};
use base::{Environment, SignedDuration, Timestamp};
use media::fetch::Fetcher;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The method's name in questions.
const METHOD_NAME: &str = "la_wallet";
/// How many digits a code has.
const CODE_DIGITS: std::ops::RangeInclusive<usize> = 4..=10;
/// How long a code may be valid, seconds.
const CODE_SECONDS: std::ops::RangeInclusive<i64> = 30..=900;
/// The longest reference, characters.
const MAX_REFERENCE_CHARS: usize = 200;
/// The code of the sandbox.
const SANDBOX_CODE: &str = "4821";

/// Who asks LA Wallet.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum LaWalletSettings {
    /// A service that speaks the signed protocol.
    Signed(SignedProtocolSettings),
    /// Simulated answers; nobody is asked.
    Sandbox {},
}

/// A request that the app can answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaWalletRequest {
    /// The digits that the person types into the app.
    pub code: String,
    /// What the service knows the request by, visible ASCII.
    pub reference: String,
    /// Until when the code is valid.
    pub until: Timestamp,
}

/// What the app has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaWalletAnswer {
    /// Nothing yet.
    Pending,
    /// The person declined.
    Declined,
    /// Whether the age is reached, or the date of birth.
    Found(AgeEvidence),
}

/// Asks LA Wallet, or its sandbox.
#[derive(Debug)]
pub struct LaWalletProvider {
    environment: Arc<dyn Environment>,
    client: Option<SignedProtocolClient>,
}

#[derive(Serialize)]
#[serde(tag = "action", rename_all = "lowercase")]
enum LaWalletQuestion<'a> {
    Begin { method: &'static str, threshold: u8 },
    Poll { method: &'static str, threshold: u8, reference: &'a str },
}

#[derive(Deserialize)]
struct BegunRequest {
    code: String,
    reference: String,
    expires_in: i64,
}

#[derive(Deserialize)]
struct PolledRequest {
    result: String,
    #[serde(flatten)]
    verdict: serde_json::Map<String, serde_json::Value>,
}

impl LaWalletProvider {
    /// Reads the secret file.
    pub fn open(
        settings: &LaWalletSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let client = match settings {
            LaWalletSettings::Signed(settings) => {
                Some(SignedProtocolClient::open(settings, fetcher, environment)?)
            }
            LaWalletSettings::Sandbox {} => None,
        };
        Ok(Self { environment: environment.clone(), client })
    }

    /// Opens a request about an age, 1 to 120 years. In the sandbox, the last four characters of `sandbox_key` choose the
    /// answer.
    pub async fn begin(&self, years: u8, sandbox_key: &str) -> Result<LaWalletRequest, AgeMethodError> {
        let Some(client) = &self.client else {
            let reference = format!("sandbox-{:.4}", last_four(sandbox_key));
            let until = self.environment.now() + SignedDuration::from_mins(5);
            return Ok(LaWalletRequest { code: SANDBOX_CODE.to_owned(), reference, until });
        };
        let question = LaWalletQuestion::Begin { method: METHOD_NAME, threshold: years };
        let BegunRequest { code, reference, expires_in } = client.call(&question).await?;
        let is_code = CODE_DIGITS.contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_digit());
        let is_reference = (1..=MAX_REFERENCE_CHARS).contains(&reference.len())
            && reference.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_code || !is_reference || !CODE_SECONDS.contains(&expires_in) {
            return Err(AgeMethodError::unavailable("the service of LA Wallet gives no usable code"));
        }
        Ok(LaWalletRequest {
            code,
            reference,
            until: self.environment.now() + SignedDuration::from_secs(expires_in),
        })
    }

    /// Asks what the app has answered.
    pub async fn poll(&self, request: &LaWalletRequest, years: u8) -> Result<LaWalletAnswer, AgeMethodError> {
        let Some(client) = &self.client else {
            let answer = match last_four(&request.reference) {
                "4444" => return Ok(LaWalletAnswer::Declined),
                "5555" => return Ok(LaWalletAnswer::Pending),
                digits => SandboxAnswer::of_digits(digits),
            };
            return answer.answer(years, &*self.environment).map(LaWalletAnswer::Found);
        };
        let question =
            LaWalletQuestion::Poll { method: METHOD_NAME, threshold: years, reference: &request.reference };
        let PolledRequest { result, mut verdict } = client.call(&question).await?;
        match result.as_str() {
            "PENDING" => Ok(LaWalletAnswer::Pending),
            "DECLINED" => Ok(LaWalletAnswer::Declined),
            _ => {
                verdict.insert("result".to_owned(), result.into());
                let verdict: SignedVerdict = serde_json::from_value(verdict.into()).map_err(|_| {
                    AgeMethodError::unavailable("the service of LA Wallet answers in another form")
                })?;
                verdict.into_evidence(years, self.environment.now()).map(LaWalletAnswer::Found)
            }
        }
    }
}

/// The last four characters; all of a shorter text.
fn last_four(text: &str) -> &str {
    let at = text.char_indices().rev().nth(3).map_or(0, |(at, _)| at);
    &text[at..]
}

#[cfg(test)]
mod tests {
    use super::last_four;

    #[test]
    fn four_characters_are_the_last_ones() {
        assert_eq!(
            [last_four("order-1111"), last_four("né11"), last_four("1"), last_four("")],
            ["1111", "né11", "1", ""]
        );
    }
}
