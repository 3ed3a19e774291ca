//! Every answer carries `X-Request-Id`, and every log line of a request the same id.

use crate::{Api, guard::Allowance, wire::text};
use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};
use base::{AppId, Uuid};
use std::{
    sync::{Arc, OnceLock},
    time::Instant,
};
use tracing::Instrument as _;

/// The header that carries the id.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The code of a refusal, on its way to the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ErrorCode(pub(crate) &'static str);

/// The id of a request, for answers that carry it in their body too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestId(pub(crate) Uuid);

/// What a guard learns of a request and whoever logs and answers it wants to know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Noted(Arc<Facts>);

#[derive(Debug, Default)]
struct Facts {
    app: OnceLock<AppId>,
    allowance: OnceLock<Allowance>,
}

impl Noted {
    /// Whose request it proved to be.
    pub(crate) fn caller(&self, app: AppId) {
        let _again = self.0.app.set(app);
    }

    /// What the caller has left.
    pub(crate) fn allowance(&self, allowance: Allowance) {
        let _again = self.0.allowance.set(allowance);
    }
}

/// Gives the request an id, logs one line about it and counts it. Never the query, which carries tokens, nor a body.
pub(crate) async fn trace(State(api): State<Api>, mut request: Request, next: Next) -> Response {
    let id = api.world.uuid();
    let method = request.method().clone();
    // The route, not the path: paths carry ids and would make a metric of their own each.
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |matched| matched.as_str().to_owned());
    let (sdk, sdk_version) = api.wire.sdk();
    let (sdk, sdk_version) = (name(request.headers(), sdk), name(request.headers(), sdk_version));
    let noted = Noted::default();
    request.extensions_mut().insert(noted.clone());
    request.extensions_mut().insert(RequestId(id));
    let span = tracing::info_span!("request", request.id = %id, http.method = %method, http.route = route);
    let started = Instant::now();

    let mut response = next.run(request).instrument(span.clone()).await;

    let took = started.elapsed();
    let status = response.status().as_u16();
    let code = response.extensions().get::<ErrorCode>().map(|code| code.0);
    span.in_scope(|| {
        tracing::info!(
            http.status = status,
            error.code = code,
            took.ms = took.as_millis() as u64,
            app.id = noted.0.app.get().map(tracing::field::display),
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
        headers.insert(HEADER, value);
    }
    if let Some(allowance) = noted.0.allowance.get() {
        headers.insert("ratelimit-limit", allowance.limit.into());
        headers.insert("ratelimit-remaining", allowance.remaining.into());
        headers.insert("ratelimit-reset", (allowance.reset.as_secs_f64().ceil() as u64).into());
    }
    response
}

/// What a client library calls itself: short and plain, or not logged at all.
fn name(headers: &HeaderMap, header: &HeaderName) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" ._-+/()@".contains(&byte);
    text(headers, header).filter(|name| name.len() <= 64 && name.bytes().all(plain)).map(str::to_owned)
}
