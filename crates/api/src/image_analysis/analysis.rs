//! What the six operations share: the photo of the body, the switches of the query, and the steps to an answer.

use super::{
    ImageAnalysisApiError, ImageAnalysisErrorCode, SignedRequest, enum_field::EnumField, explain::Explanation,
};
use crate::{
    ApiState,
    http::json::{object, parse_borrowed},
};
use axum::extract::{FromRequestParts, Query};
use domain::{
    audit::{DecisionRecord, sha256_hex},
    image_analysis::{
        AgeThreshold, AnalysisRequest, ImageAnalysis, LivenessAssurance, LivenessPrediction,
        ThresholdOperator, ValidationLevel,
    },
    secure_capture::{self, CaptureAttestation, CaptureScope, CaptureUse, SecureCaptureError},
};
use serde::Deserialize;
use std::borrow::Cow;
use utoipa::{IntoParams, ToSchema};

/// The part of a body that every operation has.
#[derive(Debug)]
pub(super) struct SubmittedPhoto<'a> {
    pub(super) img: Option<Cow<'a, str>>,
    pub(super) metadata: Option<CaptureMetadata>,
    pub(super) secure: Option<SecureCaptureProof>,
}

/// About the capture.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct CaptureMetadata {
    /// Where the image was taken.
    #[serde(default)]
    #[schema(value_type = Option<CaptureDevice>)]
    device: EnumField<CaptureDevice>,
}

/// Where an image was taken, for the metrics. It does not change the result.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum CaptureDevice {
    Mobile,
    Laptop,
    Unknown,
}

impl CaptureMetadata {
    /// The device as the label of a metric.
    fn device_label(&self) -> &'static str {
        match self.device {
            EnumField::Known(CaptureDevice::Mobile) => "mobile",
            EnumField::Known(CaptureDevice::Laptop) => "laptop",
            EnumField::Known(CaptureDevice::Unknown) => "unknown",
            EnumField::Absent | EnumField::Unknown => "",
        }
    }
}

impl std::str::FromStr for CaptureDevice {
    type Err = ();
    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "mobile" => Ok(Self::Mobile),
            "laptop" => Ok(Self::Laptop),
            "unknown" => Ok(Self::Unknown),
            _ => Err(()),
        }
    }
}

/// Proof that the image comes from Assay's capture module; read when `?secure=true`.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct SecureCaptureProof {
    /// Protocol version, `"1"`.
    #[schema(value_type = String)]
    version: Option<String>,
    /// The session token of `GET /ai/sm/v1/secure/1/token`.
    #[schema(value_type = String)]
    token: Option<String>,
    /// Base64url of the ECDSA P-256 signature over the characters of `verification`.
    #[schema(value_type = String)]
    signature: Option<String>,
    /// Base64url of `{"image": base64url(sha256(image bytes)), "multiframe": false}`.
    #[schema(value_type = String)]
    verification: Option<String>,
}

/// Query switches of the image analysis operations. `nonce` and `timestamp` belong to the signature.
#[derive(Debug, Default, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AnalysisQuery {
    /// Unique for each request: a UUID. A second use is refused.
    #[param(value_type = String, required = true, rename = "nonce")]
    _nonce: Option<String>,
    /// When the request was signed: unix time in seconds, milliseconds or microseconds.
    #[param(value_type = i64, required = true, rename = "timestamp")]
    _timestamp: Option<String>,
    /// `true` adds `explain` to the answer.
    #[param(value_type = Option<bool>)]
    explain: Option<String>,
    /// `true` when the image comes from Assay's capture module and `secure` is in the body.
    #[param(value_type = Option<bool>)]
    secure: Option<String>,
    /// `true` when the module took several frames; only with `secure`.
    #[param(value_type = Option<bool>)]
    multiframe: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for AnalysisQuery {
    type Rejection = std::convert::Infallible;

    /// What the switches say is checked once the caller is known; `SignedRequest` checks the parameters of the signature.
    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        _: &S,
    ) -> Result<Self, Self::Rejection> {
        let pairs: Vec<(String, String)> =
            Query::try_from_uri(&parts.uri).map_or_else(|_| Vec::new(), |Query(pairs)| pairs);
        let switch = |name: &str| {
            let sent = pairs.iter().filter(|(known, _)| known == name).map(|(_, word)| word.as_str());
            let words: Vec<&str> = sent.collect();
            // A switch that is repeated is neither on nor off, so it is refused: `secure` must not be off by mistake.
            (!words.is_empty()).then(|| words.join(","))
        };
        let (explain, secure, multiframe) = (switch("explain"), switch("secure"), switch("multiframe"));
        Ok(Self { explain, secure, multiframe, ..Self::default() })
    }
}

