//! The signed protocol: a signed question in JSON, and an answer in JSON, which is signed as well if the settings
//! require it. Registries of ages and the sources of document checks ([`crate::identity_source`]) speak it.

use crate::{
    AgeAttribute, AgeEvidence, AgeMethodError, InvalidSettingError, age_on, http_client,
    settings::callable_url, standard_webhooks::StandardWebhooksKey,
};
use base::{Environment, Timestamp};
use jiff::{ToSpan as _, civil::Date, tz::TimeZone};
use media::fetch::Fetcher;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{path::PathBuf, sync::Arc};

const REGISTRY_LABEL: &str = "the registry";

/// How to reach a service that speaks the signed protocol.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedProtocolSettings {
    /// Where questions are sent.
    pub url: String,
    /// A file with the secret that both sides know: `whsec_` and 24 to 64 bytes in base64.
    pub secret_file: PathBuf,
    /// Whether answers must be signed with the same secret.
    #[serde(default, deserialize_with = "base::settings::boolean_or_text")]
    pub signed_answers: bool,
}

#[derive(Serialize)]
pub(crate) struct RegistryQuestion<'a, S> {
    pub method: &'static str,
    pub threshold: u8,
    pub subject: &'a S,
}

/// Other members of an answer are ignored, so that services can extend it.
#[derive(Deserialize)]
pub(crate) struct SignedVerdict {
    result: RegistryVerdict,
    date_of_birth: Option<Date>,
    evidence_id: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum RegistryVerdict {
    Over,
    Under,
    Unknown,
}

#[derive(Debug)]
pub(crate) struct SignedProtocolClient {
    url: String,
    key: StandardWebhooksKey,
    signed_answers: bool,
    fetcher: Fetcher,
    environment: Arc<dyn Environment>,
}

impl SignedProtocolClient {
    pub(crate) fn open(
        settings: &SignedProtocolSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        Ok(Self {
            url: callable_url("url", fetcher, &settings.url)?,
            key: StandardWebhooksKey::open("secret_file", &settings.secret_file)?,
            signed_answers: settings.signed_answers,
            fetcher: fetcher.clone(),
            environment: environment.clone(),
        })
    }

    /// Asks about an age.
    pub(crate) async fn ask<S: Serialize>(
        &self,
        question: &RegistryQuestion<'_, S>,
    ) -> Result<AgeEvidence, AgeMethodError> {
        self.call::<SignedVerdict>(question).await?.into_evidence(question.threshold, self.environment.now())
    }

    /// Sends a signed question, and reads the answer once it is verified.
    pub(crate) async fn call<A: DeserializeOwned>(
        &self,
        question: &impl Serialize,
    ) -> Result<A, AgeMethodError> {
        let id = self.environment.uuid_v4().to_string();
        self.exchange(REGISTRY_LABEL, &id, question).await
    }

    /// Sends a signed question and reads the answer. `who` names the service in errors, as "the registry"; `id` is the
    /// question's `webhook-id`, which is the same whenever the question is repeated.
    pub(crate) async fn exchange<A: DeserializeOwned>(
        &self,
        who: &str,
        id: &str,
        question: &impl Serialize,
    ) -> Result<A, AgeMethodError> {
        let body = http_client::json_body(question);
        let mut headers = media::fetch::HeaderMap::new();
        self.key.sign_headers(&mut headers, id, self.environment.now(), &body);
        let mut call = http_client::post_call(body, "application/json");
        call.headers.extend(headers);
        let answered = http_client::send(&self.fetcher, who, &self.url, call).await?;
        let now = self.environment.now();
        // Verify before trusting anything in the response, including its status.
        if self.signed_answers && !self.key.verifies(&answered.headers, id, now, &answered.body) {
            return Err(AgeMethodError::unavailable(format!("{who}'s answer is not signed as it must be")));
        }
        if answered.status != 200 {
            return Err(http_client::unexpected_status(who, &answered));
        }
        http_client::parse_json(who, &answered)
    }
}

impl SignedVerdict {
    /// What it says about an age of `years`. Refused if it contradicts itself.
    pub(crate) fn into_evidence(self, years: u8, now: Timestamp) -> Result<AgeEvidence, AgeMethodError> {
        let over = match self.result {
            RegistryVerdict::Over => true,
            RegistryVerdict::Under => false,
            RegistryVerdict::Unknown => {
                return Err(AgeMethodError::inconclusive("the registry does not know the person"));
            }
        };
        let known = match self.date_of_birth {
            None => AgeAttribute::Over { years, reached: over },
            Some(born) if is_consistent(born, years, over, now) => AgeAttribute::DateOfBirth(born),
            Some(_) => return Err(AgeMethodError::unavailable("the registry's answer contradicts itself")),
        };
        Ok(AgeEvidence::new(known, self.evidence_id))
    }
}

/// Whether a birthday agrees with the verdict in any time zone: the service's date may be a day before or after ours.
fn is_consistent(born: Date, years: u8, over: bool, now: Timestamp) -> bool {
    let today = now.to_zoned(TimeZone::UTC).date();
    let day = if over { today.tomorrow() } else { today.checked_sub(1.day()) }.unwrap_or(today);
    let age = age_on(born, day);
    (0..=130).contains(&age) && (age >= i16::from(years)) == over
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn judge(text: &str) -> Result<AgeEvidence, AgeMethodError> {
        let now = "2026-01-16T14:40:00Z".parse().unwrap();
        serde_json::from_str::<SignedVerdict>(text).unwrap().into_evidence(18, now)
    }

    #[test]
    fn a_verdict_is_about_the_threshold_and_a_birthday_about_all() {
        assert_eq!(
            judge(r#"{"result":"OVER","evidence_id":"r-1","more":1}"#),
            Ok(AgeEvidence {
                attribute: AgeAttribute::Over { years: 18, reached: true },
                id: Some("r-1".to_owned())
            })
        );
        assert_eq!(
            judge(r#"{"result":"UNDER","date_of_birth":"2010-05-06"}"#),
            Ok(AgeEvidence { attribute: AgeAttribute::DateOfBirth(date(2010, 5, 6)), id: None })
        );
        assert!(matches!(
            judge(r#"{"result":"UNKNOWN","date_of_birth":"2000-01-01"}"#),
            Err(AgeMethodError::Inconclusive(_))
        ));
    }

    #[test]
    fn an_answer_that_contradicts_itself_is_none() {
        for (result, born, stands) in [
            ("OVER", "2008-01-16", true),
            ("OVER", "2008-01-17", true),
            ("OVER", "2008-01-18", false),
            ("UNDER", "2008-01-17", true),
            ("UNDER", "2008-01-16", true),
            ("UNDER", "2008-01-15", false),
            ("OVER", "1850-01-01", false),
            ("UNDER", "2027-01-01", false),
        ] {
            let judged = judge(&format!(r#"{{"result":"{result}","date_of_birth":"{born}"}}"#));
            assert_eq!(judged.is_ok(), stands, "{result} {born}");
        }
    }
}
