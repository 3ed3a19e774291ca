//! Mobile operators, called through the CAMARA project's *Know Your Customer Age Verification* API: `POST {url}/verify`
//! with an age and a phone number. Operators answer from their contract data; they need not reveal the birthday.

use crate::{
    AgeAttribute, AgeEvidence, AgeMethodError, InvalidSettingError, http_client,
    identifiers::PhoneNumber,
    sandbox::SandboxAnswer,
    settings::{callable_url, read_secret},
    ttl_cache::TtlCache,
};
use base::{Environment, Secret, SignedDuration};
use media::fetch::{BufferedResponse, Fetcher, HeaderValue};
use serde::Deserialize;
use serde_json::json;
use std::{path::PathBuf, sync::Arc};
use zeroize::Zeroizing;

const OPERATOR_LABEL: &str = "the mobile operator";
const TOKEN_ENDPOINT_LABEL: &str = "the mobile operator's token endpoint";
/// Operators are asked about this age at most.
const MAX_THRESHOLD_YEARS: u8 = 120;
/// A token is no longer used when it is this close to its expiry.
const TOKEN_EXPIRY_MARGIN_SECONDS: i64 = 30;
/// A longer lifetime of a token is cut to this.
const MAX_TOKEN_LIFETIME_SECONDS: i64 = 86400;

/// Which operator is called.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum MobileOperatorSettings {
    /// An operator, or an aggregator of several.
    Camara(CamaraSettings),
    /// Simulated answers; no operator is called.
    Sandbox {},
}

/// How to reach an operator.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CamaraSettings {
    /// Base URL of `/verify`, with its version, such as `https://api.operator.example/kyc-age-verification/v0.2`.
    pub url: String,
    /// The token endpoint (OAuth 2.0, client credentials).
    pub token_url: String,
    pub client_id: String,
    /// A file with the client's secret.
    pub client_secret_file: PathBuf,
    /// The scope of the tokens.
    #[serde(default = "scope")]
    pub scope: String,
    /// Whether to accept only records that the operator checked against an official document.
    #[serde(default, deserialize_with = "base::settings::boolean_or_text")]
    pub verified_only: bool,
}

fn scope() -> String {
    "kyc-age-verification:verify".to_owned()
}

/// A mobile operator, or its sandbox.
#[derive(Debug)]
pub struct MobileOperator(Backend);

#[derive(Debug)]
enum Backend {
    Camara(Box<CamaraClient>),
    Sandbox(Arc<dyn Environment>),
}

impl MobileOperator {
    /// Reads the secret file.
    pub fn open(
        settings: &MobileOperatorSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        Ok(Self(match settings {
            MobileOperatorSettings::Camara(settings) => {
                Backend::Camara(Box::new(CamaraClient::open(settings, fetcher, environment)?))
            }
            MobileOperatorSettings::Sandbox {} => Backend::Sandbox(environment.clone()),
        }))
    }

    /// Asks whether the subscriber of a number has reached `years`, at most 120.
    pub async fn ask(&self, phone: &PhoneNumber, years: u8) -> Result<AgeEvidence, AgeMethodError> {
        match &self.0 {
            Backend::Camara(camara) => camara.ask(phone, years.min(MAX_THRESHOLD_YEARS)).await,
            Backend::Sandbox(environment) => {
                let outcome = match phone.expose() {
                    number if number.ends_with("0000") => SandboxAnswer::Under,
                    number if number.ends_with("8888") => SandboxAnswer::Unknown,
                    number if number.ends_with("9999") => SandboxAnswer::Unavailable,
                    _ => SandboxAnswer::Over,
                };
                outcome.answer(years, &**environment)
            }
        }
    }
}

#[derive(Debug)]
struct CamaraClient {
    url: String,
    token_url: String,
    client_id: String,
    client_secret: Secret<String>,
    scope: String,
    verified_only: bool,
    fetcher: Fetcher,
    environment: Arc<dyn Environment>,
    token: TtlCache<Secret<String>>,
}

#[derive(Deserialize)]
struct AccessTokenResponse {
    access_token: Secret<String>,
    token_type: String,
    expires_in: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VerifyResponse {
    age_check: String,
    verified_status: Option<bool>,
}

#[derive(Deserialize)]
struct ErrorResponse {
    code: String,
}

fn unknown_number() -> AgeMethodError {
    AgeMethodError::inconclusive("the mobile operator does not know the number")
}

impl CamaraClient {
    fn open(
        settings: &CamaraSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let url = callable_url("url", fetcher, &settings.url)?;
        Ok(Self {
            url: format!("{}/verify", url.trim_end_matches('/')),
            token_url: callable_url("token_url", fetcher, &settings.token_url)?,
            client_id: settings.client_id.clone(),
            client_secret: read_secret("client_secret_file", &settings.client_secret_file)?,
            scope: settings.scope.clone(),
            verified_only: settings.verified_only,
            fetcher: fetcher.clone(),
            environment: environment.clone(),
            token: TtlCache::new(environment),
        })
    }

