//! Headers that protect browsers, on every answer: of interfaces, pages and refusals alike.

use axum::{
    extract::{Request, State},
    http::{HeaderName, HeaderValue, header},
    middleware::Next,
    response::Response,
};
use std::sync::Arc;

/// For answers that are no pages: whatever a browser takes them for, they load nothing and are shown in no frame.
const NO_PAGE_POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
/// For the reference: its own scripts, styles and pictures. Swagger UI sets styles in the page.
const REFERENCE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
/// A year, for this host name alone: other names may be nobody's but the operator's.
const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=31536000");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");

/// Which headers are added.
#[derive(Debug)]
pub(crate) struct SecurityHeaders {
    /// Whether callers reach this server by https, so that browsers may be told to use nothing else.
    is_https: bool,
}

impl SecurityHeaders {
    pub(crate) fn new(public_url: &str) -> Self {
        Self { is_https: public_url.starts_with("https://") }
    }
}

/// Adds what the answer does not have already; pages have policies of their own.
pub(crate) async fn add_security_headers(
    State(security): State<Arc<SecurityHeaders>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut add = |name: HeaderName, value| {
        headers.entry(name).or_insert(value);
    };
    add(header::CONTENT_SECURITY_POLICY, NO_PAGE_POLICY);
    add(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    add(header::REFERRER_POLICY, NO_REFERRER);
    if security.is_https {
        add(header::STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT);
    }
    response
}

/// Lets the reference load what it consists of.
pub(crate) async fn allow_reference_page(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, REFERENCE_POLICY);
    response
}
