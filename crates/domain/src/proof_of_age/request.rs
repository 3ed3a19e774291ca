//! A terminal's query, validated before anything is verified.

use super::record::{PROOF_ID_CHARS, ProofStatus};
use crate::{
    delivery::{Outbox, SuccessCriterion, WebhookMessage, WebhookMethod},
    violation::{Violation, check_max_chars, check_max_items, violation},
};
use base::{Secret, Timestamp};
use credentials::proof::{MAX_QR_CHARS, MAX_RESPONSE_CHARS, TerminalSession, TerminalSessionError};
use media::fetch::{FetchTargetError, HeaderName, HeaderValue, is_reserved};
use serde::{Deserialize, Serialize};

/// Headers of a notification, at most.
const MAX_HEADERS: usize = 32;
/// Characters of a header's value, at most.
const MAX_HEADER_VALUE_CHARS: usize = 4096;
/// Characters of a terminal's or store's id, at most.
const MAX_ID_CHARS: usize = 200;

/// A query as it was sent: well-formed, but not validated yet.
#[derive(Clone, Debug, Default)]
pub struct ProofRequest {
    /// The scanned text.
    pub value: String,
    /// When it was scanned: RFC 3339 with any offset.
    pub scanned_at: String,
    /// For a response that a terminal received from a device: the session transcript, base64url.
    pub session_transcript: Option<String>,
    /// For a response that the device authenticated with a MAC: the terminal's ephemeral private key, a JWK.
    pub reader_key: Option<Secret<String>>,
    pub terminal_id: String,
    /// The store that the terminal is in.
    pub store_id: Option<String>,
    /// Whom to notify if the result is not available at once.
    pub notification: Option<ProofNotificationRequest>,
}

/// Whom to notify, as it was sent.
#[derive(Clone, Debug)]
pub struct ProofNotificationRequest {
    pub url: String,
    /// `GET` or `POST`; the default is `POST`.
    pub method: Option<String>,
    /// Whether the receiver's certificate must be valid.
    pub verify_tls: bool,
    /// Headers to send with it.
    pub headers: Vec<(String, String)>,
}

/// A valid query. It is stored, sealed, while it is pending: new fields need a default.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProofQuery {
    pub(super) value: String,
    /// Whether the value is what its issuer handed out, and not what was scanned.
    #[serde(default)]
    pub(super) is_fetched: bool,
    pub(super) scanned_at: Timestamp,
    #[serde(default)]
    pub(super) session_transcript: Option<String>,
    #[serde(default, with = "optional_secret")]
    pub(super) reader_key: Option<Secret<String>>,
    #[serde(skip)]
    pub(super) terminal_id: String,
    #[serde(skip)]
    pub(super) store_id: Option<String>,
    #[serde(default)]
    pub(super) notification: Option<WebhookMessage>,
}

impl ProofQuery {
    /// Validates a query; the error is the first violation.
    pub fn validate(request: ProofRequest, outbox: &Outbox) -> Result<Self, Violation> {
        let ProofRequest {
            value,
            scanned_at,
            session_transcript,
            reader_key,
            terminal_id,
            store_id,
            notification,
        } = request;
        let (most, hint) = if session_transcript.is_some() {
            (MAX_RESPONSE_CHARS, "send one DeviceResponse, with what proves an age and nothing else")
        } else {
            (MAX_QR_CHARS, "no QR code holds more: send what was scanned, once")
        };
        check_max_chars("qr.value", "the code has", value.chars().count(), most, hint)?;
        if let Some(transcript) = &session_transcript {
            let key = reader_key.as_ref().map(|key| key.expose().as_str());
            TerminalSession::parse(transcript, key).map_err(|error| {
                let path = match error {
                    TerminalSessionError::Transcript => "qr.session_transcript",
                    TerminalSessionError::ReaderKey => "qr.reader_key",
                };
                violation(path, error.to_string())
            })?;
        } else if reader_key.is_some() {
            return Err(violation("qr.reader_key", "it is of use with qr.session_transcript alone"));
        }
        if value.trim().is_empty() {
            return Err(violation("qr.value", "nothing was scanned"));
        }
        let scanned_at = scanned_at
            .parse()
            .map_err(|_| violation("qr.scanned_at", "this is not an RFC 3339 date-time"))?;
        if terminal_id.trim().is_empty() {
            return Err(violation("terminal.id", "it is empty"));
        }
        check_max_chars(
            "terminal.id",
            "it has",
            terminal_id.chars().count(),
            MAX_ID_CHARS,
            "send the terminal's own id",
        )?;
        let store = store_id.as_deref().unwrap_or_default().chars().count();
        check_max_chars("terminal.store_id", "it has", store, MAX_ID_CHARS, "send the store's own id")?;
        let notification = notification.map(|request| notification_message(request, outbox)).transpose()?;
        Ok(Self {
            value,
            is_fetched: false,
            scanned_at,
            session_transcript,
            reader_key,
            terminal_id,
            store_id,
            notification,
        })
    }
}

