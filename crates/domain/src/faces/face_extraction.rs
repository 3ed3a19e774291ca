//! Extraction of the one face of a picture: whether it is good enough, its embedding, and the crop that is stored.

use super::FaceIndexError;
use crate::image_analysis::{FaceErrorCode, FaceRules, sample_faces, single_face};
use base::{LimitViolation, Picture};
use media::image_validation;
use pixels::{PictureRegion, ResampleFilter};
use vision::{Face, VisionModels};

/// JPEG quality of a portrait for reviewers.
const PORTRAIT_JPEG_QUALITY: u8 = 88;

/// What a picture of a face must be like to be enrolled.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct EnrolRules {
    /// Shorter side of the face's box, pixels, at least.
    pub min_side: f32,
    /// Sharpness, at least; see [`vision::Quality`]. At the default, blur alone moves an embedding by two thirds of the
    /// distance at which a person is found.
    pub min_sharpness: f32,
    /// How far the face looks into the camera, 0 to 1, at least.
    pub min_frontal: f32,
    /// Mean luma over the face, 0 to 255, at least.
    pub min_luma: f32,
    /// Mean luma over the face, 0 to 255, at most.
    pub max_luma: f32,
    /// Bytes of the file, at most.
    #[serde(deserialize_with = "base::settings::number_of_bytes")]
    pub max_bytes: usize,
    /// Pixels of the picture, at most.
    pub max_pixels: u32,
}

impl Default for EnrolRules {
    fn default() -> Self {
        Self {
            min_side: 80.0,
            min_sharpness: 0.25,
            min_frontal: 0.2,
            min_luma: 40.0,
            max_luma: 215.0,
            max_bytes: 12_000_000,
            max_pixels: 25_000_000,
        }
    }
}

/// What a face is extracted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtractionPurpose {
    /// To be enrolled.
    Enrol,
    /// To search for the person: the face may be half as large, and sharpness, pose and light are not checked.
    Search,
}

/// A face that was extracted from a picture.
#[derive(Clone)]
pub(super) struct ExtractedFace {
    pub(super) embedding: Vec<f32>,
    /// The digest of the embedding space (`vision::EmbeddingSpace`).
    pub(super) model: [u8; 32],
    /// The quality of the picture, 0 to 1.
    pub(super) quality: f32,
    /// The face with a margin, upright, as JPEG.
    pub(super) crop: Vec<u8>,
}

// Neither a face nor its embedding may reach a log.
impl std::fmt::Debug for ExtractedFace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ExtractedFace(quality {})", self.quality)
    }
}

impl EnrolRules {
    fn file_rules(&self) -> image_validation::ImageLimits {
        image_validation::ImageLimits {
            min_bytes: None,
            max_bytes: Some(self.max_bytes),
            min_jpeg_quality: None,
            min_height: 32,
            max_height: 16_384,
            min_width: 32,
            max_width: 16_384,
            min_pixels: 1024,
            max_pixels: self.max_pixels,
            min_coloured: 0.0,
        }
    }

    /// The rules on size and light. A face may fill any part of the picture, and touch its edge.
    fn face_rules(&self, purpose: ExtractionPurpose) -> FaceRules {
        let (min_box, light) = match purpose {
            ExtractionPurpose::Enrol => (self.min_side, true),
            ExtractionPurpose::Search => (self.min_side / 2.0, false),
        };
        FaceRules {
            min_box,
            min_ratio: 0.0,
            max_ratio: 1.0,
            min_margin: f32::NEG_INFINITY,
            min_luma: light.then_some(self.min_luma),
            max_luma: light.then_some(self.max_luma),
            max_covered: None,
        }
    }
}

/// Checks what can be checked without decoding the picture.
pub(super) fn inspect(
    bytes: &[u8],
    rules: &EnrolRules,
) -> Result<image_validation::ImageHeader, FaceIndexError> {
    image_validation::inspect(bytes, &rules.file_rules()).map_err(refused)
}

/// Decodes a picture, finds its one face, checks it against the rules, and computes its embedding.
pub(super) fn extract(
    vision: &mut VisionModels,
    bytes: &[u8],
    header: &image_validation::ImageHeader,
    rules: &EnrolRules,
    purpose: ExtractionPurpose,
) -> Result<ExtractedFace, FaceIndexError> {
    let picture = image_validation::decode(bytes, header, &rules.file_rules()).map_err(refused)?;
    let limits = rules.face_rules(purpose);
    let face = single_face(vision, &picture, &limits)?;
    let luma = vision::face_luma(&picture, &face);
    limits.check(&face, picture.size(), luma).map_err(crate::image_analysis::AnalysisError::from)?;
    let quality = VisionModels::assess_quality(&picture, &face);
    if purpose == ExtractionPurpose::Enrol {
        require_at_least(
            quality.sharpness,
            rules.min_sharpness,
            "the face is blurred",
            "sharpness",
            "hold the camera still and focus on the face",
        )?;
        require_at_least(
            quality.frontal,
            rules.min_frontal,
            "the face looks away",
            "frontality",
            "look straight into the camera",
        )?;
    }
    let embedding = vision.embed(&picture, &face)?;
    let model = vision.embedding_space()?.sha256;
    Ok(ExtractedFace { embedding, model, quality: quality.score, crop: crop(&picture, &face) })
}

