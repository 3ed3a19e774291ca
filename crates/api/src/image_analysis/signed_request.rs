//! Requests of this interface whose sender is authenticated.

use super::{ImageAnalysisApiError, ImageAnalysisErrorCode};
use crate::{
    ApiState,
    http::{auth::authenticate_signature, header_text, read_device_metadata},
};
use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
};
use domain::tenancy::{Feature, calling_application::CallingApplication};

/// A request whose sender is authenticated (application, signature, time and single use) and may use this interface.
#[derive(Debug)]
pub(crate) struct SignedRequest {
    pub(super) caller: CallingApplication,
    /// The raw body, at most `server.body_bytes`.
    pub(super) body: Bytes,
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
        Ok(Self { caller: signed.caller, body: signed.body })
    }
}
