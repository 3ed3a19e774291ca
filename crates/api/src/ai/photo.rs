//! What the six operations share: the photo of the body, the switches of the query, and the way to an answer.

use super::{Code, Problem, Signed, enum_field::EnumField, explain::Explain};
use crate::Api;
use axum::extract::{FromRequestParts, Query};
use domain::{
    audit::{Decision, sha256},
    estimate::{Ask, Assurance, Finding, Operator, Prediction, Threshold, Validation},
    secure_capture::Capture,
};
use serde::Deserialize;
use std::borrow::Cow;
use utoipa::{IntoParams, ToSchema};

/// The part of a body that every operation has.
#[derive(Debug)]
pub(super) struct Photo<'a> {
    pub(super) img: Option<Cow<'a, str>>,
    pub(super) metadata: Option<Metadata>,
    pub(super) secure: Option<SecureCapture>,
}

/// About the capture.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Metadata {
    /// Where the image was taken.
    #[serde(default)]
    #[schema(value_type = Option<CaptureDevice>)]
    device: EnumField<CaptureDevice>,
}

/// Where an image was taken. It changes nothing.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum CaptureDevice {
    Mobile,
    Laptop,
    Unknown,
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
pub(crate) struct SecureCapture {
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

/// Query switches of the image AI operations. `nonce` and `timestamp` belong to the signature.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Switches {
    /// Unique for each request: a UUID. A second use is refused.
    #[param(value_type = String, required = true)]
    #[serde(rename = "nonce")]
    _nonce: Option<String>,
    /// When the request was signed: unix time in seconds, milliseconds or microseconds.
    #[param(value_type = i64, required = true)]
    #[serde(rename = "timestamp")]
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

impl<S: Send + Sync> FromRequestParts<S> for Switches {
    type Rejection = std::convert::Infallible;

    /// A query that does not read as one has no switches; the signature's own parameters are the guard's business.
    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        _: &S,
    ) -> Result<Self, Self::Rejection> {
        Ok(Query::try_from_uri(&parts.uri).map_or_else(|_| Self::none(), |Query(switches)| switches))
    }
}

impl Switches {
    fn none() -> Self {
        Self { _nonce: None, _timestamp: None, explain: None, secure: None, multiframe: None }
    }

    fn on(switch: Option<&String>, name: &str) -> Result<bool, Problem> {
        match switch.map(String::as_str) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(Problem::new(Code::InvalidRequestBody, format!("{name} is true or false"))),
        }
    }
}

/// What an operation wants to know.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted {
    pub(super) age: bool,
    pub(super) liveness: Option<Assurance>,
    pub(super) validation: Option<Validation>,
    pub(super) threshold: Option<Threshold>,
}

/// What the models found, and the explanation if one was asked for.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) finding: Finding,
    pub(super) explain: Option<Explain>,
    image_sha256: Option<String>,
    wanted: Wanted,
}

/// The rules that led to an answer, as decision records keep them.
#[derive(Debug, serde::Serialize)]
struct DecisionRules {
    threshold: Option<f64>,
    operator: Option<Operator>,
    level_of_assurance: Option<Assurance>,
    img_validation_level: Option<Validation>,
    liveness_threshold: Option<f32>,
}

/// Takes the photo through the gates and the models.
pub(super) async fn judge(
    api: &Api,
    signed: &Signed,
    switches: &Switches,
    photo: Photo<'_>,
    wanted: Wanted,
) -> Result<Judged, Problem> {
    if let Some(Metadata { device: EnumField::Unknown }) = photo.metadata {
        let words = "metadata.device is one of mobile, laptop, unknown";
        return Err(Problem::new(Code::InvalidMetadataDevice, words));
    }
    let explain = Switches::on(switches.explain.as_ref(), "explain")?;
    let secure = Switches::on(switches.secure.as_ref(), "secure")?;
    let multiframe = Switches::on(switches.multiframe.as_ref(), "multiframe")?;
    if multiframe && !secure {
        return Err(Problem::new(Code::InvalidRequestBody, "multiframe is only possible with secure=true"));
    }
    let img = photo.img.filter(|img| !img.is_empty());
    let img = img.ok_or_else(|| Problem::new(Code::ImageNotProvided, "img is missing or empty"))?;
    let image = media::gate::unbase64(&img)?;
    drop(img);
    if secure {
        let SecureCapture { version, token, signature, verification } = photo.secure.unwrap_or_default();
        let capture = Capture { version, token, signature, verification };
        api.secure_capture.check(&*api.world, signed.caller.app, &capture, &image, multiframe)?;
    }

    let image_sha256 = api.decisions.is_some().then(|| sha256(&image));
    let relaxed = wanted.validation == Some(Validation::Low);
    let ask = Ask { image, relaxed, age: wanted.age, liveness: wanted.liveness };
    let finding = api.estimator.answer(ask).await?;
    let explain = explain.then(|| Explain::of(&finding, wanted.threshold, &api.settings));
    Ok(Judged { finding, explain, image_sha256, wanted })
}

