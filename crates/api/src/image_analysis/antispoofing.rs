//! `POST /ai/v1/antispoofing`

use super::{
    ImageAnalysisApiError, SignedRequest,
    analysis::{
        self, AnalysisQuery, AntispoofingPrediction, CaptureMetadata, RequestedAnalyses, SecureCaptureProof,
        SubmittedPhoto,
    },
    enum_field::EnumField,
    error,
    explain::Explanation,
    signed_request::AttemptHeaders,
};
use crate::{ApiState, http::json::object};
use axum::{Json, extract::State};
use domain::image_analysis::{LivenessAssurance, ValidationLevel};
use std::borrow::Cow;
use utoipa::ToSchema;

/// The image of a face whose liveness is to be checked.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct AntispoofingRequest<'a> {
    /// The image in base64; a `data:` prefix is accepted.
    #[serde(borrow, default)]
    #[schema(value_type = String, required = true)]
    pub(super) img: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "object")]
    pub(super) metadata: Option<CaptureMetadata>,
    #[serde(default, deserialize_with = "object")]
    pub(super) secure: Option<SecureCaptureProof>,
    /// `low`, `medium` (default) or `high`: how sure the answer must be before it says `real`.
    #[serde(default)]
    #[schema(value_type = Option<LivenessAssurance>)]
    pub(super) level_of_assurance: EnumField<LivenessAssurance>,
    /// `high` only: there is no relaxed mode where liveness is asked for.
    #[serde(default)]
    #[schema(value_type = Option<ValidationLevel>)]
    pub(super) img_validation_level: EnumField<ValidationLevel>,
}

/// A liveness answer.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AntispoofingResponse {
    #[serde(flatten)]
    antispoofing: AntispoofingPrediction,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explanation>,
}

/// Tell a live face from a picture of one.
#[utoipa::path(
    post, path = "/ai/v1/antispoofing", operation_id = "antispoofing", tag = "image analysis", security(("applicationId" = [], "requestSignature" = [])), params(AnalysisQuery, AttemptHeaders),
    request_body = AntispoofingRequest,
    responses((status = 200, description = "The prediction.", body = AntispoofingResponse), error::CheckLivenessErrors),
)]
pub(crate) async fn detect_spoof(
    State(api): State<ApiState>,
    switches: AnalysisQuery,
    signed: SignedRequest,
) -> Result<Json<AntispoofingResponse>, ImageAnalysisApiError> {
    let body: AntispoofingRequest<'_> = analysis::parse_body(&signed.body)?;
    analysis::check_device(body.metadata.as_ref())?;
    let liveness = Some(analysis::parse_assurance(body.level_of_assurance)?);
    analysis::require_strict_validation(body.img_validation_level)?;
    let photo = SubmittedPhoto { img: body.img, metadata: body.metadata, secure: body.secure };

    let wanted = RequestedAnalyses { operation: "antispoofing", liveness, ..RequestedAnalyses::default() };
    let judged = analysis::analyse(&api, &signed, &switches, photo, wanted).await?;

    let mut answer = AntispoofingResponse { antispoofing: judged.antispoofing_prediction()?, explain: None };
    judged.record(&api, &signed, "antispoofing", &answer).await?;
    answer.explain = judged.explain;
    Ok(Json(answer))
}
