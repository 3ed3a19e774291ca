//! What a till asks, held to the rules before anything is verified.

use crate::{
    delivery::{Outbox, SuccessCriterion, WebhookMessage, WebhookMethod},
    violation::{Violation, check_max_chars, check_max_items, violation},
};
use base::Timestamp;
use credentials::proof::MAX_QR_CHARS;
use media::fetch::{FetchTargetError, HeaderName, HeaderValue, is_reserved};
use serde::{Deserialize, Serialize};

/// Headers of a notification.
const MAX_HEADERS: usize = 32;
/// Characters of a header's value.
const MAX_HEADER_VALUE_CHARS: usize = 4096;
/// Characters of a terminal's or store's id.
const MAX_ID_CHARS: usize = 200;

/// A query as it was sent: well-formed, and not checked yet.
#[derive(Clone, Debug, Default)]
pub struct ProofRequest {
    /// What was scanned.
    pub value: String,
    /// When, RFC 3339 with any offset.
    pub scanned_at: String,
    /// Which terminal scanned.
    pub terminal_id: String,
    /// Where it stands.
    pub store_id: Option<String>,
    /// Whom to tell, when that takes longer.
    pub notification: Option<ProofNotificationRequest>,
}

/// Whom to tell, as it was sent.
#[derive(Clone, Debug)]
pub struct ProofNotificationRequest {
    /// Where.
    pub url: String,
    /// `GET` or `POST`; `POST` without.
    pub method: Option<String>,
    /// Whether the receiver's certificate must be right.
    pub verify_tls: bool,
    /// Headers to send along, in any order.
    pub headers: Vec<(String, String)>,
}

/// A query that can be answered. Kept, sealed, while it is pending: add members with defaults.
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
    /// Holds what was sent to the rules.
    pub fn validate(asked: ProofRequest, outbox: &Outbox) -> Result<Self, Violation> {
        let ProofRequest { value, scanned_at, terminal_id, store_id, notification } = asked;
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
        let scanned_at =
            scanned_at.parse().map_err(|_| violation("qr.scanned_at", "this is no RFC 3339 date-time"))?;
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
        let notification = notification.map(|asked| notification_message(asked, outbox)).transpose()?;
        Ok(Self { value, scanned_at, terminal_id, store_id, notification })
    }
}

fn notification_message(
    asked: ProofNotificationRequest,
    outbox: &Outbox,
) -> Result<WebhookMessage, Violation> {
    outbox.check_destination(&asked.url, asked.verify_tls).map_err(|refused| {
        let path = if refused == FetchTargetError::UnverifiedTls {
            "notification.verifyTls"
        } else {
            "notification.url"
        };
        violation(path, refused.to_string())
    })?;
    let verb = match asked.method.as_deref() {
        None => WebhookMethod::Post,
        Some(word) => word.parse().map_err(|_| {
            violation("notification.method", format!("it is one of {}", WebhookMethod::VARIANTS.join(", ")))
        })?,
    };
    check_max_items("notification.headers", asked.headers.len(), MAX_HEADERS, "send fewer headers")?;
    for (name, value) in &asked.headers {
        check_header(name, value)?;
    }
    Ok(WebhookMessage {
        url: asked.url,
        verb,
        headers: asked.headers,
        body: String::new(),
        verify_tls: asked.verify_tls,
        success: SuccessCriterion::Any2xx,
    })
}

fn check_header(name: &str, value: &str) -> Result<(), Violation> {
    let wrong = |words: &str| Err(violation("notification.headers", words));
    let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
        return wrong("a name is not one a header can have");
    };
    check_max_chars(
        "notification.headers",
        "a value has",
        value.chars().count(),
        MAX_HEADER_VALUE_CHARS,
        "send shorter values",
    )?;
    if HeaderValue::from_str(value).is_err() {
        return wrong("a value has line ends or other characters that no header can have");
    }
    // Those that sign, and those that say what the body is, are ours.
    if is_reserved(&name) || name.as_str().starts_with("webhook-") || name == "content-type" {
        return Err(violation("notification.headers", format!("{name} is not the caller's to set")));
    }
    Ok(())
}
