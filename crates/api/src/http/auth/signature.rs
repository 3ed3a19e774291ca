//! Signed requests: `RSASSA-PKCS1-v1_5` with SHA-256 over method, path, query and the raw bytes of the body.

use super::{RateLimitError, count_application};
use crate::{
    ApiState,
    http::{body::BodyError, header_text, request_context, virtual_hosts::SandboxUri},
};
use axum::{
    body::{Body, Bytes},
    http::{Method, Uri, request::Parts},
};
use domain::tenancy::{
    OrganisationStatus,
    calling_application::{CallingApplication, CallingApplicationError},
    signed_request::{self, CanonicalRequest, RequestSignatureError, TimestampPolicy},
};

/// An authenticated sender, and the body.
#[derive(Debug)]
pub(crate) struct SignedCaller {
    pub(crate) caller: CallingApplication,
    pub(crate) body: Bytes,
}

/// Why a sender is not authenticated. Each interface has its own words for it.
#[derive(Debug)]
pub(crate) enum SignatureAuthError {
    /// The application may not call.
    Caller(CallingApplicationError),
    /// The signature, its timestamp or its nonce is wrong.
    Signature(RequestSignatureError),
    /// The body could not be read.
    Body(BodyError),
    /// The organisation is suspended.
    Suspended,
    /// The application has reached its rate limit.
    RateLimited(RateLimitError),
    /// The database or the store of nonces did not answer.
    Unavailable(Box<dyn std::error::Error + Send + Sync>),
}

impl From<RequestSignatureError> for SignatureAuthError {
    fn from(refused: RequestSignatureError) -> Self {
        Self::Signature(refused)
    }
}

/// Authenticates a request by the application of this id; its body has at most `limit` bytes.
///
/// The checks are in the order of image analysis's error table, so that each defect gets its own code. The body is read
/// only for a caller that exists.
pub(crate) async fn authenticate_signature(
    api: &ApiState,
    parts: &Parts,
    body: Body,
    limit: usize,
    hint: &'static str,
    id: Option<&str>,
) -> Result<SignedCaller, SignatureAuthError> {
    let caller = api.calling_applications.identify(id).await.map_err(SignatureAuthError::Caller)?;
    let signature = signed_request::parse_digest(header_text(&parts.headers, api.brand.auth_digest()))?;
    let clock = TimestampPolicy {
        now: api.environment.now(),
        max_skew: api.settings.signature.max_clock_skew,
        unclocked: caller.unclocked,
    };
    // The signature covers the URI as it was sent, before a virtual host or the sandbox changed its path.
    let uri = parts.extensions.get::<SandboxUri>().map_or(&parts.uri, |SandboxUri(uri)| uri);
    let stamps = clock.check_query(uri.query())?;

    let timeout = api.settings.body_timeout;
    let body = super::super::body::read(&parts.headers, body, limit, timeout, hint).await;
    let body = body.map_err(SignatureAuthError::Body)?;
    signed_request::verify(&caller.keys, &signed_message(&parts.method, uri, &body), &signature)?;
    if caller.org_status != OrganisationStatus::Active {
        return Err(SignatureAuthError::Suspended);
    }
    // Only after the signature was verified, so that nobody else can use up an application's quota or nonces.
    request_context::note_application(caller.app);
    count_application(api, caller.app).map_err(SignatureAuthError::RateLimited)?;
    let fresh = api.nonces.use_once(caller.app, stamps.nonce, stamps.remember_until).await;
    if !fresh.map_err(|error| SignatureAuthError::Unavailable(error.into()))? {
        return Err(RequestSignatureError::NonceUsed.into());
    }
    Ok(SignedCaller { caller, body })
}

/// The parts of a request that are signed, as they were received.
fn signed_message<'a>(method: &'a Method, uri: &'a Uri, body: &'a [u8]) -> CanonicalRequest<'a> {
    CanonicalRequest { method: method.as_str(), path: uri.path(), query: uri.query(), body }
}
