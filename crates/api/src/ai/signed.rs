//! A request of this interface whose sender is proven.

use super::{Code, Problem};
use crate::{
    Api,
    http::{auth::authenticate_signature, header_text, read_device_metadata},
};
use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
};
use domain::tenancy::{Feature, caller::Caller};

/// A request whose sender is proven (application, signature, time and single use) and may use this interface.
#[derive(Debug)]
pub(crate) struct Signed {
    /// Who sent it.
    pub(super) caller: Caller,
    /// The raw body, at most `server.body_bytes`.
    pub(super) body: Bytes,
}

impl FromRequest<Api> for Signed {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let id = header_text(&parts.headers, api.brand.auth_id());
        let limit = api.settings.body_bytes;
        let signed = authenticate_signature(api, &parts, body, limit, "send a smaller image", id).await?;
        if !signed.caller.features.contains(&Feature::ImageAi) {
            return Err(Problem::new(
                Code::Unauthorized,
                format!("the application may not use {}", Feature::ImageAi),
            ));
        }
        if let Some(metadata) = parts.headers.get(api.brand.device_meta()) {
            read_device_metadata(metadata.as_bytes(), api.brand.device_meta().as_str())
                .map_err(|words| Problem::new(Code::InvalidRequestBody, words))?;
        }
        Ok(Self { caller: signed.caller, body: signed.body })
    }
}
