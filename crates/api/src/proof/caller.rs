//! Who asks, and what was sent.

use super::Problem;
use crate::{Api, guard::bearer, wire::body};
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderName, HeaderValue, request::Parts},
};
use domain::{
    idempotency,
    tenancy::tokens::{Bearer, Scope},
};

/// Room for the longest code and the most headers of a notification.
const MOST_BYTES: usize = 256 << 10;
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A caller whose token opens this interface.
pub(crate) struct Caller(pub(super) Bearer);

impl FromRequestParts<Api> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        Ok(Self(bearer::authenticate(api, &parts.headers, &parts.extensions, Scope::PoaVerify).await?))
    }
}

/// The same, with a body that was read whole.
pub(crate) struct Sent {
    pub(super) bearer: Bearer,
    pub(super) body: Bytes,
    pub(super) idempotency_key: Option<String>,
}

impl FromRequest<Api> for Sent {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let Caller(bearer) = Caller::from_request_parts(&mut parts, api).await?;
        let key = match parts.headers.get(IDEMPOTENCY_KEY) {
            Some(value) => Some(key(value)?),
            None => None,
        };
        let patience = api.settings.body_timeout;
        let body = body::read(&parts.headers, body, MOST_BYTES, patience, "send the query alone").await?;
        Ok(Self { bearer, body, idempotency_key: key })
    }
}

/// A key that cannot be kept is refused: whoever sends one relies on it.
fn key(value: &HeaderValue) -> Result<String, Problem> {
    let key = value.to_str().unwrap_or_default().trim();
    if (1..=idempotency::LONGEST).contains(&key.len()) {
        return Ok(key.to_owned());
    }
    let words = format!("Idempotency-Key has 1 to {} ASCII characters", idempotency::LONGEST);
    Err(Problem::new(super::Code::MalformedPayload, words))
}
