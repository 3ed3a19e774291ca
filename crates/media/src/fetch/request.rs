//! A call, and what comes back.

use super::{FetchError, FetchTarget, FetchTargetError};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, header};
use reqwest::{Client, Response};
use std::{fmt, time::Duration};
use tokio::time::Instant;

/// Headers of an answer.
pub(super) const MAX_RESPONSE_HEADERS: usize = 100;
/// Bytes of their names and values, and 32 for each, as HTTP/2 counts them.
pub(super) const MAX_RESPONSE_HEADER_BYTES: usize = 64 << 10;
/// Longer is nobody waited for.
const MAX_TIMEOUT: Duration = Duration::from_hours(24);
/// What is set aside for a body before any of it came.
const INITIAL_BODY_CAPACITY: u64 = 64 << 10;

/// A call to be made.
#[derive(Clone)]
pub struct FetchRequest {
    /// The method.
    pub method: Method,
    /// Headers beside those that HTTP itself needs; none that [`is_reserved`].
    pub headers: HeaderMap,
    /// The body; none where it is empty.
    pub body: Bytes,
    /// Whether the certificate must be right. Calls that do not care must be allowed by the policy.
    pub verify_tls: bool,
    /// From the name's lookup to the last byte of the answer; at most a day.
    pub timeout: Duration,
    /// The most bytes of the answer's body.
    pub max_bytes: u64,
}

impl FetchRequest {
    /// A GET of at most `most_bytes`, within ten seconds.
    pub fn get(most_bytes: u64) -> Self {
        Self {
            method: Method::GET,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            verify_tls: true,
            timeout: Duration::from_secs(10),
            max_bytes: most_bytes,
        }
    }

    /// A POST of a body, within 15 seconds; at most 64 KiB of answer are read.
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

// Headers and bodies carry secrets.
impl fmt::Debug for FetchRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({} of {} bytes)", self.method, self.body.len())
    }
}

/// Whether a header is the connection's own, so that nobody else sets it: hop-by-hop ones, `Host`, `Content-Length` and
/// what asks for another way to talk.
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

/// An answer whose body is still to be read. Any status comes back, redirects too.
pub struct StreamingResponse {
    response: Response,
    deadline: RequestDeadline,
    limit: u64,
    read: u64,
}

impl StreamingResponse {
    /// The status.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// The headers: at most 100, and 64 KiB.
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// The next bytes of the body; nothing at its end. Fails where the call's time is over or its limit reached.
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

/// What came back; any status, redirects too.
#[derive(Clone)]
pub struct BufferedResponse {
    /// The status.
    pub status: u16,
    /// The headers: at most 100, and 64 KiB.
    pub headers: HeaderMap,
    /// The body, as it was sent: compressed, where `Content-Encoding` says so.
    pub body: Vec<u8>,
}

impl fmt::Debug for BufferedResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answered({}, {} bytes)", self.status, self.body.len())
    }
}
