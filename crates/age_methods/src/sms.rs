//! Text messages, sent through a service with an HTTP interface.

use crate::{
    AgeMethodError, InvalidSettingError, http_client,
    identifiers::PhoneNumber,
    settings::{callable_url, read_secret},
};
use base::Secret;
use media::fetch::{Fetcher, HeaderName};
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

const SENDER_LABEL: &str = "the sender of short messages";
/// Two concatenated text messages of 153 characters each.
const MAX_MESSAGE_CHARS: usize = 306;

/// The code wherever no message is sent: in every sandbox session, and with [`SmsSettings::Sandbox`].
pub const SANDBOX_ONE_TIME_CODE: &str = "123456";

/// Which service sends messages.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum SmsSettings {
    /// A service with an HTTP interface.
    Http(HttpSmsSettings),
    /// Nothing is sent.
    Sandbox {},
}

/// How to call a service that sends messages.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpSmsSettings {
    /// Where messages are posted.
    pub url: String,
    /// The body: JSON in which every string may contain `{to}`, the number with `+`, and `{text}`, the message.
    pub template: String,
    /// How the body is encoded.
    #[serde(default)]
    pub encoding: SmsEncoding,
    /// The header that authenticates the call, such as `authorization`.
    #[serde(default = "authorization")]
    pub header: String,
    /// A file with the whole value of that header, such as `Bearer …` or `Basic …`.
    pub header_file: PathBuf,
}

/// Encoding of the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SmsEncoding {
    #[default]
    Json,
    /// As a form. The template must then be one object of strings.
    Form,
}

fn authorization() -> String {
    "authorization".to_owned()
}

/// Sends text messages; in the sandbox, none.
#[derive(Debug)]
pub struct SmsSender(Option<HttpSmsClient>);

#[derive(Debug)]
struct HttpSmsClient {
    url: String,
    template: Value,
    encoding: SmsEncoding,
    header: HeaderName,
    value: Secret<String>,
    fetcher: Fetcher,
}

impl SmsSender {
    /// Reads the secret and the template.
    pub fn open(settings: &SmsSettings, fetcher: &Fetcher) -> Result<Self, InvalidSettingError> {
        Ok(Self(match settings {
            SmsSettings::Http(settings) => Some(HttpSmsClient::open(settings, fetcher)?),
            SmsSettings::Sandbox {} => None,
        }))
    }

    /// The code to use where no message is sent; `None` if messages are.
    pub fn fixed_code(&self) -> Option<&'static str> {
        self.0.is_none().then_some(SANDBOX_ONE_TIME_CODE)
    }

    /// Sends a message of at most 306 characters.
    pub async fn send(&self, to: &PhoneNumber, text: &str) -> Result<(), AgeMethodError> {
        match &self.0 {
            _ if text.chars().count() > MAX_MESSAGE_CHARS => {
                Err(AgeMethodError::unavailable("the message is too long to be sent"))
            }
            Some(http) => http.send(to, text).await,
            None if to.ends_with("9998") => {
                Err(AgeMethodError::unavailable("the sandbox is asked to be away"))
            }
            None => Ok(()),
        }
    }
}

impl HttpSmsClient {
    fn open(settings: &HttpSmsSettings, fetcher: &Fetcher) -> Result<Self, InvalidSettingError> {
        let bad = |problem: &str| InvalidSettingError::new("template", problem);
        let template: Value = serde_json::from_str(&settings.template)
            .map_err(|error| bad(&format!("is not JSON: {error}")))?;
        for place in ["{to}", "{text}"] {
            if !settings.template.contains(place) {
                return Err(bad(&format!("has no {place} in it")));
            }
        }
        let is_flat = template.as_object().is_some_and(|members| members.values().all(Value::is_string));
        if settings.encoding == SmsEncoding::Form && !is_flat {
            return Err(bad("is not an object of texts, as a form must be"));
        }
        let header = settings.header.parse().ok().filter(|header| !media::fetch::is_reserved(header));
        let value = read_secret("header_file", &settings.header_file)?;
        if value.expose().bytes().any(|byte| !matches!(byte, b' '..=b'~')) {
            return Err(InvalidSettingError::new(
                "header_file",
                "holds more than one line, or no plain text",
            ));
        }
        Ok(Self {
            url: callable_url("url", fetcher, &settings.url)?,
            template,
            encoding: settings.encoding,
            header: header
                .ok_or_else(|| InvalidSettingError::new("header", "is not a header that can be set"))?,
            value,
            fetcher: fetcher.clone(),
        })
    }

    async fn send(&self, to: &PhoneNumber, text: &str) -> Result<(), AgeMethodError> {
        let filled = fill_template(&self.template, to.expose(), text);
        let mut call = match (self.encoding, filled.as_object()) {
            (SmsEncoding::Form, Some(members)) => {
                let pairs: Vec<_> = members
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default()))
                    .collect();
                http_client::post_call(http_client::form_body(&pairs), http_client::FORM_CONTENT_TYPE)
            }
            _ => http_client::post_call(http_client::json_body(&filled), "application/json"),
        };
        http_client::secret_header(&mut call, &self.header, self.value.expose())?;
        let answered = http_client::send(&self.fetcher, SENDER_LABEL, &self.url, call).await?;
        match answered.status {
            200..=299 => Ok(()),
            // These statuses mean that the service cannot reach the number.
            status @ (400 | 404 | 422) => {
                // Or that it rejects the template; the operator can see from the log whether that happens every time.
                tracing::info!(provider = SENDER_LABEL, status, "a provider refuses a message");
                Err(AgeMethodError::invalid("phone"))
            }
            _ => Err(http_client::unexpected_status(SENDER_LABEL, &answered)),
        }
    }
}

/// Fills number and message into the template. Strings are filled after parsing, so that a value can neither end a
/// string nor be taken for a placeholder.
fn fill_template(template: &Value, to: &str, text: &str) -> Value {
    match template {
        Value::String(one) => Value::String(
            one.split("{text}").map(|part| part.replace("{to}", to)).collect::<Vec<_>>().join(text),
        ),
        Value::Array(list) => list.iter().map(|one| fill_template(one, to, text)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, one)| (name.clone(), fill_template(one, to, text)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn number_and_message_take_their_places_and_no_others() {
        let template =
            json!({ "messages": [{ "to": "{to}", "body": "{text} for {to}", "{to}": 7 }], "flash": false });
        let message = r#"your "code" is {to} {text} \"#;
        let filled = fill_template(&template, "+447700900123", message);
        assert_eq!(
            filled,
            json!({ "messages": [{ "to": "+447700900123", "body": format!("{message} for +447700900123"), "{to}": 7 }], "flash": false })
        );
    }
}
