//! Extractors of authenticated requests.

use super::ProofApiError;
use crate::{
    ApiState,
    http::{
        auth::{CallerLookup, bearer},
        body,
        idempotency::{self, operation_of},
    },
};
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request},
    http::request::Parts,
};
use domain::tenancy::tokens::{BearerPrincipal, TokenScope};

/// Room for the longest code and the most headers of a notification.
const MAX_BODY_BYTES: usize = 256 << 10;

/// A caller whose token is valid for this interface.
pub(crate) struct BearerCaller(pub(super) BearerPrincipal);

impl FromRequestParts<ApiState> for BearerCaller {
    type Rejection = ProofApiError;

    async fn from_request_parts(parts: &mut Parts, api: &ApiState) -> Result<Self, ProofApiError> {
        Ok(Self(bearer::authenticate(api, &parts.headers, TokenScope::PoaVerify).await?))
    }
}

/// The same, with a body that was read whole.
pub(crate) struct BearerRequest {
    pub(super) bearer: BearerPrincipal,
    pub(super) body: Bytes,
    /// What the request's answer is stored for, with the key.
    pub(super) operation: String,
    pub(super) idempotency_key: Option<String>,
}

impl FromRequest<ApiState> for BearerRequest {
    type Rejection = ProofApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, ProofApiError> {
        let (mut parts, body) = request.into_parts();
        let lookup = CallerLookup::begin(api);
        let caller = BearerCaller::from_request_parts(&mut parts, api).await?;
        let key = idempotency::idempotency_key(&parts.headers)?;
        let body =
            body::read(api, &parts, Some(caller.0.app), body, MAX_BODY_BYTES, "send the query alone").await?;
        let again = BearerCaller::from_request_parts(&mut parts, api);
        let BearerCaller(bearer) = lookup.renew(api, caller, again).await?;
        Ok(Self { bearer, body, operation: operation_of(&parts), idempotency_key: key })
    }
}
