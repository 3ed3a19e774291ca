//! Signed requests: `RSASSA-PKCS1-v1_5` with SHA-256 over method, path, query and the raw bytes of the body.

use super::{CallerLookup, RateLimitAllowance, RateLimitError, count_application};
use crate::{
    ApiState,
    http::{
        body::{self, BodyError},
        header_text, request_context,
        virtual_hosts::SandboxUri,
    },
};
use axum::{
    body::{Body, Bytes},
    http::{Method, Uri, request::Parts},
};
use base::Uuid;
use domain::tenancy::{
    OrganisationStatus,
    calling_application::{CallingApplication, CallingApplicationError},
    limits::{CallRefusal, CallWindowUsedUpError},
    signed_request::{self, CanonicalRequest, RequestSignatureError, TimestampPolicy},
};
use std::{
    collections::HashMap,
    num::{NonZeroU32, NonZeroUsize},
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::{sync::Semaphore, time::Instant};

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
    /// The address has sent too many signatures that did not verify.
    RateLimited(RateLimitError),
    /// The application has used up its calls.
    CallsUsedUp(CallWindowUsedUpError),
    /// The database or the store of nonces did not answer.
    Unavailable(Box<dyn std::error::Error + Send + Sync>),
}

impl From<CallRefusal> for SignatureAuthError {
    fn from(error: CallRefusal) -> Self {
        match error {
            CallRefusal::UsedUp(refused) => Self::CallsUsedUp(refused),
            CallRefusal::Db(error) => Self::Unavailable(error.into()),
        }
    }
}

impl From<RequestSignatureError> for SignatureAuthError {
    fn from(refused: RequestSignatureError) -> Self {
        // Some codes stand for several reasons, and some client libraries show their users no more than the status.
        tracing::info!(error.reason = %refused, "the signature of a request is refused");
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
    let lookup = CallerLookup::begin(api);
    let identify = async || api.calling_applications.identify(id).await.map_err(SignatureAuthError::Caller);
    let caller = identify().await?;
    let signature = signed_request::parse_digest(header_text(&parts.headers, api.brand.auth_digest()))?;
    // The signature covers the URI as it was sent, before a virtual host or the sandbox changed its path.
    let uri = parts.extensions.get::<SandboxUri>().map_or(&parts.uri, |SandboxUri(uri)| uri);
    let check_query = |caller: &CallingApplication| {
        let clock = TimestampPolicy {
            now: api.environment.now(),
            max_skew: api.settings.signature.max_clock_skew,
            unclocked: caller.unclocked,
        };
        clock.check_query(uri.query())
    };
    check_query(&caller)?;
    signed_request::check_length(&caller.keys, &signature)?;

    // Application ids are public, so until the signature is verified the sender may be anybody.
    let address = api.geo_locator.known_address_key(&parts.headers, &parts.extensions);
    api.signature_guard.check(address).map_err(SignatureAuthError::RateLimited)?;
    let body = body::read(api, parts, None, body, limit, hint).await.map_err(|error| {
        // Whoever signs sends at once; others could hold memory for as long as a body may take.
        if matches!(error, BodyError::Late) {
            api.signature_guard.note_failure(address);
        }
        SignatureAuthError::Body(error)
    })?;
    // A key may have been revoked while the body arrived, or the application disabled.
    let caller = lookup.renew(api, caller, identify()).await?;
    if let Err(refused) =
        api.signature_guard.verify(&caller, parts.method.clone(), uri, &body, signature).await
    {
        if matches!(refused, SignatureAuthError::Signature(_)) {
            api.signature_guard.note_failure(address);
        }
        return Err(refused);
    }
    if caller.org_status != OrganisationStatus::Active {
        return Err(SignatureAuthError::Suspended);
    }
    // Only after the signature was verified, so that nobody else can use up an application's quota or nonces.
    request_context::note_application(caller.app);
    count_application(api, caller.app, &caller.limits).await?;
    // The sender decides how long the body takes. An earlier use of the nonce is forgotten once its timestamp is refused, so
    // the timestamp must still be right, and not only when the request began: also when the nonce was found unused.
    let stamps = check_query(&caller)?;
    let fresh = api.nonces.use_once(caller.app, stamps.nonce, stamps.remember_until).await;
    if !fresh.map_err(|error| SignatureAuthError::Unavailable(error.into()))? {
        return Err(RequestSignatureError::NonceUsed.into());
    }
    check_query(&caller)?;
    Ok(SignedCaller { caller, body })
}

/// Bodies from this size on are hashed off the threads that answer requests, bytes.
const BLOCKING_BODY_BYTES: usize = 128 << 10;
/// How long failures of an address count.
const FAILURE_WINDOW: Duration = Duration::from_mins(1);
/// Addresses whose failures are counted; when there are more, all are forgotten.
const MAX_COUNTED_ADDRESSES: usize = 100_000;

/// Bounds what signatures cost that do not verify. Each process counts separately.
#[derive(Debug)]
pub struct SignatureGuard {
    /// Large bodies are hashed by as many threads as there are cores, and no more.
    hashing: Semaphore,
    max_failures: NonZeroU32,
    /// By address: since when its failures count, and how many there were.
    failures: Mutex<HashMap<Uuid, (Instant, u32)>>,
}

impl SignatureGuard {
    /// Allows an address so many failures in a minute.
    pub fn new(max_failures: NonZeroU32) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { hashing: Semaphore::new(cores), max_failures, failures: Mutex::default() }
    }