    async fn ask(&self, phone: &PhoneNumber, years: u8) -> Result<AgeEvidence, AgeMethodError> {
        let reference = self.environment.uuid_v4().to_string();
        let token = self.token().await?;
        let mut answered = self.verify(&token, phone, years, &reference).await?;
        // A token may become invalid before it expires, so try once more with a new one.
        if answered.status == 401 {
            self.token.invalidate_if(|kept, _| *kept == token).await;
            answered = self.verify(&self.token().await?, phone, years, &reference).await?;
        }
        match answered.status {
            200 => self.evaluate(&http_client::parse_json(OPERATOR_LABEL, &answered)?, years, reference),
            404 => Err(unknown_number()),
            // The only code of a 422 that is about the number.
            422 if http_client::parse_json::<ErrorResponse>(OPERATOR_LABEL, &answered)
                .is_ok_and(|problem| problem.code == "SERVICE_NOT_APPLICABLE") =>
            {
                Err(unknown_number())
            }
            _ => Err(http_client::unexpected_status(OPERATOR_LABEL, &answered)),
        }
    }

    async fn verify(
        &self,
        token: &Secret<String>,
        phone: &PhoneNumber,
        years: u8,
        reference: &str,
    ) -> Result<BufferedResponse, AgeMethodError> {
        let body = http_client::json_body(&json!({ "ageThreshold": years, "phoneNumber": phone.expose() }));
        let mut call = http_client::post_call(body, "application/json");
        let bearer = Zeroizing::new(format!("Bearer {}", token.expose()));
        http_client::secret_header(&mut call, &http_client::AUTHORIZATION, &bearer)?;
        let reference = HeaderValue::from_str(reference).expect("an id is a header value");
        call.headers.insert("x-correlator", reference);
        http_client::send(&self.fetcher, OPERATOR_LABEL, &self.url, call).await
    }

    fn evaluate(
        &self,
        answer: &VerifyResponse,
        years: u8,
        reference: String,
    ) -> Result<AgeEvidence, AgeMethodError> {
        let is = match answer.age_check.as_str() {
            "true" => true,
            "false" => false,
            _ => {
                return Err(AgeMethodError::inconclusive(
                    "the mobile operator does not know the subscriber's age",
                ));
            }
        };
        if self.verified_only && answer.verified_status != Some(true) {
            return Err(AgeMethodError::inconclusive(
                "the mobile operator compared its record with no document",
            ));
        }
        Ok(AgeEvidence::new(AgeAttribute::Over { years, reached: is }, Some(reference)))
    }

    async fn token(&self) -> Result<Secret<String>, AgeMethodError> {
        self.token.get_or_fetch(async || self.fetch_token().await).await
    }

    async fn fetch_token(&self) -> Result<(Secret<String>, SignedDuration), AgeMethodError> {
        let basic = http_client::basic_auth(&self.client_id, &self.client_secret);
        let form = http_client::form_body(&[("grant_type", "client_credentials"), ("scope", &self.scope)]);
        let mut call = http_client::post_call(form, http_client::FORM_CONTENT_TYPE);
        http_client::secret_header(&mut call, &http_client::AUTHORIZATION, &basic)?;
        let answered = http_client::send(&self.fetcher, TOKEN_ENDPOINT_LABEL, &self.token_url, call).await?;
        if answered.status != 200 {
            return Err(http_client::unexpected_status(TOKEN_ENDPOINT_LABEL, &answered));
        }
        let granted: AccessTokenResponse = http_client::parse_json(TOKEN_ENDPOINT_LABEL, &answered)?;
        if !granted.token_type.eq_ignore_ascii_case("bearer") {
            return Err(AgeMethodError::unavailable("the mobile operator's token is of another kind"));
        }
        // A token without `expires_in` is used for half a minute.
        let lives = granted
            .expires_in
            .unwrap_or(2 * TOKEN_EXPIRY_MARGIN_SECONDS)
            .clamp(TOKEN_EXPIRY_MARGIN_SECONDS, MAX_TOKEN_LIFETIME_SECONDS)
            - TOKEN_EXPIRY_MARGIN_SECONDS;
        Ok((granted.access_token, SignedDuration::from_secs(lives)))
    }
}