fn notification_message(
    request: ProofNotificationRequest,
    outbox: &Outbox,
) -> Result<WebhookMessage, Violation> {
    let check = |url: &str| {
        outbox.check_destination(url, request.verify_tls).map_err(|refused| {
            let path = if refused == FetchTargetError::UnverifiedTls {
                "notification.verifyTls"
            } else {
                "notification.url"
            };
            violation(path, refused.to_string())
        })
    };
    check(&request.url)?;
    let verb = match request.method.as_deref() {
        None => WebhookMethod::Post,
        Some(name) => name.parse().map_err(|_| {
            violation("notification.method", format!("it is one of {}", WebhookMethod::VARIANTS.join(", ")))
        })?,
    };
    if verb == WebhookMethod::Get {
        // With the result it must not be too long either.
        check(&with_result_query(&request.url, &"x".repeat(PROOF_ID_CHARS), ProofStatus::Success))?;
    }
    check_max_items("notification.headers", request.headers.len(), MAX_HEADERS, "send fewer headers")?;
    for (name, value) in &request.headers {
        check_header(name, value)?;
    }
    // Ours says the same.
    let headers =
        request.headers.into_iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-type")).collect();
    Ok(WebhookMessage {
        url: request.url,
        verb,
        headers,
        body: String::new(),
        verify_tls: request.verify_tls,
        success: SuccessCriterion::Any2xx,
    })
}

/// The address with the id and the status of a result added to its query, which ends where a fragment begins.
pub(super) fn with_result_query(url: &str, id: &str, status: ProofStatus) -> String {
    let address = url.split_once('#').map_or(url, |(address, _)| address);
    let separator = if address.contains('?') { '&' } else { '?' };
    format!("{address}{separator}id={id}&status={status}")
}

fn check_header(name: &str, value: &str) -> Result<(), Violation> {
    let refuse = |message: &str| Err(violation("notification.headers", message));
    let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
        return refuse("a name is not one a header can have");
    };
    check_max_chars(
        "notification.headers",
        "a value has",
        value.chars().count(),
        MAX_HEADER_VALUE_CHARS,
        "send shorter values",
    )?;
    if HeaderValue::from_str(value).is_err() {
        return refuse("a value has line ends or other characters that no header can have");
    }
    // The headers of the signature, and those that describe the body, are set by us.
    let is_other_type = name == "content-type" && !value.trim().eq_ignore_ascii_case("application/json");
    if is_reserved(&name) || name.as_str().starts_with("webhook-") || is_other_type {
        return Err(violation("notification.headers", format!("{name} cannot be set by the caller")));
    }
    Ok(())
}

/// A secret in a query that is stored sealed.
mod optional_secret {
    use base::Secret;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    #[expect(clippy::ref_option, reason = "serde hands it over like this")]
    pub(super) fn serialize<S: Serializer>(
        secret: &Option<Secret<String>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        secret.as_ref().map(|secret| secret.expose().as_str()).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Secret<String>>, D::Error> {
        Ok(Option::<String>::deserialize(from)?.map(Secret::new))
    }
}