impl AnalysisQuery {
    fn parse_flag(switch: Option<&String>, name: &str) -> Result<bool, ImageAnalysisApiError> {
        match switch.map(String::as_str) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(ImageAnalysisApiError::new(
                ImageAnalysisErrorCode::InvalidRequestBody,
                format!("{name} is true or false"),
            )),
        }
    }
}

/// The analyses that an operation needs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RequestedAnalyses {
    /// The last part of the operation's path.
    pub(super) operation: &'static str,
    pub(super) age: bool,
    pub(super) liveness: Option<LivenessAssurance>,
    pub(super) validation: Option<ValidationLevel>,
    pub(super) threshold: Option<AgeThreshold>,
}

/// What the models found, and the explanation if one was asked for.
#[derive(Debug)]
pub(super) struct AnalysisResult {
    pub(super) finding: ImageAnalysis,
    pub(super) explain: Option<Explanation>,
    image_sha256: Option<String>,
    /// The use of the secure capture, if the image is one.
    captured: Option<CaptureUse>,
    requested: RequestedAnalyses,
}

/// The rules that led to an answer, as decision records keep them. What was not asked is absent: nothing that is signed holds
/// a null.
#[derive(Debug, serde::Serialize)]
struct DecisionRules {
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operator: Option<ThresholdOperator>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level_of_assurance: Option<LivenessAssurance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    img_validation_level: Option<ValidationLevel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    liveness_threshold: Option<f32>,
}

/// What the models answered, as decision records keep it: not rounded, because this is what was compared with the rules. What was
/// not asked is absent.
#[derive(Debug, serde::Serialize)]
struct DecisionOutputs {
    /// The estimate, years.
    #[serde(skip_serializing_if = "Option::is_none")]
    age: Option<f32>,
    /// Its standard deviation, years.
    #[serde(skip_serializing_if = "Option::is_none")]
    st_dev: Option<f32>,
    /// 0 to 1; `real` from [`DecisionRules::liveness_threshold`] on.
    #[serde(skip_serializing_if = "Option::is_none")]
    liveness_score: Option<f32>,
}

/// Reads a body. A device that there is not is told before anything else that is wrong with it.
pub(super) fn parse_body<'a, B: Deserialize<'a>>(body: &'a [u8]) -> Result<B, ImageAnalysisApiError> {
    #[derive(Deserialize)]
    struct CaptureOnly {
        #[serde(default, deserialize_with = "object")]
        metadata: Option<CaptureMetadata>,
    }
    parse_borrowed(body).map_err(|error| {
        let capture = parse_borrowed::<CaptureOnly>(body).ok();
        let device = capture.and_then(|capture| check_device(capture.metadata.as_ref()).err());
        device.unwrap_or_else(|| error.into())
    })
}

/// Refuses a device that there is not, before anything else of the body is looked at.
pub(super) fn check_device(metadata: Option<&CaptureMetadata>) -> Result<(), ImageAnalysisApiError> {
    match metadata {
        Some(CaptureMetadata { device: EnumField::Unknown }) => {
            let words = "metadata.device is one of mobile, laptop, unknown";
            Err(ImageAnalysisApiError::new(ImageAnalysisErrorCode::InvalidMetadataDevice, words))
        }
        _ => Ok(()),
    }
}

