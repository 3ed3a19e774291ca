//! `POST /ai/v1/self-checkout/age-antispoofing`

use super::{
    ImageAnalysisApiError, ImageAnalysisErrorCode, SignedRequest,
    age_antispoofing::{AgeAntispoofingResponse, analyse_age_and_liveness},
    analysis::AnalysisQuery,
    antispoofing::AntispoofingRequest,
    error,
};
use crate::ApiState;
use axum::{
    Json,
    extract::{FromRequestParts, State},
    http::{header, request::Parts},
};
use std::convert::Infallible;
use utoipa::IntoParams;

/// Longer ids of terminals are refused, and longer ids of sessions are not logged.
const MAX_ID_BYTES: usize = 200;

/// Headers of a till.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct CheckoutTerminal {
    /// Unique id of the machine, 1 to 200 characters; required unless the call comes from a browser (`Origin`).
    #[param(rename = "Terminal-Id", max_length = 200)]
    terminal_id: Option<String>,
    /// Groups the attempts of one person's transaction in the log.
    #[param(rename = "Session-Id", max_length = 200)]
    session_id: Option<String>,
    #[param(ignore)]
    is_browser: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for CheckoutTerminal {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let id = |name: &str| {
            let id = parts.headers.get(name)?.to_str().ok()?;
            (1..=MAX_ID_BYTES).contains(&id.len()).then(|| id.to_owned())
        };
        Ok(Self {
            terminal_id: id("terminal-id"),
            session_id: id("session-id"),
            is_browser: parts.headers.contains_key(header::ORIGIN),
        })
    }
}

/// Estimate the age of a customer at a till, and tell whether the face is live.
#[utoipa::path(
    post, path = "/ai/v1/self-checkout/age-antispoofing", tag = "image analysis", security(("applicationId" = [], "requestSignature" = [])),
    params(AnalysisQuery, CheckoutTerminal),
    request_body = AntispoofingRequest,
    responses((status = 200, description = "Estimate and prediction.", body = AgeAntispoofingResponse), error::CheckLivenessErrors),
)]
pub(crate) async fn age_antispoofing_at_checkout(
    State(api): State<ApiState>,
    switches: AnalysisQuery,
    terminal: CheckoutTerminal,
    signed: SignedRequest,
) -> Result<Json<AgeAntispoofingResponse>, ImageAnalysisApiError> {
    if terminal.terminal_id.is_none() && !terminal.is_browser {
        let words = "the Terminal-Id header (1 to 200 characters) is missing; only browsers may leave it out";
        return Err(ImageAnalysisApiError::new(ImageAnalysisErrorCode::InvalidRequestBody, words));
    }
    if let Some(session) = terminal.session_id {
        tracing::info!(checkout.session = session, "an attempt at a till");
    }
    analyse_age_and_liveness(&api, &switches, &signed, "self-checkout/age-antispoofing").await
}
