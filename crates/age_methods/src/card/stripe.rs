//! Stripe's API: creates a payment method for the card, then a setup intent that has the bank check it. Nothing is
//! charged, and the payment method is attached to no customer.

use super::{CREDIT_CARD_AGE_YEARS, CardCheckOutcome, PaymentCard, PendingCardCheck};
use crate::{
    AgeAttribute, AgeEvidence, AgeMethodError, InvalidSettingError, http_client,
    settings::{callable_url, read_secret},
};
use base::{Environment, Secret};
use media::fetch::{BufferedResponse, FetchRequest, Fetcher, HeaderValue};
use serde::Deserialize;
use std::{path::PathBuf, sync::Arc};
use zeroize::Zeroizing;

const PROVIDER_LABEL: &str = "the card provider";

/// How to reach Stripe or a service with the same API.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StripeSettings {
    /// Base URL of the API.
    #[serde(default = "stripe")]
    pub url: String,
    /// A file with the secret key, such as `sk_live_…`.
    pub secret_file: PathBuf,
    /// The API version, such as `2025-09-30.clover`. Default: the account's own.
    #[serde(default)]
    pub version: Option<String>,
}

fn stripe() -> String {
    "https://api.stripe.com".to_owned()
}

#[derive(Debug)]
pub(super) struct StripeClient {
    url: String,
    key: Secret<String>,
    version: Option<HeaderValue>,
    fetcher: Fetcher,
    environment: Arc<dyn Environment>,
}

#[derive(Deserialize)]
struct PaymentMethod {
    id: String,
    card: Option<CardFunding>,
}

#[derive(Deserialize)]
struct CardFunding {
    /// `credit`, `debit`, `prepaid` or `unknown`.
    funding: String,
}

impl PaymentMethod {
    fn is_credit(&self) -> bool {
        self.card.as_ref().is_some_and(|card| card.funding == "credit")
    }
}

#[derive(Deserialize)]
struct SetupIntent {
    id: String,
    status: String,
    next_action: Option<NextAction>,
}

#[derive(Deserialize)]
struct NextAction {
    redirect_to_url: Option<RedirectToUrl>,
}

#[derive(Deserialize)]
struct RedirectToUrl {
    url: String,
}

/// A setup intent with the payment method in it.
#[derive(Deserialize)]
struct ExpandedSetupIntent {
    #[serde(flatten)]
    intent: SetupIntent,
    payment_method: Option<PaymentMethod>,
}

#[derive(Deserialize)]
struct ErrorResponse {
    error: StripeError,
}

#[derive(Deserialize)]
struct StripeError {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    code: String,
}

impl StripeClient {
    pub(super) fn open(
        settings: &StripeSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let version = settings.version.as_deref().map(HeaderValue::from_str).transpose();
        Ok(Self {
            url: callable_url("url", fetcher, &settings.url)?.trim_end_matches('/').to_owned(),
            key: read_secret("secret_file", &settings.secret_file)?,
            version: version.map_err(|_| InvalidSettingError::new("version", "is not a header value"))?,
            fetcher: fetcher.clone(),
            environment: environment.clone(),
        })
    }

    pub(super) async fn check(
        &self,
        card: &PaymentCard,
        return_url: &str,
    ) -> Result<CardCheckOutcome, AgeMethodError> {
        let (month, year) = (card.expiry.month().to_string(), card.expiry.year().to_string());
        let method: PaymentMethod = self
            .post(
                "/v1/payment_methods",
                &[
                    ("type", "card"),
                    ("card[number]", card.number.expose()),
                    ("card[exp_month]", &month),
                    ("card[exp_year]", &year),
                    ("card[cvc]", card.code.expose()),
                ],
            )
            .await?;
        // Do not trouble the bank with a card that proves nothing.
        if !method.is_credit() {
            return Err(no_credit_card());
        }
        let intent: SetupIntent = self
            .post(
                "/v1/setup_intents",
                &[
                    ("confirm", "true"),
                    ("payment_method", &method.id),
                    ("payment_method_types[]", "card"),
                    ("usage", "on_session"),
                    ("return_url", return_url),
                ],
            )
            .await?;
        match (intent.status.as_str(), intent.next_action.and_then(|next| next.redirect_to_url)) {
            ("requires_action", Some(to)) => {
                // The holder is sent to this URL, so it must at least pass the checks for outgoing calls.
                let url = self
                    .fetcher
                    .parse_target(&to.url)
                    .map_err(|_| AgeMethodError::unavailable("the bank's address is not valid"))?;
                Ok(CardCheckOutcome::Redirect {
                    url: url.as_str().to_owned(),
                    held: PendingCardCheck { setup_intent: intent.id },
                })
            }
            (status, _) => evaluate_status(status, intent.id).map(CardCheckOutcome::Done),
        }
    }

