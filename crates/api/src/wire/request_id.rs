//! Every answer carries `X-Request-Id`, and every log line of a request the same id.

use crate::Api;
use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};
use std::time::Instant;
use tracing::Instrument as _;

/// The header that carries the id.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Gives the request an id, logs one line about it and counts it. Never the query, which carries tokens, nor a body.
pub(crate) async fn trace(State(api): State<Api>, request: Request, next: Next) -> Response {
    let id = api.world.uuid();
    let method = request.method().clone();
    // The route, not the path: paths carry ids and would make a metric of their own each.
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |matched| matched.as_str().to_owned());
    let span = tracing::info_span!("request", request.id = %id, http.method = %method, http.route = route);
    let started = Instant::now();

    let mut response = next.run(request).instrument(span.clone()).await;

    let took = started.elapsed();
    let status = response.status().as_u16();
    let code = response.extensions().get::<crate::ai::Code>().map_or("", |code| code.as_str());
    span.in_scope(|| {
        tracing::info!(
            http.status = status,
            error.code = code,
            took.ms = took.as_millis() as u64,
            "answered"
        );
    });
    let labels = [("route", route), ("status", status.to_string()), ("code", code.to_owned())];
    metrics::counter!("assay_http_requests_total", &labels).increment(1);
    metrics::histogram!("assay_http_request_seconds", &labels[..1]).record(took.as_secs_f64());
    if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
        response.headers_mut().insert(HEADER, value);
    }
    response
}
