//! `POST /ai/v1/age`

use super::{
    ImageAnalysisApiError, SignedRequest,
    analysis::{
        self, AnalysisQuery, CaptureMetadata, EstimatedAge, RequestedAnalyses, SecureCaptureProof,
        SubmittedPhoto,
    },
    enum_field::EnumField,
    error,
    explain::Explanation,
    signed_request::AttemptHeaders,
};
use crate::{ApiState, http::json::object};
use axum::{Json, extract::State};
use domain::image_analysis::ValidationLevel;
use std::borrow::Cow;
use utoipa::ToSchema;

/// The image of a face whose age is to be estimated.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct AgeRequest<'a> {
    /// The image in base64; a `data:` prefix is accepted.
    #[serde(borrow, default)]
    #[schema(value_type = String, required = true)]
    img: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "object")]
    metadata: Option<CaptureMetadata>,
    #[serde(default, deserialize_with = "object")]
    secure: Option<SecureCaptureProof>,
    /// `high` (default) or `low`: relaxed, for images that were not captured live.
    #[serde(default)]
    #[schema(value_type = Option<ValidationLevel>)]
    img_validation_level: EnumField<ValidationLevel>,
}

/// An estimated age.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AgeResponse {
    #[serde(flatten)]
    age: EstimatedAge,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explanation>,
}

/// Estimate the age of the face in an image.
#[utoipa::path(
    post, path = "/ai/v1/age", operation_id = "age", tag = "image analysis", security(("applicationId" = [], "requestSignature" = [])), params(AnalysisQuery, AttemptHeaders),
    request_body = AgeRequest,
    responses((status = 200, description = "The estimate.", body = AgeResponse), error::EstimateAgeErrors),
)]
pub(crate) async fn estimate_age(
    State(api): State<ApiState>,
    switches: AnalysisQuery,
    signed: SignedRequest,
) -> Result<Json<AgeResponse>, ImageAnalysisApiError> {
    let body: AgeRequest<'_> = analysis::parse_body(&signed.body)?;
    analysis::check_device(body.metadata.as_ref())?;
    let validation = Some(analysis::parse_validation(body.img_validation_level)?);
    let photo = SubmittedPhoto { img: body.img, metadata: body.metadata, secure: body.secure };

    let wanted =
        RequestedAnalyses { operation: "age", age: true, validation, ..RequestedAnalyses::default() };
    let judged = analysis::analyse(&api, &signed, &switches, photo, wanted).await?;

    let mut answer = AgeResponse { age: judged.age()?, explain: None };
    judged.record(&api, &signed, "age", &answer).await?;
    answer.explain = judged.explain;
    Ok(Json(answer))
}
