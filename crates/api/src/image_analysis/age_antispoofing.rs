//! `POST /ai/v1/age-antispoofing`

use super::{
    ImageAnalysisApiError, SignedRequest,
    analysis::{
        self, AnalysisQuery, AntispoofingPrediction, EstimatedAge, RequestedAnalyses, SubmittedPhoto,
    },
    antispoofing::AntispoofingRequest,
    error,
    explain::Explanation,
    signed_request::AttemptHeaders,
};
use crate::ApiState;
use axum::{Json, extract::State};
use utoipa::ToSchema;

/// An estimated age, and whether the face is live.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AgeAntispoofingResponse {
    antispoofing: AntispoofingPrediction,
    age: EstimatedAge,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explanation>,
}

/// Estimate the age of a face, and tell whether it is live.
#[utoipa::path(
    post, path = "/ai/v1/age-antispoofing", tag = "image analysis", security(("applicationId" = [], "requestSignature" = [])), params(AnalysisQuery, AttemptHeaders),
    request_body = AntispoofingRequest,
    responses((status = 200, description = "Estimate and prediction.", body = AgeAntispoofingResponse), error::CheckLivenessErrors),
)]
pub(crate) async fn age_antispoofing(
    State(api): State<ApiState>,
    switches: AnalysisQuery,
    signed: SignedRequest,
) -> Result<Json<AgeAntispoofingResponse>, ImageAnalysisApiError> {
    analyse_age_and_liveness(&api, &switches, &signed, "age-antispoofing").await
}

/// Shared with the self-checkout variant.
pub(super) async fn analyse_age_and_liveness(
    api: &ApiState,
    switches: &AnalysisQuery,
    signed: &SignedRequest,
    operation: &'static str,
) -> Result<Json<AgeAntispoofingResponse>, ImageAnalysisApiError> {
    let body: AntispoofingRequest<'_> = analysis::parse_body(&signed.body)?;
    analysis::check_device(body.metadata.as_ref())?;
    let liveness = Some(analysis::parse_assurance(body.level_of_assurance)?);
    analysis::require_strict_validation(body.img_validation_level)?;
    let photo = SubmittedPhoto { img: body.img, metadata: body.metadata, secure: body.secure };

    let wanted = RequestedAnalyses { operation, age: true, liveness, ..RequestedAnalyses::default() };
    let judged = analysis::analyse(api, signed, switches, photo, wanted).await?;

    let mut answer = AgeAntispoofingResponse {
        antispoofing: judged.antispoofing_prediction()?,
        age: judged.age()?,
        explain: None,
    };
    judged.record(api, signed, operation, &answer).await?;
    answer.explain = judged.explain;
    Ok(Json(answer))
}
