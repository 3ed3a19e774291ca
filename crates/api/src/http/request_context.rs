//! The context of the request that is being answered: its id, the authenticated application, and what is left of the
//! rate limit. Every answer has the id in `X-Request-Id`, and so has every log line of a request.

use super::{Brand, auth::RateLimitAllowance, error::LoggedErrorCode, header_text};
use crate::ApiState;
use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};
use base::{AppId, Uuid};
use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
    time::Instant,
};
use tracing::Instrument as _;

pub(crate) const REQUEST_ID_HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// Longer names of client libraries are not logged.
const MAX_SDK_NAME_BYTES: usize = 64;

#[derive(Debug)]
struct RequestContext {
    id: Uuid,
    brand: Brand,
    app: OnceLock<AppId>,
    allowance: OnceLock<RateLimitAllowance>,
}

tokio::task_local! {
    static CURRENT_CONTEXT: Arc<RequestContext>;
}

/// The id of the current request; nil outside of a request.
pub(crate) fn request_id() -> Uuid {
    CURRENT_CONTEXT.try_with(|context| context.id).unwrap_or_default()
}

/// An error code with this server's brand in it.
pub(crate) fn brand_code(code: &'static str) -> Cow<'static, str> {
    CURRENT_CONTEXT.try_with(|context| context.brand.code(code)).unwrap_or(Cow::Borrowed(code))
}

/// Records which application the request was authenticated as.
pub(crate) fn note_application(app: AppId) {
    let _outside_of_a_request = CURRENT_CONTEXT.try_with(|context| context.app.set(app).is_ok());
}

/// Records what is left of the caller's rate limit.
pub(crate) fn note_allowance(allowance: RateLimitAllowance) {
    let _outside_of_a_request = CURRENT_CONTEXT.try_with(|context| context.allowance.set(allowance).is_ok());
}

/// Gives the request an id, logs one line about it and counts it. Neither the query, which carries tokens, nor a body
/// is logged.
pub(crate) async fn trace_request(State(api): State<ApiState>, request: Request, next: Next) -> Response {
    let id = api.environment.uuid_v7();
    let method = request.method().clone();
    // The route, not the path: paths carry ids, and each would become a metric of its own.
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |matched| matched.as_str().to_owned());
    let (sdk, sdk_version) = api.brand.sdk();
    let (sdk, sdk_version) = (sdk_name(request.headers(), sdk), sdk_name(request.headers(), sdk_version));
    let context = Arc::new(RequestContext {
        id,
        brand: api.brand.clone(),
        app: OnceLock::new(),
        allowance: OnceLock::new(),
    });
    let span = tracing::info_span!("request", request.id = %id, http.method = %method, http.route = route);
    let started = Instant::now();

    let answered = CURRENT_CONTEXT.scope(context.clone(), next.run(request));
    let mut response = answered.instrument(span.clone()).await;

    let took = started.elapsed();
    let status = response.status().as_u16();
    let code = response.extensions().get::<LoggedErrorCode>().map(|code| code.0);
    span.in_scope(|| {
        tracing::info!(
            http.status = status,
            error.code = code,
            took.ms = took.as_millis() as u64,
            app.id = context.app.get().map(tracing::field::display),
            sdk.name = sdk,
            sdk.version = sdk_version,
            "answered"
        );
    });
    let labels =
        [("route", route), ("status", status.to_string()), ("code", code.unwrap_or_default().to_owned())];
    metrics::counter!("assay_http_requests_total", &labels).increment(1);
    metrics::histogram!("assay_http_request_seconds", &labels[..1]).record(took.as_secs_f64());
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
        headers.insert(REQUEST_ID_HEADER, value);
    }
    if let Some(allowance) = context.allowance.get() {
        headers.insert("ratelimit-limit", allowance.limit.into());
        headers.insert("ratelimit-remaining", allowance.remaining.into());
        headers.insert("ratelimit-reset", (allowance.reset.as_secs_f64().ceil() as u64).into());
    }
    response
}

/// The name of a client library; `None` unless it is short and has plain characters only, because it is logged.
fn sdk_name(headers: &HeaderMap, header: &HeaderName) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" ._-+/()@".contains(&byte);
    header_text(headers, header)
        .filter(|name| name.len() <= MAX_SDK_NAME_BYTES && name.bytes().all(plain))
        .map(str::to_owned)
}
