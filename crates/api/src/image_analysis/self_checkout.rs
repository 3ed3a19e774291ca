//! `POST /ai/v1/self-checkout/age-antispoofing`

use super::{
    ImageAnalysisApiError, ImageAnalysisErrorCode, SignedRequest,
    age_antispoofing::{AgeAntispoofingResponse, analyse_age_and_liveness},
    analysis::AnalysisQuery,
    antispoofing::AntispoofingRequest,
    error,
    signed_request::AttemptHeaders,
};
use crate::ApiState;
use axum::{Json, extract::State};

/// Estimate the age of a customer at a till, and tell whether the face is live.
#[utoipa::path(
    post, path = "/ai/v1/self-checkout/age-antispoofing", tag = "image analysis", security(("applicationId" = [], "requestSignature" = [])),
    params(AnalysisQuery, AttemptHeaders),
    request_body = AntispoofingRequest,
    responses((status = 200, description = "Estimate and prediction.", body = AgeAntispoofingResponse), error::CheckLivenessErrors),
)]
pub(crate) async fn age_antispoofing_at_checkout(
    State(api): State<ApiState>,
    switches: AnalysisQuery,
    signed: SignedRequest,
) -> Result<Json<AgeAntispoofingResponse>, ImageAnalysisApiError> {
    if !signed.is_browser && signed.terminal_id.is_none() {
        let words = "the Terminal-Id header (1 to 200 characters) is missing; only browsers may leave it out";
        return Err(ImageAnalysisApiError::new(ImageAnalysisErrorCode::InvalidRequestBody, words));
    }
    analyse_age_and_liveness(&api, &switches, &signed, "self-checkout/age-antispoofing").await
}
