//! One attempt: sending a message, and what the response means for the message and its endpoint.

use super::{
    circuit_breaker::EndpointHealth,
    leases::LeasedDelivery,
    message::{Outbox, WebhookMessage, WebhookMethod},
    records::{DeliveryAttempt, UnsentReason},
    secrets::{self, WebhookSecret},
};
use base::{DeliveryId, Environment, SignedDuration, Timestamp};
use media::fetch::{BufferedResponse, FetchError, FetchRequest, HeaderMap, HeaderName, HeaderValue, Method};
use std::time::Duration;
use tokio::time::Instant;

/// Of a response, only its status and a few headers matter.
const MAX_RESPONSE_BYTES: u64 = 64 << 10;

/// What comes after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeliveryOutcome {
    Delivered,
    /// Try again; if the receiver asked for a wait, after that.
    Retry(Option<SignedDuration>),
    /// Never try again.
    GivenUp,
}

/// A completed attempt.
#[derive(Debug)]
pub(super) struct AttemptResult {
    pub(super) record: DeliveryAttempt,
    pub(super) outcome: DeliveryOutcome,
    pub(super) health: EndpointHealth,
}

impl AttemptResult {
    /// An attempt that sent nothing, which says nothing about the endpoint.
    pub(super) fn unsent(env: &dyn Environment, outcome: DeliveryOutcome, reason: UnsentReason) -> Self {
        let record =
            DeliveryAttempt { at: env.now(), took_ms: 0, status: None, error: Some(reason.to_string()) };
        Self { record, outcome, health: EndpointHealth::Healthy }
    }
}

/// Sends a message and judges the response. `timeout` is for the whole exchange.
pub(super) async fn run(
    env: &dyn Environment,
    outbox: &Outbox,
    timeout: Duration,
    leased: &LeasedDelivery,
    secrets: &[WebhookSecret],
) -> AttemptResult {
    let (at, started) = (env.now(), Instant::now());
    if leased.tries == 1 {
        let lag = at.duration_since(leased.begun_at).as_secs_f64().max(0.0);
        metrics::histogram!("assay_delivery_lag_seconds").record(lag);
    }
    if leased.sealed.is_empty() {
        return AttemptResult::unsent(env, DeliveryOutcome::GivenUp, UnsentReason::Erased);
    }
    let Some(message) = outbox.unseal(leased.id, &leased.sealed) else {
        return AttemptResult::unsent(env, DeliveryOutcome::GivenUp, UnsentReason::Undecryptable);
    };
    let response = match build_request(leased.id, &message, secrets, at, timeout) {
        Ok(request) => outbox.fetcher().call(&message.url, request).await,
        Err(reason) => return AttemptResult::unsent(env, DeliveryOutcome::GivenUp, reason),
    };
    let took = started.elapsed();
    let (outcome, health) = classify(&message, &response, at);
    let record = DeliveryAttempt {
        at,
        took_ms: took.as_millis() as u64,
        status: response.as_ref().ok().map(|response| response.status),
        error: match (&response, outcome) {
            (Err(error), _) => Some(error.to_string()),
            (Ok(_), DeliveryOutcome::Delivered) => None,
            (Ok(_), DeliveryOutcome::GivenUp) => Some("the receiver wants no more of these".to_owned()),
            (Ok(_), DeliveryOutcome::Retry(_)) => Some("the receiver did not take it".to_owned()),
        },
    };
    let label = match (&response, outcome) {
        (_, DeliveryOutcome::Delivered) => "delivered",
        (Err(FetchError::Refused(_)), _) => "refused",
        (Err(_), _) => "unanswered",
        (Ok(_), _) => "rejected",
    };
    metrics::counter!("assay_delivery_attempts_total", "outcome" => label).increment(1);
    let span = tracing::Span::current();
    span.record("outcome", label);
    span.record("http.status", record.status);
    metrics::histogram!("assay_delivery_attempt_seconds").record(took.as_secs_f64());
    AttemptResult { record, outcome, health }
}

/// The signed HTTP request of a message, or why it cannot be sent.
fn build_request(
    id: DeliveryId,
    message: &WebhookMessage,
    secrets: &[WebhookSecret],
    now: Timestamp,
    timeout: Duration,
) -> Result<FetchRequest, UnsentReason> {
    let mut headers = HeaderMap::new();
    let mut set = |name: &str, value: &str| -> Result<(), UnsentReason> {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| UnsentReason::HeaderName)?;
        headers.insert(name, HeaderValue::from_str(value).map_err(|_| UnsentReason::HeaderValue)?);
        Ok(())
    };
    for (name, value) in &message.headers {
        set(name, value)?;
    }
    if message.verb == WebhookMethod::Post {
        set("content-type", "application/json")?;
    }
    for (name, value) in secrets::signature_headers(secrets, &id.to_string(), now, message.body.as_bytes()) {
        set(name, &value)?;
    }
    Ok(FetchRequest {
        method: match message.verb {
            WebhookMethod::Post => Method::POST,
            WebhookMethod::Get => Method::GET,
        },
        headers,
        body: message.body.clone().into(),
        verify_tls: message.verify_tls,
        timeout,
        max_bytes: MAX_RESPONSE_BYTES,
    })
}

