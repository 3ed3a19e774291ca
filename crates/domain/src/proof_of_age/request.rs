//! A terminal's query, validated before anything is verified.

use crate::{
    delivery::{Outbox, SuccessCriterion, WebhookMessage, WebhookMethod},
    violation::{Violation, check_max_chars, check_max_items, violation},
};
use base::Timestamp;
use credentials::proof::MAX_QR_CHARS;
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
    pub(super) scanned_at: Timestamp,
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
        let ProofRequest { value, scanned_at, terminal_id, store_id, notification } = request;
        check_max_chars(
            "qr.value",
            "the code has",
            value.chars().count(),
            MAX_QR_CHARS,
            "no QR code holds more: send what was scanned, once",
        )?;
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
        Ok(Self { value, scanned_at, terminal_id, store_id, notification })
    }
}

fn notification_message(
    request: ProofNotificationRequest,
    outbox: &Outbox,
) -> Result<WebhookMessage, Violation> {
    outbox.check_destination(&request.url, request.verify_tls).map_err(|refused| {
        let path = if refused == FetchTargetError::UnverifiedTls {
            "notification.verifyTls"
        } else {
            "notification.url"
        };
        violation(path, refused.to_string())
    })?;
    let verb = match request.method.as_deref() {
        None => WebhookMethod::Post,
        Some(name) => name.parse().map_err(|_| {
            violation("notification.method", format!("it is one of {}", WebhookMethod::VARIANTS.join(", ")))
        })?,
    };
    check_max_items("notification.headers", request.headers.len(), MAX_HEADERS, "send fewer headers")?;
    for (name, value) in &request.headers {
        check_header(name, value)?;
    }
    Ok(WebhookMessage {
        url: request.url,
        verb,
        headers: request.headers,
        body: String::new(),
        verify_tls: request.verify_tls,
        success: SuccessCriterion::Any2xx,
    })
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
    if is_reserved(&name) || name.as_str().starts_with("webhook-") || name == "content-type" {
        return Err(violation("notification.headers", format!("{name} cannot be set by the caller")));
    }
    Ok(())
}
