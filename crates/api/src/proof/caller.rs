//! Who asks, and what was sent.

use super::Problem;
use crate::{
    Api,
    http::{auth::bearer, body, idempotency},
};
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request},
    http::request::Parts,
};
use domain::tenancy::tokens::{Bearer, Scope};

/// Room for the longest code and the most headers of a notification.
const MAX_BODY_BYTES: usize = 256 << 10;

/// A caller whose token opens this interface.
pub(crate) struct Caller(pub(super) Bearer);

impl FromRequestParts<Api> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        Ok(Self(bearer::authenticate(api, &parts.headers, Scope::PoaVerify).await?))
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
        let key = idempotency::key(&parts.headers)?;
        let patience = api.settings.body_timeout;
        let body = body::read(&parts.headers, body, MAX_BODY_BYTES, patience, "send the query alone").await?;
        Ok(Self { bearer, body, idempotency_key: key })
    }
}
