//! `POST /ai/v1/age-antispoofing-verify`

use super::{
    ImageAnalysisApiError, SignedRequest,
    analysis::{
        self, AgeCheckResult, AnalysisQuery, AntispoofingPrediction, CaptureMetadata, RequestedAnalyses,
        SecureCaptureProof, SubmittedPhoto,
    },
    enum_field::EnumField,
    error,
    explain::Explanation,
    signed_request::AttemptHeaders,
};
use crate::{
    ApiState,
    http::json::{object, whole_number},
};
use axum::{Json, extract::State};
use domain::image_analysis::{LivenessAssurance, ThresholdOperator, ValidationLevel};
use std::borrow::Cow;
use utoipa::ToSchema;

/// The image of a face whose age is to be compared with a threshold, and whose liveness is to be checked.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct AgeAntispoofingVerifyRequest<'a> {
    /// The image in base64; a `data:` prefix is accepted.
    #[serde(borrow, default)]
    #[schema(value_type = String, required = true)]
    img: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "object")]
    metadata: Option<CaptureMetadata>,
    #[serde(default, deserialize_with = "object")]
    secure: Option<SecureCaptureProof>,
    /// Years, 1 to 120.
    #[serde(default, deserialize_with = "whole_number")]
    #[schema(value_type = i64, required = true, minimum = 1, maximum = 120)]
    threshold: Option<i64>,
    /// `OVER` (default) passes at or above the threshold, `UNDER` below it.
    #[serde(default)]
    #[schema(value_type = Option<ThresholdOperator>)]
    operator: EnumField<ThresholdOperator>,
    /// `low`, `medium` (default) or `high`: how sure the answer must be before it says `real`.
    #[serde(default)]
    #[schema(value_type = Option<LivenessAssurance>)]
    level_of_assurance: EnumField<LivenessAssurance>,
    /// `high` only: there is no relaxed mode where liveness is asked for.
    #[serde(default)]
    #[schema(value_type = Option<ValidationLevel>)]
    img_validation_level: EnumField<ValidationLevel>,
}

/// Whether the estimate passes, and whether the face is live.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AgeAntispoofingVerifyResponse {
    age: AgeCheckOutcome,
    antispoofing: AntispoofingPrediction,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explanation>,
}

/// The age outcome.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AgeCheckOutcome {
    /// The outcome.
    age_check: AgeCheckResult,
}

/// Compare the estimated age of a face with a threshold, and tell whether the face is live.
#[utoipa::path(
    post, path = "/ai/v1/age-antispoofing-verify", tag = "image analysis", security(("applicationId" = [], "requestSignature" = [])), params(AnalysisQuery, AttemptHeaders),
    request_body = AgeAntispoofingVerifyRequest,
    responses((status = 200, description = "Outcome and prediction.", body = AgeAntispoofingVerifyResponse), error::CheckLivenessErrors),
)]
pub(crate) async fn age_antispoofing_verify(
    State(api): State<ApiState>,
    switches: AnalysisQuery,
    signed: SignedRequest,
) -> Result<Json<AgeAntispoofingVerifyResponse>, ImageAnalysisApiError> {
    let body: AgeAntispoofingVerifyRequest<'_> = analysis::parse_body(&signed.body)?;
    analysis::check_device(body.metadata.as_ref())?;
    let threshold = Some(analysis::parse_threshold(body.threshold, body.operator)?);
    let liveness = Some(analysis::parse_assurance(body.level_of_assurance)?);
    analysis::require_strict_validation(body.img_validation_level)?;
    let photo = SubmittedPhoto { img: body.img, metadata: body.metadata, secure: body.secure };

    let wanted = RequestedAnalyses {
        operation: "age-antispoofing-verify",
        age: true,
        liveness,
        threshold,
        ..RequestedAnalyses::default()
    };
    let judged = analysis::analyse(&api, &signed, &switches, photo, wanted).await?;

    let mut answer = AgeAntispoofingVerifyResponse {
        age: AgeCheckOutcome { age_check: judged.age_check()? },
        antispoofing: judged.antispoofing_prediction()?,
        explain: None,
    };
    judged.record(&api, &signed, "age-antispoofing-verify", &answer).await?;
    answer.explain = judged.explain;
    Ok(Json(answer))
}
