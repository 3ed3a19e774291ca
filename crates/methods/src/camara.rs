//! Mobile operators, asked in the form of the CAMARA project's *Know Your Customer Age Verification*: `POST {url}/verify` with
//! an age and a phone number. Operators answer from their contracts; they need not say the birthday.

use crate::{
    BadSettings, Evidence, Failure, Known, calls,
    kept::Kept,
    numbers::Phone,
    sandbox::Outcome,
    settings::{address, secret},
};
use base::{Secret, SignedDuration, World};
use media::fetch::{Answered, Fetcher, HeaderValue};
use serde::Deserialize;
use serde_json::json;
use std::{path::PathBuf, sync::Arc};
use zeroize::Zeroizing;

const WHO: &str = "the mobile operator";
const TOKENS: &str = "the mobile operator's token endpoint";
/// The oldest age that the interface is asked about.
const OLDEST: u8 = 120;
/// How long before its end a token is used no more.
const MARGIN: i64 = 30;
/// No token is believed to live longer.
const LONGEST: i64 = 86400;

/// Who is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum Settings {
    /// An operator, or whoever speaks for several.
    Camara(CamaraSettings),
    /// Nobody.
    Sandbox {},
}

/// How an operator is reached.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CamaraSettings {
    /// What `/verify` hangs from, with its version, as `https://api.operator.example/kyc-age-verification/v0.2`.
    pub url: String,
    /// Where access tokens are had (OAuth 2.0, client credentials).
    pub token_url: String,
    /// The client's name.
    pub client_id: String,
    /// A file with its secret.
    pub client_secret_file: PathBuf,
    /// The scope of the tokens.
    #[serde(default = "scope")]
    pub scope: String,
    /// Whether only records count that the operator compared with an official document.
    #[serde(default)]
    pub verified_only: bool,
}

fn scope() -> String {
    "kyc-age-verification:verify".to_owned()
}

/// An operator.
#[derive(Debug)]
pub struct Provider(Which);

#[derive(Debug)]
enum Which {
    Camara(Box<Camara>),
    Sandbox(Arc<dyn World>),
}

impl Provider {
    /// Reads the secret.
    pub fn open(settings: &Settings, fetcher: &Fetcher, world: &Arc<dyn World>) -> Result<Self, BadSettings> {
        Ok(Self(match settings {
            Settings::Camara(settings) => Which::Camara(Box::new(Camara::open(settings, fetcher, world)?)),
            Settings::Sandbox {} => Which::Sandbox(world.clone()),
        }))
    }

    /// Asks whether the subscriber of a number is `years` old, at most 120.
    pub async fn ask(&self, phone: &Phone, years: u8) -> Result<Evidence, Failure> {
        match &self.0 {
            Which::Camara(camara) => camara.ask(phone, years.min(OLDEST)).await,
            Which::Sandbox(world) => {
                let outcome = match phone.expose() {
                    number if number.ends_with("0000") => Outcome::Under,
                    number if number.ends_with("8888") => Outcome::Unknown,
                    number if number.ends_with("9999") => Outcome::Unavailable,
                    _ => Outcome::Over,
                };
                outcome.answer(years, &**world)
            }
        }
    }
}

#[derive(Debug)]
struct Camara {
    url: String,
    token_url: String,
    client_id: String,
    client_secret: Secret<String>,
    scope: String,
    verified_only: bool,
    fetcher: Fetcher,
    world: Arc<dyn World>,
    token: Kept<Secret<String>>,
}

#[derive(Deserialize)]
struct Granted {
    access_token: Secret<String>,
    token_type: String,
    expires_in: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    age_check: String,
    verified_status: Option<bool>,
}

#[derive(Deserialize)]
struct Problem {
    code: String,
}

fn unknown_number() -> Failure {
    Failure::unknown("the mobile operator does not know the number")
}