/// Validates the photo, and has the models analyse it.
pub(super) async fn analyse(
    api: &ApiState,
    signed: &SignedRequest,
    switches: &AnalysisQuery,
    photo: SubmittedPhoto<'_>,
    wanted: RequestedAnalyses,
) -> Result<AnalysisResult, ImageAnalysisApiError> {
    let device = photo.metadata.as_ref().map_or("", CaptureMetadata::device_label);
    metrics::counter!("assay_image_analyses_total", "operation" => wanted.operation, "device" => device)
        .increment(1);
    let explain = AnalysisQuery::parse_flag(switches.explain.as_ref(), "explain")?;
    let secure = AnalysisQuery::parse_flag(switches.secure.as_ref(), "secure")?;
    let multiframe = AnalysisQuery::parse_flag(switches.multiframe.as_ref(), "multiframe")?;
    if multiframe && !secure {
        return Err(ImageAnalysisApiError::new(
            ImageAnalysisErrorCode::InvalidRequestBody,
            "multiframe is only possible with secure=true",
        ));
    }
    let img = photo.img.filter(|img| !img.is_empty());
    let img = img.ok_or_else(|| {
        ImageAnalysisApiError::new(ImageAnalysisErrorCode::ImageNotProvided, "img is missing or empty")
    })?;
    let image = media::image_validation::decode_base64(&img)?;
    drop(img);
    let mut captured = None;
    if secure {
        let SecureCaptureProof { version, token, signature, verification } = photo.secure.unwrap_or_default();
        let attestation = CaptureAttestation { version, token, signature, verification };
        let scope = CaptureScope { app: signed.caller.app, session: None, multiframe };
        let verified = api.secure_capture.verify(&*api.environment, scope, &attestation, &image)?;
        captured = Some(verified.use_of(&image, wanted.operation));
    }

    let image_sha256 = api.decision_records.is_some().then(|| sha256_hex(&image));
    let relaxed = wanted.validation == Some(ValidationLevel::Low);
    let (age, liveness) = (wanted.age, wanted.liveness);
    let ask = AnalysisRequest { image, relaxed, age, liveness, sharpness: explain };
    let finding = api.image_analyser.for_application(signed.caller.app).analyse(ask).await?;
    let explain = explain.then(|| Explanation::of(&finding, wanted.threshold, &api.settings));
    Ok(AnalysisResult { finding, explain, image_sha256, captured, requested: wanted })
}

impl AnalysisResult {
    /// Records that the secure capture was used, and stores a decision record if the operator keeps them; the answer waits for it.
    /// Only now: a request that failed may be repeated with the same capture.
    pub(super) async fn record<T: serde::Serialize>(
        &self,
        api: &ApiState,
        signed: &SignedRequest,
        operation: &str,
        answer: &T,
    ) -> Result<(), ImageAnalysisApiError> {
        let first = match (&api.decision_records, &self.image_sha256, self.captured) {
            (Some(decisions), Some(hash), captured) => {
                let decision = self.decision(operation, hash, answer);
                decisions.record(&*api.environment, signed.caller.app, &decision, captured).await
            }
            (_, _, Some(captured)) => secure_capture::record_use(&api.db, captured).await,
            (_, _, None) => return Ok(()),
        };
        if first.map_err(|error| ImageAnalysisApiError::unavailable(&error))? {
            Ok(())
        } else {
            Err(SecureCaptureError::AlreadyUsed.into())
        }
    }

    fn decision<'a, T>(
        &'a self,
        operation: &'a str,
        image_sha256: &str,
        answer: &'a T,
    ) -> DecisionRecord<'a, T, DecisionRules, DecisionOutputs> {
        let RequestedAnalyses { liveness, validation, threshold, .. } = self.requested;
        let ImageAnalysis { age: estimate, liveness: scored, models, .. } = &self.finding;
        let rules = DecisionRules {
            threshold: threshold.map(AgeThreshold::years),
            operator: threshold.map(AgeThreshold::operator),
            level_of_assurance: liveness,
            img_validation_level: validation,
            liveness_threshold: scored.as_ref().map(|scored| scored.threshold),
        };
        let outputs = DecisionOutputs {
            age: estimate.as_ref().map(|estimate| estimate.years),
            st_dev: estimate.as_ref().map(|estimate| estimate.st_dev),
            liveness_score: scored.as_ref().map(|scored| scored.score),
        };
        DecisionRecord { operation, image_sha256: image_sha256.to_owned(), answer, rules, outputs, models }
    }

    /// The age and its uncertainty, as every age answer states them.
    pub(super) fn age(&self) -> Result<EstimatedAge, ImageAnalysisApiError> {
        let estimate = self.finding.age.as_ref().ok_or_else(prediction_failed)?;
        Ok(EstimatedAge {
            age: round_to_hundredths(estimate.years),
            st_dev: round_to_hundredths(estimate.st_dev),
        })
    }

    /// `pass` or `fail` against the threshold.
    pub(super) fn age_check(&self) -> Result<AgeCheckResult, ImageAnalysisApiError> {
        let estimate = self.finding.age.as_ref().ok_or_else(prediction_failed)?;
        let threshold = self.requested.threshold.ok_or_else(prediction_failed)?;
        Ok(if threshold.passes(estimate.years.into()) { AgeCheckResult::Pass } else { AgeCheckResult::Fail })
    }

    /// `real` or `fake`.
    pub(super) fn antispoofing_prediction(&self) -> Result<AntispoofingPrediction, ImageAnalysisApiError> {
        let liveness = self.finding.liveness.as_ref().ok_or_else(prediction_failed)?;
        Ok(AntispoofingPrediction { prediction: liveness.prediction })
    }
}