impl Judged {
    /// Keeps a decision record, where records are kept; the answer waits for it.
    pub(super) async fn keep<T: serde::Serialize>(
        &self,
        api: &Api,
        signed: &Signed,
        operation: &str,
        answer: &T,
    ) -> Result<(), Problem> {
        let (Some(decisions), Some(hash)) = (&api.decisions, &self.image_sha256) else { return Ok(()) };
        let Wanted { liveness, validation, threshold, .. } = self.wanted;
        let rules = DecisionRules {
            threshold: threshold.map(Threshold::years),
            operator: threshold.map(Threshold::operator),
            level_of_assurance: liveness,
            img_validation_level: validation,
            liveness_threshold: self.finding.liveness.as_ref().map(|liveness| liveness.threshold),
        };
        let models = &self.finding.models;
        let decision = Decision { operation, image_sha256: hash.clone(), answer, rules, models };
        let kept = decisions.keep(&*api.world, signed.caller.app, &decision).await;
        kept.map(drop).map_err(|error| Problem::unavailable(&error))
    }

    /// The age and its uncertainty, as every age answer states them.
    pub(super) fn age(&self) -> Result<Age, Problem> {
        let estimate = self.finding.age.as_ref().ok_or_else(missing)?;
        Ok(Age { age: round(estimate.years), st_dev: round(estimate.st_dev) })
    }

    /// `pass` or `fail` against the threshold.
    pub(super) fn age_check(&self) -> Result<AgeCheck, Problem> {
        let estimate = self.finding.age.as_ref().ok_or_else(missing)?;
        let threshold = self.wanted.threshold.ok_or_else(missing)?;
        Ok(if threshold.passes(estimate.years.into()) { AgeCheck::Pass } else { AgeCheck::Fail })
    }

    /// `real` or `fake`.
    pub(super) fn prediction(&self) -> Result<Antispoofing, Problem> {
        let liveness = self.finding.liveness.as_ref().ok_or_else(missing)?;
        Ok(Antispoofing { prediction: liveness.prediction })
    }
}

fn missing() -> Problem {
    Problem::new(Code::FailPrediction, "the models gave no usable answer")
}

/// Two decimals: more would pretend.
fn round(value: impl Into<f64>) -> f64 {
    (value.into() * 100.0).round() / 100.0
}

/// An estimated age.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct Age {
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
pub(crate) enum AgeCheck {
    Pass,
    Fail,
}

/// A liveness answer.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct Antispoofing {
    #[schema(example = "real")]
    prediction: Prediction,
}

/// Reads `threshold` and `operator` of the verify operations.
pub(super) fn threshold(years: Option<i64>, operator: EnumField<Operator>) -> Result<Threshold, Problem> {
    let operator = operator.or(Operator::Over, Code::InvalidRequestBody, "operator", Operator::VARIANTS)?;
    let years = years.ok_or_else(|| Problem::new(Code::InvalidRequestBody, "threshold is missing"))?;
    Threshold::new(years, operator).map_err(|error| Problem::new(Code::InvalidRequestBody, error.to_string()))
}

/// Reads `level_of_assurance`.
pub(super) fn assurance(level: EnumField<Assurance>) -> Result<Assurance, Problem> {
    level.or(Assurance::Medium, Code::InvalidLevelOfAssurance, "level_of_assurance", Assurance::VARIANTS)
}

/// Reads `img_validation_level`.
pub(super) fn validation(level: EnumField<Validation>) -> Result<Validation, Problem> {
    level.or(Validation::High, Code::InvalidImgValidationLevel, "img_validation_level", Validation::VARIANTS)
}

/// Refuses relaxed mode where liveness is asked for: a relaxed image says nothing about it.
pub(super) fn strict_only(level: EnumField<Validation>) -> Result<(), Problem> {
    match validation(level)? {
        Validation::High => Ok(()),
        Validation::Low => Err(Problem::new(
            Code::InvalidImgValidationLevel,
            "relaxed mode is possible only where no liveness is asked for",
        )),
    }
}