    pub(super) async fn resume(&self, held: &PendingCardCheck) -> Result<AgeEvidence, AgeMethodError> {
        let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if !held.setup_intent.bytes().all(is_id) || held.setup_intent.is_empty() {
            return Err(AgeMethodError::unavailable("the check is called what no check is called"));
        }
        let path = format!("/v1/setup_intents/{}?expand[]=payment_method", held.setup_intent);
        let answered = http_client::send(
            &self.fetcher,
            PROVIDER_LABEL,
            &self.endpoint(&path),
            self.authorised(http_client::get_call())?,
        )
        .await?;
        let ExpandedSetupIntent { intent, payment_method } = parse_response(&answered)?;
        if intent.id != held.setup_intent {
            return Err(AgeMethodError::unavailable("the card provider answers for another check"));
        }
        let found = evaluate_status(&intent.status, intent.id)?;
        if payment_method.is_some_and(|method| method.is_credit()) {
            Ok(found)
        } else {
            Err(no_credit_card())
        }
    }

    fn endpoint(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    fn authorised(&self, mut call: FetchRequest) -> Result<FetchRequest, AgeMethodError> {
        let bearer = Zeroizing::new(format!("Bearer {}", self.key.expose()));
        http_client::secret_header(&mut call, &http_client::AUTHORIZATION, &bearer)?;
        if let Some(version) = &self.version {
            call.headers.insert("stripe-version", version.clone());
        }
        Ok(call)
    }

    /// Posts a form, and retries once if there was no response; the idempotency key makes both count as one.
    async fn post<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        pairs: &[(&str, &str)],
    ) -> Result<T, AgeMethodError> {
        let mut call = self.authorised(http_client::post_call(
            http_client::form_body(pairs),
            http_client::FORM_CONTENT_TYPE,
        ))?;
        let key =
            HeaderValue::from_str(&self.environment.uuid_v4().to_string()).expect("an id is a header value");
        call.headers.insert("idempotency-key", key);
        let url = self.endpoint(path);
        let answered = match http_client::send(&self.fetcher, PROVIDER_LABEL, &url, call.clone()).await {
            Ok(answered) => answered,
            Err(_) => http_client::send(&self.fetcher, PROVIDER_LABEL, &url, call).await?,
        };
        parse_response(&answered)
    }
}

fn no_credit_card() -> AgeMethodError {
    AgeMethodError::inconclusive("the card is not a credit card")
}

fn evaluate_status(status: &str, id: String) -> Result<AgeEvidence, AgeMethodError> {
    match status {
        "succeeded" => {
            Ok(AgeEvidence::new(AgeAttribute::Over { years: CREDIT_CARD_AGE_YEARS, reached: true }, Some(id)))
        }
        "requires_payment_method" | "canceled" | "requires_action" | "requires_confirmation" => {
            Err(AgeMethodError::inconclusive("the bank did not let the card through"))
        }
        _ => Err(AgeMethodError::unavailable("the check of the card is in a state that has no meaning here")),
    }
}

fn parse_response<T: serde::de::DeserializeOwned>(answered: &BufferedResponse) -> Result<T, AgeMethodError> {
    if answered.status == 200 {
        return http_client::parse_json(PROVIDER_LABEL, answered);
    }
    if !matches!(answered.status, 400 | 402) {
        return Err(http_client::unexpected_status(PROVIDER_LABEL, answered));
    }
    let ErrorResponse { error } = http_client::parse_json(PROVIDER_LABEL, answered)?;
    Err(match (error.r#type.as_str(), error.code.as_str()) {
        ("card_error", "incorrect_number" | "invalid_number") => AgeMethodError::invalid("number"),
        ("card_error", "invalid_expiry_month" | "invalid_expiry_year" | "expired_card") => {
            AgeMethodError::invalid("expiry")
        }
        ("card_error", "incorrect_cvc" | "invalid_cvc") => AgeMethodError::invalid("code"),
        ("card_error", "processing_error") => AgeMethodError::unavailable("the bank cannot be asked"),
        ("card_error", _) => AgeMethodError::inconclusive("the bank declined the card"),
        _ => http_client::unexpected_status(PROVIDER_LABEL, answered),
    })
}
