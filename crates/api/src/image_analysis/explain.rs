//! `?explain=true`: what an answer is based on.

use crate::ApiSettings;
use domain::image_analysis::{AgeThreshold, ImageAnalysis};
use utoipa::ToSchema;

/// What an answer is based on; an extension, added to any 200 by `?explain=true`.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct Explanation {
    /// About the age, if it was estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    age: Option<AgeExplanation>,
    /// About the liveness, if it was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    liveness: Option<LivenessExplanation>,
    /// Where the face is.
    face: FaceExplanation,
    /// What was measured of the image.
    quality: ImageQualityExplanation,
    /// The models that answered.
    models: Vec<ModelUsed>,
}

/// A model that answered.
#[derive(Debug, serde::Serialize, ToSchema)]
struct ModelUsed {
    /// Its task, such as `age`.
    task: String,
    /// Its name in the pack.
    id: String,
    /// SHA-256 of its file, or of the parameters of a built-in model, hexadecimal.
    sha256: String,
    /// Whether its answers must not be relied on yet.
    experimental: bool,
}

impl From<&vision::ModelInfo> for ModelUsed {
    fn from(model: &vision::ModelInfo) -> Self {
        Self {
            task: model.task.to_string(),
            id: model.id.clone(),
            sha256: model.sha256.clone(),
            experimental: model.experimental,
        }
    }
}

#[derive(Debug, serde::Serialize, ToSchema)]
struct AgeExplanation {
    /// The age range that four of five people with this estimate are in, years.
    interval_80: [f64; 2],
    /// The age range that nine of ten people with this estimate are in, years.
    interval_90: [f64; 2],
    /// The threshold that the figures below refer to: the request's, or the operator's default.
    threshold: f64,
    /// Probability that the person is at least `threshold` years old.
    probability_at_least: f64,
    /// The share of people below the threshold that the operator accepts to pass.
    false_positive_rate: f64,
    /// Years that an estimate must lie above the threshold to keep that share.
    buffer: f64,
    /// What the buffer costs: the share that it refuses of people 5, 10, 15 and 20 years older than the threshold.
    refused_adults: Vec<FalseRejectionRate>,
    /// How far the estimates from different crops of the face differ, years; a large value means that the image is hard
    /// to read.
    spread: f64,
}

#[derive(Debug, serde::Serialize, ToSchema)]
struct FalseRejectionRate {
    /// Their age, years.
    age: f64,
    /// The share of them whose estimate is below threshold plus buffer, 0 to 1.
    share: f64,
}

/// Years above the threshold for which the share of refused people is given.
const YEARS_ABOVE_THRESHOLD: [f64; 4] = [5.0, 10.0, 15.0, 20.0];

#[derive(Debug, serde::Serialize, ToSchema)]
struct LivenessExplanation {
    /// 0 (surely an attack) to 1 (surely a live face).
    score: f64,
    /// The score from which the answer is `real` at the level of assurance asked for.
    threshold: f64,
    /// Whether the model behind it is experimental.
    experimental: bool,
    /// The measures behind the score.
    #[schema(value_type = Object)]
    cues: std::collections::BTreeMap<&'static str, f64>,
}

#[derive(Debug, serde::Serialize, ToSchema)]
struct FaceExplanation {
    /// Left, top, right and bottom in pixels of the upright image.
    r#box: [f64; 4],
    /// Confidence of the detector, 0 to 1.
    score: f64,
}

#[derive(Debug, serde::Serialize, ToSchema)]
struct ImageQualityExplanation {
    /// Pixels of the upright image.
    width: u32,
    /// Pixels of the upright image.
    height: u32,
    /// Mean luma over the face, 0 to 255.
    face_luma: f64,
    /// Sharpness of the face, 0 to 1: 0.4 and more in good pictures; below 0.3 ages come out too young.
    face_sharpness: f64,
    /// What of the face is covered, and how blurred and noisy it is; missing if no model of the pack tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    capture: Option<CaptureExplanation>,
    /// JPEG quality read from the quantisation tables, 1 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    jpeg_quality: Option<u8>,
}

/// What a net saw of the way the face was captured; see docs/ACCURACY.md.
#[derive(Debug, serde::Serialize, ToSchema)]
struct CaptureExplanation {
    /// Probability that something is before the mouth, 0 to 1.
    mouth_covered: f64,
    /// Probability that something is before the nose, 0 to 1.
    nose_covered: f64,
    /// Probability that something is before an eye, such as dark glasses, 0 to 1.
    eyes_covered: f64,
    /// Standard deviation of the blur, per cent of 1.2 times the longer side of the face's box.
    blur: f64,
    /// Standard deviation of the noise where there is full light, per cent of full light.
    noise: f64,
}

impl Explanation {
    pub(super) fn of(
        finding: &ImageAnalysis,
        threshold: Option<AgeThreshold>,
        settings: &ApiSettings,
    ) -> Self {
        let age = finding.age.as_ref().map(|estimate| {
            let threshold =
                threshold.map_or(f64::from(settings.explanation.threshold_years), AgeThreshold::years);
            let rate = settings.explanation.false_positive_rate;
            let refused = |above| FalseRejectionRate {
                age: threshold + above,
                share: round_to_thousandths(estimate.refused_share(rate, above)),
            };
            AgeExplanation {
                interval_80: [round_to_thousandths(estimate.low80), round_to_thousandths(estimate.high80)],
                interval_90: estimate.interval(0.9).map(round_to_thousandths),
                threshold,
                probability_at_least: round_to_thousandths(estimate.at_least(threshold)),
                false_positive_rate: rate,
                buffer: round_to_thousandths(estimate.buffer(rate)),
                refused_adults: YEARS_ABOVE_THRESHOLD.map(refused).into(),
                spread: round_to_thousandths(estimate.spread),
            }
        });
        let liveness = finding.liveness.as_ref().map(|liveness| LivenessExplanation {
            score: round_to_thousandths(liveness.score),
            threshold: round_to_thousandths(liveness.threshold),
            experimental: liveness.experimental,
            cues: liveness.cues.iter().map(|&(name, value)| (name, round_to_thousandths(value))).collect(),
        });
        let face = &finding.face;
        Self {
            age,
            liveness,
            face: FaceExplanation {
                r#box: [face.left, face.top, face.right, face.bottom].map(round_to_thousandths),
                score: round_to_thousandths(face.score),
            },
            quality: ImageQualityExplanation {
                width: finding.size.width,
                height: finding.size.height,
                face_luma: round_to_thousandths(finding.luma),
                // Measured wherever an explanation is asked for.
                face_sharpness: finding.sharpness.map_or(0.0, round_to_thousandths),
                capture: finding.capture.map(|capture| CaptureExplanation {
                    mouth_covered: round_to_thousandths(capture.mouth_covered),
                    nose_covered: round_to_thousandths(capture.nose_covered),
                    eyes_covered: round_to_thousandths(capture.eyes_covered),
                    blur: round_to_thousandths(capture.blur),
                    noise: round_to_thousandths(capture.noise),
                }),
                jpeg_quality: finding.jpeg_quality,
            },
            models: finding.models.iter().map(ModelUsed::from).collect(),
        }
    }
}

fn round_to_thousandths(value: impl Into<f64>) -> f64 {
    (value.into() * 1000.0).round() / 1000.0
}
