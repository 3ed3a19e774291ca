//! The server about itself: alive, ready, measured, described.

mod health;
mod metrics;
mod openapi;
mod ready;

pub use metrics::Metrics;
pub use ready::Disk;

use crate::{
    Api, ages, ai,
    http::{ApiError, ErrorTable},
    identity, moderation, proof,
};
use axum::{
    Router,
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

/// Nothing is here: in the words of the interface whose path it is, or else of the image AI's, which has a code for it.
pub(crate) async fn not_found(uri: Uri) -> Response {
    let below = |mounts: &[&str]| {
        mounts.iter().any(|mount| {
            uri.path().strip_prefix(mount).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    match () {
        () if below(&["/poa"]) => no_endpoint::<proof::Code>(),
        () if below(&["/accounts", "/console"]) => no_endpoint::<moderation::Code>(),
        () if below(&["/idverify", "/sandbox/idverify"]) => no_endpoint::<identity::Code>(),
        () if below(&["/api/v1", "/sandbox/api/v1", "/age/v1", "/sandbox/age/v1"]) => {
            no_endpoint::<ages::Code>()
        }
        () => no_endpoint::<ai::Code>(),
    }
}

/// The answer of an interface where nothing is.
fn no_endpoint<T: ErrorTable>() -> Response {
    ApiError::<T>::no_such_endpoint().into_response()
}