impl Camara {
    fn open(
        settings: &CamaraSettings,
        fetcher: &Fetcher,
        world: &Arc<dyn World>,
    ) -> Result<Self, BadSettings> {
        let url = address("url", fetcher, &settings.url)?;
        Ok(Self {
            url: format!("{}/verify", url.trim_end_matches('/')),
            token_url: address("token_url", fetcher, &settings.token_url)?,
            client_id: settings.client_id.clone(),
            client_secret: secret("client_secret_file", &settings.client_secret_file)?,
            scope: settings.scope.clone(),
            verified_only: settings.verified_only,
            fetcher: fetcher.clone(),
            world: world.clone(),
            token: Kept::new(world),
        })
    }

    async fn ask(&self, phone: &Phone, years: u8) -> Result<Evidence, Failure> {
        let reference = self.world.random_uuid().to_string();
        let token = self.token().await?;
        let mut answered = self.verify(&token, phone, years, &reference).await?;
        // A token may end before its time; a second one that is refused is the operator's word.
        if answered.status == 401 {
            self.token.forget(|kept, _| *kept == token).await;
            answered = self.verify(&self.token().await?, phone, years, &reference).await?;
        }
        match answered.status {
            200 => self.judge(&calls::read(WHO, &answered)?, years, reference),
            404 => Err(unknown_number()),
            // Of what 422 says, this alone is about the number.
            422 if calls::read::<Problem>(WHO, &answered)
                .is_ok_and(|problem| problem.code == "SERVICE_NOT_APPLICABLE") =>
            {
                Err(unknown_number())
            }
            _ => Err(calls::unexpected(WHO, &answered)),
        }
    }

    async fn verify(
        &self,
        token: &Secret<String>,
        phone: &Phone,
        years: u8,
        reference: &str,
    ) -> Result<Answered, Failure> {
        let body = calls::json(&json!({ "ageThreshold": years, "phoneNumber": phone.expose() }));
        let mut call = calls::post(body, "application/json");
        let bearer = Zeroizing::new(format!("Bearer {}", token.expose()));
        calls::secret_header(&mut call, &calls::AUTHORIZATION, &bearer)?;
        let reference = HeaderValue::from_str(reference).expect("an id is a header value");
        call.headers.insert("x-correlator", reference);
        calls::call(&self.fetcher, WHO, &self.url, call).await
    }

    fn judge(&self, answer: &Answer, years: u8, reference: String) -> Result<Evidence, Failure> {
        let is = match answer.age_check.as_str() {
            "true" => true,
            "false" => false,
            _ => return Err(Failure::unknown("the mobile operator does not know the subscriber's age")),
        };
        if self.verified_only && answer.verified_status != Some(true) {
            return Err(Failure::unknown("the mobile operator compared its record with no document"));
        }
        Ok(Evidence::new(Known::Over { years, is }, Some(reference)))
    }

    async fn token(&self) -> Result<Secret<String>, Failure> {
        self.token.get(async || self.ask_for_token().await).await
    }

    async fn ask_for_token(&self) -> Result<(Secret<String>, SignedDuration), Failure> {
        let basic = calls::basic(&self.client_id, &self.client_secret);
        let form = calls::form(&[("grant_type", "client_credentials"), ("scope", &self.scope)]);
        let mut call = calls::post(form, calls::FORM);
        calls::secret_header(&mut call, &calls::AUTHORIZATION, &basic)?;
        let answered = calls::call(&self.fetcher, TOKENS, &self.token_url, call).await?;
        if answered.status != 200 {
            return Err(calls::unexpected(TOKENS, &answered));
        }
        let granted: Granted = calls::read(TOKENS, &answered)?;
        if !granted.token_type.eq_ignore_ascii_case("bearer") {
            return Err(Failure::unavailable("the mobile operator's token is of another kind"));
        }
        // One that names no end is good for this call and, perhaps, for the next half minute's.
        let lives = granted.expires_in.unwrap_or(2 * MARGIN).clamp(MARGIN, LONGEST) - MARGIN;
        Ok((granted.access_token, SignedDuration::from_secs(lives)))
    }
}