/// What a response means for the message and for the endpoint.
fn classify(
    message: &WebhookMessage,
    response: &Result<BufferedResponse, FetchError>,
    now: Timestamp,
) -> (DeliveryOutcome, EndpointHealth) {
    let Ok(response) = response else {
        return (DeliveryOutcome::Retry(None), EndpointHealth::Unhealthy);
    };
    let retry_after =
        response.headers.get("retry-after").and_then(|value| parse_retry_after(value.to_str().ok()?, now));
    match response.status {
        status if message.success.accepts(status) => (DeliveryOutcome::Delivered, EndpointHealth::Healthy),
        410 => (DeliveryOutcome::GivenUp, EndpointHealth::Healthy),
        429 | 503 if retry_after.is_some() => {
            let wait = retry_after.map_or(Duration::ZERO, SignedDuration::unsigned_abs);
            (DeliveryOutcome::Retry(retry_after), EndpointHealth::Throttled(wait))
        }
        500.. => (DeliveryOutcome::Retry(retry_after), EndpointHealth::Unhealthy),
        // The endpoint works; it only rejects this message.
        _ => (DeliveryOutcome::Retry(retry_after), EndpointHealth::Healthy),
    }
}

/// The wait that a `Retry-After` asks for (RFC 9110, section 10.2.3).
fn parse_retry_after(text: &str, now: Timestamp) -> Option<SignedDuration> {
    let wait = match text.trim().parse::<u32>() {
        Ok(seconds) => SignedDuration::from_secs(seconds.into()),
        Err(_) => base::parse_http_date(text.trim())?.duration_since(now),
    };
    Some(wait.max(SignedDuration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::SuccessCriterion;

    fn response(status: u16, retry_after: Option<&str>) -> BufferedResponse {
        let mut headers = HeaderMap::new();
        if let Some(wait) = retry_after {
            headers.insert("retry-after", HeaderValue::from_str(wait).unwrap());
        }
        BufferedResponse { status, headers, body: Vec::new() }
    }

    #[test]
    fn the_status_decides() {
        let message = |success| WebhookMessage {
            url: String::new(),
            verb: WebhookMethod::Post,
            headers: Vec::new(),
            body: String::new(),
            verify_tls: true,
            success,
        };
        let (any, exact) = (message(SuccessCriterion::Any2xx), message(SuccessCriterion::Only200));
        let now: Timestamp = "2026-01-16T14:40:00Z".parse().unwrap();
        let minute = SignedDuration::from_mins(1);
        for (message, status, retry_after, expected) in [
            (&any, 200, None, (DeliveryOutcome::Delivered, EndpointHealth::Healthy)),
            (&any, 204, None, (DeliveryOutcome::Delivered, EndpointHealth::Healthy)),
            (&exact, 204, None, (DeliveryOutcome::Retry(None), EndpointHealth::Healthy)),
            (&any, 301, None, (DeliveryOutcome::Retry(None), EndpointHealth::Healthy)),
            (&any, 404, None, (DeliveryOutcome::Retry(None), EndpointHealth::Healthy)),
            (&any, 410, None, (DeliveryOutcome::GivenUp, EndpointHealth::Healthy)),
            (
                &any,
                429,
                Some("60"),
                (DeliveryOutcome::Retry(Some(minute)), EndpointHealth::Throttled(minute.unsigned_abs())),
            ),
            (
                &any,
                503,
                Some("Fri, 16 Jan 2026 14:41:00 GMT"),
                (DeliveryOutcome::Retry(Some(minute)), EndpointHealth::Throttled(minute.unsigned_abs())),
            ),
            (&any, 503, None, (DeliveryOutcome::Retry(None), EndpointHealth::Unhealthy)),
            (&any, 500, Some("60"), (DeliveryOutcome::Retry(Some(minute)), EndpointHealth::Unhealthy)),
        ] {
            assert_eq!(
                classify(message, &Ok(response(status, retry_after)), now),
                expected,
                "{status} {retry_after:?}"
            );
        }
        let none = Err(FetchError::TooSlow(Duration::from_secs(15)));
        assert_eq!(classify(&any, &none, now), (DeliveryOutcome::Retry(None), EndpointHealth::Unhealthy));
    }
}
