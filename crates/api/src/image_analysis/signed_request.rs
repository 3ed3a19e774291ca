//! Requests of this interface whose sender is authenticated.

use super::{ImageAnalysisApiError, ImageAnalysisErrorCode, transaction_attempts::attempt_label};
use crate::{
    ApiState,
    http::{auth::authenticate_signature, header_text, read_device_metadata},
};
use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::header,
};
use domain::tenancy::{Feature, calling_application::CallingApplication};
use utoipa::IntoParams;

/// Longer ids of terminals and sessions are ignored.
const MAX_ID_BYTES: usize = 200;

/// Headers that say where an image was taken.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "they describe the headers, which `SignedRequest` reads")]
pub(crate) struct AttemptHeaders {
    /// Unique id of the machine, 1 to 200 characters. Self-checkout needs it unless the call comes from a browser
    /// (`Origin`); elsewhere it has no effect.
    #[param(rename = "Terminal-Id", max_length = 200)]
    terminal_id: Option<String>,
    /// Groups the attempts of one person's transaction in the log and the metrics, 1 to 200 characters.
    #[param(rename = "Session-Id", max_length = 200)]
    session_id: Option<String>,
}

/// A request whose sender is authenticated (application, signature, time and single use) and may use this interface.
#[derive(Debug)]
pub(crate) struct SignedRequest {
    pub(super) caller: CallingApplication,
    /// The raw body, at most `server.body_bytes`.
    pub(super) body: Bytes,
    /// The id of the terminal, if one was sent.
    pub(super) terminal_id: Option<String>,
    /// Whether a browser sent it.
    pub(super) is_browser: bool,
}

impl FromRequest<ApiState> for SignedRequest {
    type Rejection = ImageAnalysisApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, ImageAnalysisApiError> {
        let (parts, body) = request.into_parts();
        let id = header_text(&parts.headers, api.brand.auth_id());
        let limit = api.settings.max_image_body_bytes;
        let signed = authenticate_signature(api, &parts, body, limit, "send a smaller image", id).await?;
        if !signed.caller.features.contains(&Feature::ImageAi) {
            return Err(ImageAnalysisApiError::new(
                ImageAnalysisErrorCode::Unauthorized,
                format!("the application may not use {}", Feature::ImageAi),
            ));
        }
        if let Some(metadata) = parts.headers.get(api.brand.device_meta()) {
            read_device_metadata(metadata.as_bytes(), api.brand.device_meta().as_str()).map_err(|words| {
                ImageAnalysisApiError::new(ImageAnalysisErrorCode::InvalidRequestBody, words)
            })?;
        }
        let id = |name: &str| {
            let id = parts.headers.get(name)?.to_str().ok()?;
            (1..=MAX_ID_BYTES).contains(&id.len()).then(|| id.to_owned())
        };
        if let Some(session) = id("session-id") {
            let attempts = &api.transaction_attempts;
            let number = attempts.count(signed.caller.app, &session, api.environment.now());
            tracing::info!(checkout.session = session, checkout.attempt = number, "an attempt at a till");
            let label = attempt_label(number);
            metrics::counter!("assay_transaction_attempts_total", "attempt" => label).increment(1);
        }
        Ok(Self {
            caller: signed.caller,
            body: signed.body,
            terminal_id: id("terminal-id"),
            is_browser: parts.headers.contains_key(header::ORIGIN),
        })
    }
}
