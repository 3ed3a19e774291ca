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
    calling_application::{self, CallingApplication, CallingApplicationError},
    signed_request::{self, CanonicalRequest, RequestSignatureError, TimestampPolicy},
};

/// A sender who was proven, and the body.
#[derive(Debug)]
pub(crate) struct SignedCaller {
    pub(crate) caller: CallingApplication,
    pub(crate) body: Bytes,
}

/// Why a sender was not proven. Each interface says so in its own words.
#[derive(Debug)]
pub(crate) enum SignatureAuthError {
    /// The application may not call.
    Caller(CallingApplicationError),
    /// The signature, its time or its nonce.
    Signature(RequestSignatureError),
    /// The body did not come.
    Body(BodyError),
    /// The organisation is not served.
    Suspended,
    /// The application has used up what the operator allows it.
    RateLimited(RateLimitError),
    /// Something of ours did not answer.
    Unavailable(Box<dyn std::error::Error + Send + Sync>),
}

impl From<RequestSignatureError> for SignatureAuthError {
    fn from(refused: RequestSignatureError) -> Self {
        Self::Signature(refused)
    }
}

/// Proves that a request was sent by the application of this id, at most `limit` bytes long.
///
/// The checks stand in the order of image analysis's table, so that one defect gives exactly its code. The body is read only
/// for a caller that exists.
pub(crate) async fn authenticate_signature(
    api: &ApiState,
    parts: &Parts,
    body: Body,
    limit: usize,
    hint: &'static str,
    id: Option<&str>,
) -> Result<SignedCaller, SignatureAuthError> {
    let caller = {
        let mut view = api.db.read().await.map_err(|error| SignatureAuthError::Unavailable(error.into()))?;
        calling_application::identify(&mut view, id).await.map_err(SignatureAuthError::Caller)?
    };
    let signature = signed_request::parse_digest(header_text(&parts.headers, api.brand.auth_digest()))?;
    let clock = TimestampPolicy {
        now: api.environment.now(),
        max_skew: api.settings.max_clock_skew,
        unclocked: caller.unclocked,
    };
    // What was signed is what was sent, before a host or the sandbox gave the path another form.
    let uri = parts.extensions.get::<SandboxUri>().map_or(&parts.uri, |SandboxUri(uri)| uri);
    let stamps = clock.check_query(uri.query())?;

    let patience = api.settings.body_timeout;
    let body = super::super::body::read(&parts.headers, body, limit, patience, hint).await;
    let body = body.map_err(SignatureAuthError::Body)?;
    signed_request::verify(&caller.keys, &signed_message(&parts.method, uri, &body), &signature)?;
    if caller.org_status != OrganisationStatus::Active {
        return Err(SignatureAuthError::Suspended);
    }
    // Only now: a quota is used up and a nonce burnt by their owner alone.
    request_context::note_application(caller.app);
    count_application(api, caller.app).map_err(SignatureAuthError::RateLimited)?;
    let fresh = api.nonces.use_once(caller.app, stamps.nonce, stamps.remember_until).await;
    if !fresh.map_err(|error| SignatureAuthError::Unavailable(error.into()))? {
        return Err(RequestSignatureError::NonceUsed.into());
    }
    Ok(SignedCaller { caller, body })
}

/// What of a request is signed, as it was received.
fn signed_message<'a>(method: &'a Method, uri: &'a Uri, body: &'a [u8]) -> CanonicalRequest<'a> {
    CanonicalRequest { method: method.as_str(), path: uri.path(), query: uri.query(), body }
}
