//! The server about itself: alive, ready, measured, described.

mod health;
mod metrics;
mod openapi;
mod ready;

pub use metrics::Metrics;
pub use ready::Disk;

use crate::{
    Api, ages,
    ai::{Code, Problem},
    identity, moderation, proof,
    wire::RequestId,
};
use axum::{
    Extension, Router,
    http::Uri,
    response::{IntoResponse as _, Redirect, Response},
    routing::get,
};

pub(crate) fn router() -> Router<Api> {
    Router::new()
        .route("/", get(|| async { Redirect::temporary("/reference/") }))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(ready::readyz))
        .route("/metrics", get(metrics::scrape))
        .route("/openapi/{document}", get(openapi::document))
}

/// Nothing is here: in the words of the interface whose path it is, or else of interface 2, which has a code for it.
pub(crate) async fn not_found(uri: Uri, id: Option<Extension<RequestId>>) -> Response {
    match id {
        Some(Extension(RequestId(id))) if uri.path().starts_with("/poa/") => proof::not_found(id),
        _ if ["/accounts", "/console"].iter().any(|mount| below(uri.path(), mount)) => {
            moderation::not_found()
        }
        _ if ["/idverify", "/sandbox/idverify"].iter().any(|mount| below(uri.path(), mount)) => {
            identity::not_found()
        }
        _ if ["/api/v1", "/sandbox/api/v1", "/age/v1", "/sandbox/age/v1"]
            .iter()
            .any(|mount| below(uri.path(), mount)) =>
        {
            ages::not_found()
        }
        _ => no_endpoint(),
    }
}

fn below(path: &str, mount: &str) -> bool {
    path.strip_prefix(mount).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The same where no interface is meant.
pub(crate) fn no_endpoint() -> Response {
    Problem::new(Code::InvalidEndpoint, "there is no such endpoint; the reference is at /reference")
        .into_response()
}

/// The last line of defence: a panic is an answer and a log line, never a dropped connection.
#[expect(clippy::needless_pass_by_value, reason = "the layer hands the cause over")]
pub(crate) fn panicked(cause: Box<dyn std::any::Any + Send>) -> Response {
    note_panic(&*cause);
    Problem::new(Code::UnspecifiedError, "internal error; the log has it under this answer's X-Request-Id")
        .into_response()
}

/// Logs and counts a panic.
pub(crate) fn note_panic(cause: &(dyn std::any::Any + Send)) {
    let words = cause
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| cause.downcast_ref::<&str>().copied())
        .unwrap_or("no words");
    tracing::error!(panic = words, "a handler panicked");
    ::metrics::counter!("assay_panics_total").increment(1);
}
