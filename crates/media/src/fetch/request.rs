//! Requests and responses.

use super::{FetchError, FetchTarget, FetchTargetError};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, header};
use reqwest::{Client, Response};
use std::{fmt, time::Duration};
use tokio::time::Instant;

/// Headers of a response.
pub(super) const MAX_RESPONSE_HEADERS: usize = 100;
/// Bytes of a response's header names and values, plus 32 for each, as HTTP/2 counts them.
pub(super) const MAX_RESPONSE_HEADER_BYTES: usize = 64 << 10;
/// Longer timeouts are cut to this.
const MAX_TIMEOUT: Duration = Duration::from_hours(24);
/// Bytes that are reserved for a body before any of it arrived.
const INITIAL_BODY_CAPACITY: u64 = 64 << 10;

/// An outgoing request.
#[derive(Clone)]
pub struct FetchRequest {
    pub method: Method,
    /// Headers in addition to those that HTTP itself needs; none for which [`is_reserved`] holds.
    pub headers: HeaderMap,
    /// The body; if it is empty, none is sent.
    pub body: Bytes,
    /// Whether the certificate is verified. The policy must allow requests without verification.
    pub verify_tls: bool,
    /// From name resolution to the last byte of the response; at most a day.
    pub timeout: Duration,
    /// Limit on the response's body, bytes.
    pub max_bytes: u64,
}

impl FetchRequest {
    /// A GET with at most `max_bytes` of response, within ten seconds.
    pub fn get(max_bytes: u64) -> Self {
        Self {
            method: Method::GET,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            verify_tls: true,
            timeout: Duration::from_secs(10),
            max_bytes,
        }
    }

    /// A POST with at most 64 KiB of response, within 15 seconds.
    pub fn post(body: impl Into<Bytes>) -> Self {
        Self {
            method: Method::POST,
            body: body.into(),
            timeout: Duration::from_secs(15),
            ..Self::get(64 << 10)
        }
    }

    pub(super) async fn send(
        self,
        client: &Client,
        target: FetchTarget,
    ) -> Result<StreamingResponse, FetchError> {
        if self.headers.keys().any(is_reserved) {
            return Err(FetchTargetError::Header.into());
        }
        let (timeout, limit) = (self.timeout.min(MAX_TIMEOUT), self.max_bytes);
        let mut request = client.request(self.method, target.into_url()).headers(self.headers);
        if !self.body.is_empty() {
            request = request.body(self.body);
        }
        let deadline = RequestDeadline { at: Instant::now() + timeout, timeout };
        let response = deadline.enforce(request.send()).await?;
        let size =
            |(name, value): (&HeaderName, &header::HeaderValue)| name.as_str().len() + value.len() + 32;
        let headers = response.headers();
        if headers.len() > MAX_RESPONSE_HEADERS
            || headers.iter().map(size).sum::<usize>() > MAX_RESPONSE_HEADER_BYTES
        {
            return Err(FetchError::TooManyHeaders);
        }
        if response.content_length().is_some_and(|bytes| bytes > limit) {
            return Err(FetchError::TooLarge { limit });
        }
        Ok(StreamingResponse { response, deadline, limit, read: 0 })
    }
}

// Headers and bodies contain secrets.
impl fmt::Debug for FetchRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({} of {} bytes)", self.method, self.body.len())
    }
}

/// Whether a header belongs to the connection, so that a caller may not set it: hop-by-hop headers, `Host`,
/// `Content-Length`, and requests to change the protocol.
pub fn is_reserved(name: &HeaderName) -> bool {
    const RESERVED_HEADERS: [HeaderName; 11] = [
        header::CONNECTION,
        header::CONTENT_LENGTH,
        header::EXPECT,
        header::HOST,
        header::PROXY_AUTHENTICATE,
        header::PROXY_AUTHORIZATION,
        header::TE,
        header::TRAILER,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
        header::HeaderName::from_static("http2-settings"),
    ];
    RESERVED_HEADERS.contains(name) || matches!(name.as_str(), "keep-alive" | "proxy-connection")
}

#[derive(Clone, Copy)]
struct RequestDeadline {
    at: Instant,
    timeout: Duration,
}

impl RequestDeadline {
    async fn enforce<T>(
        self,
        work: impl Future<Output = Result<T, reqwest::Error>>,
    ) -> Result<T, FetchError> {
        match tokio::time::timeout_at(self.at, work).await {
            Ok(done) => done.map_err(|error| FetchError::of(&error)),
            Err(_) => Err(FetchError::TooSlow(self.timeout)),
        }
    }
}

/// A response whose body is still to be read, with any status, redirects included.
pub struct StreamingResponse {
    response: Response,
    deadline: RequestDeadline,
    limit: u64,
    read: u64,
}

impl StreamingResponse {
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// The headers: at most 100, and at most 64 KiB.
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// The next bytes of the body; `None` at its end. Fails when the request's timeout or limit is exceeded.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        let chunk = self.deadline.enforce(self.response.chunk()).await?;
        self.read += chunk.as_ref().map_or(0, Bytes::len) as u64;
        if self.read > self.limit { Err(FetchError::TooLarge { limit: self.limit }) } else { Ok(chunk) }
    }

    pub(super) async fn read_to_end(mut self) -> Result<BufferedResponse, FetchError> {
        let expected = self.response.content_length().unwrap_or_default().min(INITIAL_BODY_CAPACITY);
        let mut body = Vec::with_capacity(expected as usize);
        while let Some(chunk) = self.chunk().await? {
            body.extend_from_slice(&chunk);
        }
        let status = self.status();
        Ok(BufferedResponse { status, headers: std::mem::take(self.response.headers_mut()), body })
    }
}

impl fmt::Debug for StreamingResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answering({}, {} bytes so far)", self.status(), self.read)
    }
}

/// A response with any status, redirects included.
#[derive(Clone)]
pub struct BufferedResponse {
    pub status: u16,
    /// The headers: at most 100, and at most 64 KiB.
    pub headers: HeaderMap,
    /// The body as it was sent: compressed, if `Content-Encoding` says so.
    pub body: Vec<u8>,
}

impl fmt::Debug for BufferedResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answered({}, {} bytes)", self.status, self.body.len())
    }
}