fn prediction_failed() -> ImageAnalysisApiError {
    ImageAnalysisApiError::new(ImageAnalysisErrorCode::FailPrediction, "the models gave no usable answer")
}

/// Two decimals: more would suggest a precision that estimates do not have.
fn round_to_hundredths(value: impl Into<f64>) -> f64 {
    (value.into() * 100.0).round() / 100.0
}

/// An estimated age.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct EstimatedAge {
    /// Estimated age in years.
    #[schema(example = 25.1)]
    age: f64,
    /// Uncertainty in years: about two of three people of this estimate are within one `st_dev`.
    #[schema(example = 4.9)]
    st_dev: f64,
}

/// Whether an estimate passes a threshold.
#[derive(Clone, Copy, Debug, serde::Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AgeCheckResult {
    Pass,
    Fail,
}

/// A liveness answer.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct AntispoofingPrediction {
    #[schema(example = "real")]
    prediction: LivenessPrediction,
}

/// Reads `threshold` and `operator` of the verify operations.
pub(super) fn parse_threshold(
    years: Option<i64>,
    operator: EnumField<ThresholdOperator>,
) -> Result<AgeThreshold, ImageAnalysisApiError> {
    let operator = operator.resolve(
        ThresholdOperator::Over,
        ImageAnalysisErrorCode::InvalidRequestBody,
        "operator",
        ThresholdOperator::VARIANTS,
    )?;
    let years = years.ok_or_else(|| {
        ImageAnalysisApiError::new(ImageAnalysisErrorCode::InvalidRequestBody, "threshold is missing")
    })?;
    AgeThreshold::new(years, operator).map_err(|error| {
        ImageAnalysisApiError::new(ImageAnalysisErrorCode::InvalidRequestBody, error.to_string())
    })
}

/// Reads `level_of_assurance`.
pub(super) fn parse_assurance(
    level: EnumField<LivenessAssurance>,
) -> Result<LivenessAssurance, ImageAnalysisApiError> {
    level.resolve(
        LivenessAssurance::Medium,
        ImageAnalysisErrorCode::InvalidLevelOfAssurance,
        "level_of_assurance",
        LivenessAssurance::VARIANTS,
    )
}

/// Reads `img_validation_level`.
pub(super) fn parse_validation(
    level: EnumField<ValidationLevel>,
) -> Result<ValidationLevel, ImageAnalysisApiError> {
    level.resolve(
        ValidationLevel::High,
        ImageAnalysisErrorCode::InvalidImgValidationLevel,
        "img_validation_level",
        ValidationLevel::VARIANTS,
    )
}

/// Refuses relaxed mode where liveness is checked: a relaxed image says nothing about it.
pub(super) fn require_strict_validation(
    level: EnumField<ValidationLevel>,
) -> Result<(), ImageAnalysisApiError> {
    match parse_validation(level)? {
        ValidationLevel::High => Ok(()),
        ValidationLevel::Low => Err(ImageAnalysisApiError::new(
            ImageAnalysisErrorCode::InvalidImgValidationLevel,
            "relaxed mode is possible only where no liveness is asked for",
        )),
    }
}