    /// Refuses an address that has failed too often within a minute.
    fn check(&self, address: Option<Uuid>) -> Result<(), RateLimitError> {
        let Some(address) = address else { return Ok(()) };
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        match failures.get(&address) {
            Some((since, failed)) if *failed >= self.max_failures.get() => {
                let reset = FAILURE_WINDOW.saturating_sub(since.elapsed());
                let limit = self.max_failures.get();
                if reset.is_zero() {
                    return Ok(());
                }
                Err(RateLimitError(RateLimitAllowance { limit, remaining: 0, reset }))
            }
            _ => Ok(()),
        }
    }

    fn note_failure(&self, address: Option<Uuid>) {
        let Some(address) = address else { return };
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MAX_COUNTED_ADDRESSES {
            failures.clear();
        }
        let (since, failed) = failures.entry(address).or_insert_with(|| (Instant::now(), 0));
        if since.elapsed() >= FAILURE_WINDOW {
            (*since, *failed) = (Instant::now(), 0);
        }
        *failed = failed.saturating_add(1);
    }

    /// Forgets failures that count no more; to be called every few minutes.
    pub fn evict_old_failures(&self) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|_, (since, _)| since.elapsed() < FAILURE_WINDOW);
    }

    /// Verifies a signature over a request, as it was received.
    async fn verify(
        &self,
        caller: &CallingApplication,
        method: Method,
        uri: &Uri,
        body: &Bytes,
        signature: Vec<u8>,
    ) -> Result<(), SignatureAuthError> {
        let (keys, uri, bytes) = (caller.keys.clone(), uri.clone(), body.clone());
        let verify = move || {
            let (path, query) = (uri.path(), uri.query());
            let message = CanonicalRequest { method: method.as_str(), path, query, body: &bytes };
            signed_request::verify(&keys, &message, &signature)
        };
        if body.len() < BLOCKING_BODY_BYTES {
            return verify().map_err(SignatureAuthError::Signature);
        }
        let unavailable =
            |error: Box<dyn std::error::Error + Send + Sync>| SignatureAuthError::Unavailable(error);
        let _turn = self.hashing.acquire().await.map_err(|error| unavailable(error.into()))?;
        let verified = tokio::task::spawn_blocking(verify).await;
        // Without the message of a panic, which may quote the request.
        let verified = verified.map_err(|broken| unavailable(std::io::Error::from(broken).into()))?;
        verified.map_err(SignatureAuthError::Signature)
    }
}
