//! Stripe's interface: a payment method of the card, then a setup intent that has the bank check it. Nothing is charged, and
//! the payment method belongs to no customer.

use super::{Card, Checked, Held, PROVES};
use crate::{
    BadSettings, Evidence, Failure, Known, calls,
    settings::{address, secret},
};
use base::{Secret, World};
use media::fetch::{Answered, Call, Fetcher, HeaderValue};
use serde::Deserialize;
use std::{path::PathBuf, sync::Arc};
use zeroize::Zeroizing;

const WHO: &str = "the card provider";

/// How Stripe, or a service that speaks its language, is reached.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StripeSettings {
    /// What its paths hang from.
    #[serde(default = "stripe")]
    pub url: String,
    /// A file with the secret key, as `sk_live_…`.
    pub secret_file: PathBuf,
    /// The version of the interface, as `2025-09-30.clover`. Default: the account's own.
    #[serde(default)]
    pub version: Option<String>,
}

fn stripe() -> String {
    "https://api.stripe.com".to_owned()
}

#[derive(Debug)]
pub(super) struct Stripe {
    url: String,
    key: Secret<String>,
    version: Option<HeaderValue>,
    fetcher: Fetcher,
    world: Arc<dyn World>,
}

#[derive(Deserialize)]
struct PaymentMethod {
    id: String,
    card: Option<Funded>,
}

#[derive(Deserialize)]
struct Funded {
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
struct Expanded {
    #[serde(flatten)]
    intent: SetupIntent,
    payment_method: Option<PaymentMethod>,
}

#[derive(Deserialize)]
struct Refusal {
    error: Problem,
}

#[derive(Deserialize)]
struct Problem {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    code: String,
}

impl Stripe {
    pub(super) fn open(
        settings: &StripeSettings,
        fetcher: &Fetcher,
        world: &Arc<dyn World>,
    ) -> Result<Self, BadSettings> {
        let version = settings.version.as_deref().map(HeaderValue::from_str).transpose();
        Ok(Self {
            url: address("url", fetcher, &settings.url)?.trim_end_matches('/').to_owned(),
            key: secret("secret_file", &settings.secret_file)?,
            version: version.map_err(|_| BadSettings::new("version", "is no header value"))?,
            fetcher: fetcher.clone(),
            world: world.clone(),
        })
    }

    pub(super) async fn check(&self, card: &Card, return_url: &str) -> Result<Checked, Failure> {
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
        // The bank need not be troubled for a card that proves nothing.
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
                // The address is put before a person, so it must at least be one that could be called.
                let url = self
                    .fetcher
                    .target(&to.url)
                    .map_err(|_| Failure::unavailable("the bank's address is none"))?;
                Ok(Checked::Redirect { url: url.as_str().to_owned(), held: Held { setup_intent: intent.id } })
            }
            (status, _) => judge(status, intent.id).map(Checked::Done),
        }
    }

    pub(super) async fn resume(&self, held: &Held) -> Result<Evidence, Failure> {
        let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if !held.setup_intent.bytes().all(is_id) || held.setup_intent.is_empty() {
            return Err(Failure::unavailable("the check is called what no check is called"));
        }
        let path = format!("/v1/setup_intents/{}?expand[]=payment_method", held.setup_intent);
        let answered =
            calls::call(&self.fetcher, WHO, &self.at(&path), self.authorised(calls::get())?).await?;
        let Expanded { intent, payment_method } = understand(&answered)?;
        if intent.id != held.setup_intent {
            return Err(Failure::unavailable("the card provider answers for another check"));
        }
        let found = judge(&intent.status, intent.id)?;
        if payment_method.is_some_and(|method| method.is_credit()) {
            Ok(found)
        } else {
            Err(no_credit_card())
        }
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    fn authorised(&self, mut call: Call) -> Result<Call, Failure> {
        let bearer = Zeroizing::new(format!("Bearer {}", self.key.expose()));
        calls::secret_header(&mut call, &calls::AUTHORIZATION, &bearer)?;
        if let Some(version) = &self.version {
            call.headers.insert("stripe-version", version.clone());
        }
        Ok(call)
    }

    /// Posts a form, and once more where no answer came: the key has both count as one.
    async fn post<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        pairs: &[(&str, &str)],
    ) -> Result<T, Failure> {
        let mut call = self.authorised(calls::post(calls::form(pairs), calls::FORM))?;
        let key =
            HeaderValue::from_str(&self.world.random_uuid().to_string()).expect("an id is a header value");
        call.headers.insert("idempotency-key", key);
        let url = self.at(path);
        let answered = match calls::call(&self.fetcher, WHO, &url, call.clone()).await {
            Ok(answered) => answered,
            Err(_) => calls::call(&self.fetcher, WHO, &url, call).await?,
        };
        understand(&answered)
    }
}

fn no_credit_card() -> Failure {
    Failure::unknown("the card is no credit card")
}

fn judge(status: &str, id: String) -> Result<Evidence, Failure> {
    match status {
        "succeeded" => Ok(Evidence::new(Known::Over { years: PROVES, is: true }, Some(id))),
        "requires_payment_method" | "canceled" | "requires_action" | "requires_confirmation" => {
            Err(Failure::unknown("the bank did not let the card through"))
        }
        _ => Err(Failure::unavailable("the check of the card is in a state that has no meaning here")),
    }
}

fn understand<T: serde::de::DeserializeOwned>(answered: &Answered) -> Result<T, Failure> {
    if answered.status == 200 {
        return calls::read(WHO, answered);
    }
    if !matches!(answered.status, 400 | 402) {
        return Err(calls::unexpected(WHO, answered));
    }
    let Refusal { error } = calls::read(WHO, answered)?;
    Err(match (error.r#type.as_str(), error.code.as_str()) {
        ("card_error", "incorrect_number" | "invalid_number") => Failure::invalid("number"),
        ("card_error", "invalid_expiry_month" | "invalid_expiry_year" | "expired_card") => {
            Failure::invalid("expiry")
        }
        ("card_error", "incorrect_cvc" | "invalid_cvc") => Failure::invalid("code"),
        ("card_error", "processing_error") => Failure::unavailable("the bank cannot be asked"),
        ("card_error", _) => Failure::unknown("the bank declined the card"),
        _ => calls::unexpected(WHO, answered),
    })
}
