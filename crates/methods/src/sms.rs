//! Short messages, by whoever sends them over HTTP.

use crate::{
    BadSettings, Failure, calls,
    numbers::Phone,
    settings::{address, secret},
};
use base::Secret;
use media::fetch::{Fetcher, HeaderName};
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

const WHO: &str = "the sender of short messages";
/// The most characters of a message: two parts of one.
const LONGEST: usize = 306;

/// The code that the sandbox's messages hold, as nobody could read another.
pub const SANDBOX_CODE: &str = "123456";

/// Who sends.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum Settings {
    /// A service with an HTTP interface.
    Http(HttpSettings),
    /// Nobody.
    Sandbox {},
}

/// How a service is asked to send.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpSettings {
    /// Where messages are posted.
    pub url: String,
    /// What is posted: JSON in which every text may hold `{to}`, the number with `+`, and `{text}`, the message.
    pub template: String,
    /// How it is posted.
    #[serde(default)]
    pub encoding: Encoding,
    /// The header that says who posts, as `authorization`.
    #[serde(default = "authorization")]
    pub header: String,
    /// A file with that header's value, whole: as `Bearer …` or `Basic …`.
    pub header_file: PathBuf,
}

/// How a message is posted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// As JSON.
    #[default]
    Json,
    /// As a form. The template is then one object of texts.
    Form,
}

fn authorization() -> String {
    "authorization".to_owned()
}

/// Sends short messages.
#[derive(Debug)]
pub struct Provider(Option<Http>);

#[derive(Debug)]
struct Http {
    url: String,
    template: Value,
    encoding: Encoding,
    header: HeaderName,
    value: Secret<String>,
    fetcher: Fetcher,
}

impl Provider {
    /// Reads the secret and the template.
    pub fn open(settings: &Settings, fetcher: &Fetcher) -> Result<Self, BadSettings> {
        Ok(Self(match settings {
            Settings::Http(settings) => Some(Http::open(settings, fetcher)?),
            Settings::Sandbox {} => None,
        }))
    }

    /// The only code that arrives, where none does: the sandbox's.
    pub fn fixed_code(&self) -> Option<&'static str> {
        self.0.is_none().then_some(SANDBOX_CODE)
    }

    /// Sends a message of at most 306 characters.
    pub async fn send(&self, to: &Phone, text: &str) -> Result<(), Failure> {
        match &self.0 {
            _ if text.chars().count() > LONGEST => {
                Err(Failure::unavailable("the message is too long to be sent"))
            }
            Some(http) => http.send(to, text).await,
            None if to.ends_with("9998") => Err(Failure::unavailable("the sandbox is asked to be away")),
            None => Ok(()),
        }
    }
}

impl Http {
    fn open(settings: &HttpSettings, fetcher: &Fetcher) -> Result<Self, BadSettings> {
        let bad = |problem: &str| BadSettings::new("template", problem);
        let template: Value =
            serde_json::from_str(&settings.template).map_err(|error| bad(&format!("is no JSON: {error}")))?;
        for place in ["{to}", "{text}"] {
            if !settings.template.contains(place) {
                return Err(bad(&format!("has no {place} in it")));
            }
        }
        let is_flat = template.as_object().is_some_and(|members| members.values().all(Value::is_string));
        if settings.encoding == Encoding::Form && !is_flat {
            return Err(bad("is no object of texts, as a form must be"));
        }
        let header = settings.header.parse().ok().filter(|header| !media::fetch::is_reserved(header));
        let value = secret("header_file", &settings.header_file)?;
        if value.expose().bytes().any(|byte| !matches!(byte, b' '..=b'~')) {
            return Err(BadSettings::new("header_file", "holds more than one line, or no plain text"));
        }
        Ok(Self {
            url: address("url", fetcher, &settings.url)?,
            template,
            encoding: settings.encoding,
            header: header.ok_or_else(|| BadSettings::new("header", "is no header that can be set"))?,
            value,
            fetcher: fetcher.clone(),
        })
    }

    async fn send(&self, to: &Phone, text: &str) -> Result<(), Failure> {
        let filled = fill(&self.template, to.expose(), text);
        let mut call = match (self.encoding, filled.as_object()) {
            (Encoding::Form, Some(members)) => {
                let pairs: Vec<_> = members
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.as_str().unwrap_or_default()))
                    .collect();
                calls::post(calls::form(&pairs), calls::FORM)
            }
            _ => calls::post(calls::json(&filled), "application/json"),
        };
        calls::secret_header(&mut call, &self.header, self.value.expose())?;
        let answered = calls::call(&self.fetcher, WHO, &self.url, call).await?;
        match answered.status {
            200..=299 => Ok(()),
            // What services answer to a number that they cannot reach.
            status @ (400 | 404 | 422) => {
                // Or to a template that they do not like: for the operator, who sees whether it is always so.
                tracing::info!(status, "{WHO} refuses a message with {status}");
                Err(Failure::invalid("phone"))
            }
            _ => Err(calls::unexpected(WHO, &answered)),
        }
    }
}

/// The template with number and message in their places. Texts are filled once they are apart, so nothing that is filled
/// in can end a text, or be taken for a place.
fn fill(template: &Value, to: &str, text: &str) -> Value {
    match template {
        Value::String(one) => Value::String(
            one.split("{text}").map(|part| part.replace("{to}", to)).collect::<Vec<_>>().join(text),
        ),
        Value::Array(list) => list.iter().map(|one| fill(one, to, text)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, one)| (name.clone(), fill(one, to, text)))
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
        let filled = fill(&template, "+447700900123", message);
        assert_eq!(
            filled,
            json!({ "messages": [{ "to": "+447700900123", "body": format!("{message} for +447700900123"), "{to}": 7 }], "flash": false })
        );
    }
}
