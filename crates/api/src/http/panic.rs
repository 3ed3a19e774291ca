//! Turns a panic in a handler into an answer and a log line, instead of a dropped connection.

use super::error::{ApiError, ErrorTable};
use axum::response::{IntoResponse as _, Response};
use std::any::Any;
use tower_http::catch_panic::CatchPanicLayer;

/// Turns a panic into an answer.
pub(crate) type PanicHandler = fn(Box<dyn Any + Send>) -> Response;

/// Answers panics with the internal error of an interface.
pub(crate) fn catch_panics<T: ErrorTable>() -> CatchPanicLayer<PanicHandler> {
    CatchPanicLayer::custom(respond::<T> as PanicHandler)
}

#[expect(clippy::needless_pass_by_value, reason = "the layer hands the cause over")]
fn respond<T: ErrorTable>(cause: Box<dyn Any + Send>) -> Response {
    let message = cause
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| cause.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    tracing::error!(panic = message, "a handler panicked");
    metrics::counter!("assay_panics_total").increment(1);
    ApiError::<T>::internal_error().into_response()
}
