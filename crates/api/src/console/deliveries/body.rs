//! Deliveries, as the console has them.

use base::{AppId, DeliveryId, Timestamp};
use domain::delivery::{DeliveryAttempt, DeliveryRecord, DeliveryState, WebhookMessage, WebhookMethod};
use utoipa::ToSchema;

/// Segments of a path that are longer than this may be secrets, as those of Slack's addresses are.
const MAX_SHOWN_SEGMENT_CHARS: usize = 16;
/// What is left of them.
const KEPT_SEGMENT_CHARS: usize = 4;

/// A message to an application's server.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Delivery)]
pub(super) struct DeliveryBody {
    /// The `webhook-id` that its receiver sees.
    #[schema(value_type = Uuid)]
    id: DeliveryId,
    #[schema(value_type = Uuid)]
    application_id: AppId,
    /// What it is about: `proof.result`, `ages.result`, `moderation.notification`, `identity.` and a topic of document verification, or
    /// `webhook.test`.
    #[schema(example = "ages.result")]
    topic: String,
    /// The origin that it goes to.
    #[schema(example = "https://hooks.example.com")]
    origin: String,
    /// Whether the receiver's certificate must be valid.
    verify_tls: bool,
    state: DeliveryState,
    /// Attempts that are recorded; the latest 30 are.
    #[schema(minimum = 0, maximum = 30)]
    attempts: usize,
    /// How the latest attempt ended. Absent: there was none yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_attempt: Option<DeliveryAttemptBody>,
    /// When the next attempt is due, while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    next_attempt_at: Option<Timestamp>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it was delivered or given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
}

/// One attempt at a delivery.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = DeliveryAttempt)]
pub(super) struct DeliveryAttemptBody {
    /// When it began; the `webhook-timestamp` is this moment in whole seconds.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// How long it took, milliseconds.
    #[schema(minimum = 0)]
    took_ms: u64,
    /// The HTTP status of the answer. Absent: there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 100, maximum = 999)]
    status: Option<u16>,
    /// Why it failed, in words. Members learn of a call without an answer only that the address could not be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl From<DeliveryAttempt> for DeliveryAttemptBody {
    fn from(DeliveryAttempt { at, took_ms, status, error }: DeliveryAttempt) -> Self {
        Self { at, took_ms, status, error }
    }
}

impl From<DeliveryRecord> for DeliveryBody {
    fn from(record: DeliveryRecord) -> Self {
        let (origin, verify_tls) = record.destination();
        Self {
            origin: origin.to_owned(),
            verify_tls,
            id: record.id,
            application_id: record.app_id,
            topic: record.topic,
            state: record.state,
            attempts: record.attempts.len(),
            last_attempt: record.attempts.last().cloned().map(DeliveryAttemptBody::from),
            next_attempt_at: (record.state == DeliveryState::Waiting).then_some(record.next_at),
            created_at: record.created_at,
            ended_at: record.ended_at.map(Timestamp::from),
        }
    }
}

/// What a delivery says, without what may be a secret of the application.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = DeliveryMessage)]
pub(super) struct DeliveryMessageBody {
    method: WebhookMethod,
    /// Its address without the query; long segments of the path are cut, because they may be secrets.
    #[schema(example = "https://hooks.slack.com/services/T024/B0D1/x7Gk…")]
    url: String,
    /// Whether the address has a query, which is not shown.
    has_query: bool,
    /// The headers besides `webhook-id`, `webhook-timestamp` and `webhook-signature`, which every attempt has.
    headers: Vec<DeliveryHeaderBody>,
    /// The body as it is sent.
    body: String,
}

/// A header of a message.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = DeliveryHeader)]
pub(super) struct DeliveryHeaderBody {
    name: String,
    /// Absent: the application gave it, so it may be a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

impl From<WebhookMessage> for DeliveryMessageBody {
    fn from(message: WebhookMessage) -> Self {
        let (address, query) = match message.url.split_once('?') {
            Some((address, _)) => (address, true),
            None => (&*message.url, false),
        };
        let given = message.headers.into_iter().map(|(name, _)| DeliveryHeaderBody { name, value: None });
        let json = (message.verb == WebhookMethod::Post).then(|| DeliveryHeaderBody {
            name: "content-type".to_owned(),
            value: Some("application/json".to_owned()),
        });
        Self {
            method: message.verb,
            url: cut_segments(address),
            has_query: query,
            headers: given.chain(json).collect(),
            body: message.body,
        }
    }
}

/// An address with the long segments of its path cut.
fn cut_segments(address: &str) -> String {
    let address = address.split('#').next().unwrap_or_default();
    // `https:`, nothing and the host come before the path.
    let cut = |(at, segment): (usize, &str)| {
        if at < 3 || segment.chars().count() <= MAX_SHOWN_SEGMENT_CHARS {
            return segment.to_owned();
        }
        segment.chars().take(KEPT_SEGMENT_CHARS).chain(['…']).collect()
    };
    address.split('/').enumerate().map(cut).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_secret_is_not_shown() {
        let message = WebhookMessage {
            url: "https://a-very-long-host-name.example.com:8443/hooks/T024BE7LDT024BE7LD/x?token=s3cret"
                .to_owned(),
            verb: WebhookMethod::Post,
            headers: vec![("authorization".to_owned(), "Bearer s3cret".to_owned())],
            body: "{}".to_owned(),
            verify_tls: true,
            success: domain::delivery::SuccessCriterion::Any2xx,
        };
        let shown = serde_json::to_value(DeliveryMessageBody::from(message)).unwrap();
        assert_eq!(
            shown,
            serde_json::json!({
                "method": "POST",
                "url": "https://a-very-long-host-name.example.com:8443/hooks/T024…/x",
                "has_query": true,
                "headers": [
                    { "name": "authorization" },
                    { "name": "content-type", "value": "application/json" },
                ],
                "body": "{}",
            })
        );
    }
}
