//! `POST /ai/v1/age-verify`

use super::{
    ImageAnalysisApiError, SignedRequest,
    analysis::{
        self, AgeCheckResult, AnalysisQuery, CaptureMetadata, RequestedAnalyses, SecureCaptureProof,
        SubmittedPhoto,
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
use domain::image_analysis::{ThresholdOperator, ValidationLevel};
use std::borrow::Cow;
use utoipa::ToSchema;

/// The image of a face whose age is to be compared with a threshold.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct AgeVerifyRequest<'a> {
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
    /// `high` (default) or `low`: relaxed, for images that were not captured live.
    #[serde(default)]
    #[schema(value_type = Option<ValidationLevel>)]
    img_validation_level: EnumField<ValidationLevel>,
}

/// Whether the estimate passes.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AgeVerifyResponse {
    /// The outcome.
    age_check: AgeCheckResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explanation>,
}

/// Compare the estimated age of a face with a threshold.
#[utoipa::path(
    post, path = "/ai/v1/age-verify", operation_id = "age_verify", tag = "image analysis", security(("applicationId" = [], "requestSignature" = [])), params(AnalysisQuery, AttemptHeaders),
    request_body = AgeVerifyRequest,
    responses((status = 200, description = "The outcome.", body = AgeVerifyResponse), error::EstimateAgeErrors),
)]
pub(crate) async fn verify_age(
    State(api): State<ApiState>,
    switches: AnalysisQuery,
    signed: SignedRequest,
) -> Result<Json<AgeVerifyResponse>, ImageAnalysisApiError> {
    let body: AgeVerifyRequest<'_> = analysis::parse_body(&signed.body)?;
    analysis::check_device(body.metadata.as_ref())?;
    let threshold = Some(analysis::parse_threshold(body.threshold, body.operator)?);
    let validation = Some(analysis::parse_validation(body.img_validation_level)?);
    let photo = SubmittedPhoto { img: body.img, metadata: body.metadata, secure: body.secure };

    let wanted = RequestedAnalyses {
        operation: "age-verify",
        age: true,
        validation,
        threshold,
        ..RequestedAnalyses::default()
    };
    let judged = analysis::analyse(&api, &signed, &switches, photo, wanted).await?;

    let mut answer = AgeVerifyResponse { age_check: judged.age_check()?, explain: None };
    judged.record(&api, &signed, "age-verify", &answer).await?;
    answer.explain = judged.explain;
    Ok(Json(answer))
}
