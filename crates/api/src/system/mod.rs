//! The server itself: health, readiness, metrics and OpenAPI documents.

mod health;
mod metrics;
mod openapi;
mod readiness;

pub use metrics::MetricsRecorder;
pub use readiness::DataDisk;

use crate::{
    ApiState, age_verification, content_moderation, document_verification,
    http::{ApiError, ErrorTable},
    image_analysis, proof_of_age,
};
use axum::{
    Router,
    http::Uri,
    response::{IntoResponse as _, Redirect, Response},
    routing::get,
};

/// What everybody may ask.
pub(crate) fn public_router() -> Router<ApiState> {
    Router::new().route("/healthz", get(health::healthz))
}

/// What only operators and developers need.
pub(crate) fn operator_router() -> Router<ApiState> {
    Router::new()
        .route("/", get(|| async { Redirect::temporary("/reference/") }))
        .route("/readyz", get(readiness::readyz))
        .route("/metrics", get(metrics::scrape))
        .route("/openapi/{document}", get(openapi::openapi_json))
}

/// Answers 404 in the form of the interface that the path belongs to, or else of image analysis, which has a code for
/// it.
pub(crate) async fn not_found(uri: Uri) -> Response {
    let below = |mounts: &[&str]| {
        mounts.iter().any(|mount| {
            uri.path().strip_prefix(mount).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    match () {
        () if below(&["/poa"]) => not_found_response::<proof_of_age::ProofErrorCode>(),
        () if below(&["/accounts", "/console"]) => {
            not_found_response::<content_moderation::ModerationErrorCode>()
        }
        () if below(&["/idverify", "/sandbox/idverify"]) => {
            not_found_response::<document_verification::DocumentErrorCode>()
        }
        () if below(&["/api/v1", "/sandbox/api/v1", "/age/v1", "/sandbox/age/v1"]) => {
            not_found_response::<age_verification::AgeErrorCode>()
        }
        () => not_found_response::<image_analysis::ImageAnalysisErrorCode>(),
    }
}

fn not_found_response<T: ErrorTable>() -> Response {
    ApiError::<T>::no_such_endpoint().into_response()
}
