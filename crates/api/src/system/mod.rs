//! The server itself: health, readiness, metrics and OpenAPI documents.

mod health;
mod metrics;
mod openapi;
mod readiness;
mod startup;

pub use metrics::MetricsRecorder;
pub use readiness::{DataDisk, ReadinessProbe};
pub use startup::{StartupServer, StartupState, StartupStatus, startup_router};

use crate::{
    ApiState, age_verification, content_moderation, document_verification,
    http::{ApiError, ErrorTable},
    image_analysis, proof_of_age,
};
use axum::{
    Router,
    extract::State,
    http::Uri,
    response::{IntoResponse as _, Redirect, Response},
    routing::get,
};
use domain::operators;
use std::time::Duration;

/// `Retry-After` while the server starts.
const STARTUP_RETRY_AFTER: Duration = Duration::from_secs(2);

/// What everybody may ask.
pub(crate) fn public_router() -> Router<ApiState> {
    Router::new().route("/healthz", get(health::healthz))
}

/// What only operators and developers need.
pub(crate) fn operator_router() -> Router<ApiState> {
    Router::new()
        .route("/readyz", get(readiness::readyz))
        .route("/metrics", get(metrics::scrape))
        .route("/openapi/{document}", get(openapi::openapi_json))
}

/// Leads to the console while nobody has begun to use the server, where its first operator is made; from then on to the reference,
/// if this listener has it.
pub(crate) async fn front_door(State(api): State<ApiState>, uri: Uri) -> Response {
    let is_set_up = async { operators::is_set_up(&mut api.db.read().await?).await };
    // While the database does not answer, there is no operator to make.
    if is_set_up.await.unwrap_or(true) {
        if api.settings.has_admin_listener {
            return not_found(uri).await;
        }
        return to_reference().await.into_response();
    }
    Redirect::temporary("/console/").into_response()
}

/// Leads to the reference.
pub(crate) async fn to_reference() -> Redirect {
    Redirect::temporary("/reference/")
}

/// Answers 404 in the form of the interface that the path belongs to, or else of image analysis, which has a code for
/// it.
pub(crate) async fn not_found(uri: Uri) -> Response {
    Refusal::NoSuchEndpoint.answer(&uri)
}

/// Answers 503 in the form of the interface that the path belongs to.
async fn unavailable(uri: Uri) -> Response {
    Refusal::Unavailable.answer(&uri)
}

/// What is answered where no operation is.
#[derive(Clone, Copy)]
enum Refusal {
    NoSuchEndpoint,
    /// The server has not started yet.
    Unavailable,
}

impl Refusal {
    fn answer(self, uri: &Uri) -> Response {
        let below = |mounts: &[&str]| {
            mounts.iter().any(|mount| {
                uri.path().strip_prefix(mount).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        match () {
            () if below(&["/poa"]) => self.response::<proof_of_age::ProofErrorCode>(),
            () if below(&["/accounts", "/console"]) => {
                self.response::<content_moderation::ModerationErrorCode>()
            }
            () if below(&["/idverify", "/sandbox/idverify"]) => {
                self.response::<document_verification::DocumentErrorCode>()
            }
            () if below(&["/api/v1", "/sandbox/api/v1", "/age/v1", "/sandbox/age/v1"]) => {
                self.response::<age_verification::AgeErrorCode>()
            }
            () => self.response::<image_analysis::ImageAnalysisErrorCode>(),
        }
    }

    fn response<T: ErrorTable>(self) -> Response {
        match self {
            Self::NoSuchEndpoint => ApiError::<T>::no_such_endpoint(),
            Self::Unavailable => ApiError::<T>::busy(STARTUP_RETRY_AFTER),
        }
        .into_response()
    }
}