/// Extracts the face of a stored picture, which is not checked against the rules again: it met those of its time.
pub(super) fn extract_from_stored(
    vision: &mut VisionModels,
    bytes: &[u8],
    rules: &EnrolRules,
) -> Result<ExtractedFace, FaceIndexError> {
    let header = inspect(bytes, rules)?;
    let picture = image_validation::decode(bytes, &header, &rules.file_rules()).map_err(refused)?;
    // The margin may show part of another face; the one with the highest score was enrolled.
    let face = vision.detect(&picture)?.into_iter().next();
    let face = face.ok_or_else(|| FaceIndexError::refused("no face is found in the stored picture", None))?;
    let quality = VisionModels::assess_quality(&picture, &face).score;
    let (embedding, model) = (vision.embed(&picture, &face)?, vision.embedding_space()?.sha256);
    Ok(ExtractedFace { embedding, model, quality, crop: Vec::new() })
}

/// The face of a stored picture, upright, as JPEG.
pub(super) fn portrait_of_stored(
    vision: &mut VisionModels,
    bytes: &[u8],
    rules: &EnrolRules,
    side: u32,
) -> Result<Vec<u8>, FaceIndexError> {
    let header = inspect(bytes, rules)?;
    let picture = image_validation::decode(bytes, &header, &rules.file_rules()).map_err(refused)?;
    let face = vision.detect(&picture)?.into_iter().next();
    let portrait = face.and_then(|face| vision::face_portrait(&picture, &face, side));
    let portrait =
        portrait.ok_or_else(|| FaceIndexError::refused("no face is found in the stored picture", None))?;
    Ok(sample_faces::encode_jpeg(&portrait, PORTRAIT_JPEG_QUALITY))
}

fn require_at_least(
    measured: f32,
    least: f32,
    message: &'static str,
    what: &str,
    hint: &'static str,
) -> Result<(), FaceIndexError> {
    if measured >= least {
        return Ok(());
    }
    let limit = format!("a {what} of at least {least}");
    Err(FaceIndexError::refused(message, Some(LimitViolation::new(measured, limit, hint))))
}

fn refused(refusal: image_validation::ImageError) -> FaceIndexError {
    FaceIndexError::refused(refusal.message, refusal.measured)
}

/// What is wrong with a face, as a sentence.
pub(super) fn refusal_message(code: FaceErrorCode) -> &'static str {
    match code {
        FaceErrorCode::NotFound => "no face is found in the picture",
        FaceErrorCode::Multiple => "the picture shows more than one face",
        FaceErrorCode::BoxTooSmall => "the face is too small",
        FaceErrorCode::RatioTooLow => "the face fills too little of the picture",
        FaceErrorCode::RatioTooHigh => "the face fills too much of the picture",
        FaceErrorCode::MarginTooSmall => "the face is too near to the edge of the picture",
        FaceErrorCode::TooBright => "there is too much light on the face",
        FaceErrorCode::TooDark => "there is too little light on the face",
        FaceErrorCode::Covered => "the face is covered",
    }
}

/// The longer side of a stored picture, in pixels, at most.
const MAX_STORED_SIDE_PIXELS: u32 = 800;
/// The margin on each side of the face's box, as a ratio of its longer side: enough for the crops of any model.
const STORED_MARGIN_RATIO: f32 = 0.6;

/// The face with a margin as JPEG, scaled down if it is large; empty if it cannot be encoded.
fn crop(picture: &Picture, face: &Face) -> Vec<u8> {
    let margin = face.width().max(face.height()) * STORED_MARGIN_RATIO;
    let (picture_width, picture_height) = (picture.width() as f32, picture.height() as f32);
    let left = (face.left - margin).clamp(0.0, picture_width - 1.0) as u32;
    let top = (face.top - margin).clamp(0.0, picture_height - 1.0) as u32;
    let right = ((face.right + margin).ceil().clamp(0.0, picture_width) as u32).max(left + 1);
    let bottom = ((face.bottom + margin).ceil().clamp(0.0, picture_height) as u32).max(top + 1);
    let (width, height) = (right - left, bottom - top);
    let longer = width.max(height);
    let scale = |side: u32| (side * MAX_STORED_SIDE_PIXELS / longer).max(1);
    pixels::crop(picture, PictureRegion { left, top, width, height })
        .and_then(|part| {
            if longer > MAX_STORED_SIDE_PIXELS {
                pixels::resample(&part, scale(width), scale(height), ResampleFilter::Triangle)
            } else {
                Some(part)
            }
        })
        .map_or_else(Vec::new, |part| sample_faces::encode_jpeg(&part, 95))
}
