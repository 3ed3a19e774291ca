//! Live faces: whether they are, how they come nearer, and whose they are.

use super::super::{
    DocumentVerificationService,
    extraction::DocumentReadError,
    report::{Recommendation, ReportDetail, SubCheck, VerificationReport},
    store::UnsealedDocumentSession,
    types::CheckAdvice,
};
use base::{MediaId, Picture};
use serde::Serialize;
use vision::{AgeEstimate, Face, VisionError, VisionModels, challenge::HeadPose, embedding_distance};

/// Shares of strangers that may be taken for the holder: surely, and perhaps.
const MATCH_FALSE_MATCH_RATE: f64 = 1e-3;
const POSSIBLE_MATCH_FALSE_MATCH_RATE: f64 = 1e-2;
/// Mean luma over the face between which it can be judged, 0 to 255.
const FACE_LUMA_RANGE: (f32, f32) = (40.0, 215.0);
/// How much larger the face of the last frame of a zoom is than that of the first, at least.
const MIN_ZOOM_GROWTH_RATIO: f32 = 1.2;
/// How much of its size a face that comes nearer may lose from one frame to the next.
const MIN_FRAME_GROWTH_RATIO: f32 = 0.92;
/// Degrees that it may turn to a side meanwhile.
const MAX_YAW_CHANGE_DEGREES: f32 = 18.0;
/// Frames of a zoom with one face, at least.
const MIN_ZOOM_FACE_FRAMES: usize = 3;

/// What was seen of a face.
pub(super) struct FaceAnalysis {
    frames: Vec<AnalysedFrame>,
    space: String,
    /// The distances at which [`MATCH_FALSE_MATCH_RATE`] and [`POSSIBLE_MATCH_FALSE_MATCH_RATE`] lie.
    limits: Option<(f32, f32)>,
    thresholds: (f32, f32),
}

/// Where a face and its points are in each frame of a zoom.
#[derive(Serialize)]
pub(super) struct LivenessFaceMap {
    frames: Vec<FaceInFrame>,
    version: u8,
}

#[derive(Serialize)]
struct FaceInFrame {
    /// Left, top, right and bottom, as parts of the frame's size.
    #[serde(rename = "box")]
    face: [f32; 4],
    /// The detector's six points, likewise.
    points: [[f32; 2]; 6],
}

/// One picture.
struct AnalysedFrame {
    faces: usize,
    detected: Option<DetectedFace>,
}

/// The one face of a picture.
struct DetectedFace {
    face: Face,
    width: u32,
    height: u32,
    luma: f32,
    liveness_score: f32,
    embedding: Vec<f32>,
    age: AgeEstimate,
}

impl DocumentVerificationService {
    /// Looks at pictures of one face.
    pub(super) async fn analyse_faces(
        &self,
        held: &UnsealedDocumentSession,
        media: Vec<MediaId>,
    ) -> Result<FaceAnalysis, DocumentReadError> {
        let _place = self.acquire_large_media_slot().await;
        let mut pictures = Vec::new();
        for id in media {
            match self.decode_picture(self.read_media(held, id).await?).await {
                Ok(picture) => pictures.push(Some(picture)),
                Err(DocumentReadError::File(_)) => pictures.push(None),
                Err(error) => return Err(error),
            }
        }
        self.with_models(move |vision| {
            let frames = pictures
                .iter()
                .map(|picture| match picture {
                    Some(picture) => analyse_frame(vision, picture),
                    None => Ok(AnalysedFrame { faces: 0, detected: None }),
                })
                .collect::<Result<Vec<_>, VisionError>>()?;
            let space = vision.embedding_space();
            let limits = space
                .distance_at(MATCH_FALSE_MATCH_RATE)
                .zip(space.distance_at(POSSIBLE_MATCH_FALSE_MATCH_RATE));
            let thresholds = vision.liveness_thresholds();
            Ok::<_, VisionError>(FaceAnalysis {
                frames,
                space: space.digest(),
                limits,
                thresholds: (thresholds.low, thresholds.medium),
            })
        })
        .await?
        .map_err(|error| DocumentReadError::Server(error.to_string()))
    }
}

fn analyse_frame(vision: &mut VisionModels, picture: &Picture) -> Result<AnalysedFrame, VisionError> {
    let faces = vision.detect(picture)?;
    let sure = faces.iter().filter(|face| vision.is_confident(face)).count();
    let Some(face) = faces.into_iter().next().filter(|_| sure <= 1) else {
        return Ok(AnalysedFrame { faces: sure, detected: None });
    };
    let seen = DetectedFace {
        luma: vision::face_luma(picture, &face),
        liveness_score: vision.score_liveness(picture, &face)?.real,
        embedding: vision.embed(picture, &face)?,
        age: vision.estimate_age(picture, &face)?,
        width: picture.width(),
        height: picture.height(),
        face,
    };
    Ok(AnalysedFrame { faces: 1, detected: Some(seen) })
}

impl FaceAnalysis {
    fn detected_faces(&self) -> impl Iterator<Item = &DetectedFace> {
        self.frames.iter().filter_map(|frame| frame.detected.as_ref())
    }

    /// The picture to compare with: the largest face, which says most.
    pub(super) fn best_embedding(&self) -> Option<(&[f32], &str)> {
        let best = self.detected_faces().max_by(|a, b| a.face.width().total_cmp(&b.face.width()))?;
        Some((&best.embedding, &self.space))
    }

    /// How old it looks.
    pub(super) fn age(&self) -> Option<AgeEstimate> {
        self.detected_faces().max_by(|a, b| a.face.width().total_cmp(&b.face.width())).map(|seen| seen.age)
    }

    /// Where the face and its points are in each frame, as parts of its size: what a zoom says of a face's shape.
    pub(super) fn face_map(&self) -> Option<LivenessFaceMap> {
        let frames: Vec<_> = self
            .detected_faces()
            .map(|seen| {
                let scale = |[x, y]: [f32; 2]| [x / seen.width as f32, y / seen.height as f32];
                let Face { left, top, right, bottom, points, .. } = seen.face;
                let (from, to) = (scale([left, top]), scale([right, bottom]));
                FaceInFrame { face: [from[0], from[1], to[0], to[1]], points: points.map(scale) }
            })
            .collect();
        (frames.len() >= MIN_ZOOM_FACE_FRAMES).then_some(LivenessFaceMap { frames, version: 1 })
    }

    /// Whether it is live.
    pub(super) fn liveness_report(&self, zoom: bool) -> VerificationReport {
        let seen: Vec<&DetectedFace> = self.detected_faces().collect();
        if seen.is_empty() || (zoom && seen.len() < MIN_ZOOM_FACE_FRAMES) {
            let several = self.frames.iter().any(|frame| frame.faces > 1);
            return VerificationReport::not_available(if several {
                "MULTIPLE_FACES"
            } else {
                "FACE_NOT_FOUND"
            });
        }
        let mean = seen.iter().map(|seen| seen.luma).sum::<f32>() / seen.len() as f32;
        if mean < FACE_LUMA_RANGE.0 {
            return VerificationReport::not_available("PHOTO_TOO_DARK");
        }
        if mean > FACE_LUMA_RANGE.1 {
            return VerificationReport::not_available("PHOTO_OVEREXPOSED");
        }
        let mut scores: Vec<f32> = seen.iter().map(|seen| seen.liveness_score).collect();
        scores.sort_by(f32::total_cmp);
        // Of several frames the middle one: a single one may be unlucky.
        let score = scores[scores.len() / 2];
        let (low, medium) = self.thresholds;
        let mut told = vec![
            ReportDetail::new("passive_score", format_args!("{score:.3}")),
            ReportDetail::new("threshold", format_args!("{medium:.3}")),
        ];
        let mut passed = score >= medium;
        let mut surely_not = score < low;
        if zoom {
            let near = face_approaches(&seen, &mut told);
            let same = self.is_one_person(&seen, &mut told);
            passed &= near && same;
            surely_not |= !same || !near;
        }
        let breakdown = vec![SubCheck::new("liveness_auth", passed, told)];
        let recommendation = match (passed, surely_not) {
            (true, _) => Recommendation::approve(),
            (false, true) => Recommendation::with_reason(CheckAdvice::Reject, "LIVENESS_NOT_PROVEN"),
            (false, false) => Recommendation::with_reason(CheckAdvice::Consider, "LIVENESS_NOT_PROVEN"),
        };
        VerificationReport { recommendation, breakdown }
    }

    fn is_one_person(&self, seen: &[&DetectedFace], told: &mut Vec<ReportDetail>) -> bool {
        let (Some((first, rest)), Some((_, limit))) = (seen.split_first(), self.limits) else { return false };
        let farthest = rest
            .iter()
            .map(|other| embedding_distance(&first.embedding, &other.embedding))
            .fold(0.0, f32::max);
        told.push(ReportDetail::new("frames_distance", format_args!("{farthest:.3} (at most {limit:.3})")));
        farthest <= limit
    }
}

/// Whether the face grows from frame to frame and goes on looking ahead, as of somebody who comes nearer.
fn face_approaches(seen: &[&DetectedFace], told: &mut Vec<ReportDetail>) -> bool {
    let Some(poses) = seen.iter().map(|seen| HeadPose::of(&seen.face)).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let [first, .., last] = &poses[..] else { return false };
    // Of the picture: a camera may change how many pixels it gives.
    let sizes: Vec<f32> = poses.iter().zip(seen).map(|(pose, seen)| pose.scale / seen.width as f32).collect();
    let steps = || sizes.windows(2).filter_map(|pair| Some(pair.last()? / pair.first()?));
    let (grown, steady): (f32, bool) =
        (steps().product(), steps().all(|step| step >= MIN_FRAME_GROWTH_RATIO));
    let aside = poses.iter().map(|pose| (pose.yaw - first.yaw).abs()).fold(0.0, f32::max);
    told.push(ReportDetail::new("grown", format_args!("{grown:.2} (at least {MIN_ZOOM_GROWTH_RATIO})")));
    told.push(ReportDetail::new("steady", steady));
    told.push(ReportDetail::new(
        "turned_aside",
        format_args!("{aside:.0} degrees (at most {MAX_YAW_CHANGE_DEGREES})"),
    ));
    // The ears of a head come closer together as it comes nearer. The points say so of flat photos as well
    // (docs/ACCURACY.md), so a reviewer is told and nothing is judged by it.
    told.push(ReportDetail::new("parallax", format_args!("{:.3}", 1.0 - last.width / first.width)));
    grown >= MIN_ZOOM_GROWTH_RATIO && steady && aside <= MAX_YAW_CHANGE_DEGREES
}

/// A face that is known, with its space, against a live one.
pub(super) fn compare_faces(
    known: Option<(&[f32], &str)>,
    live: Option<&FaceAnalysis>,
) -> VerificationReport {
    let (Some((known, space)), Some(live)) = (known, live) else {
        return VerificationReport::not_available("FACE_NOT_FOUND");
    };
    let Some((face, own)) = live.best_embedding() else {
        return VerificationReport::not_available("FACE_NOT_FOUND");
    };
    let Some((sure, perhaps)) = live.limits.filter(|_| own == space) else {
        return VerificationReport::not_available("FACE_NOT_COMPARABLE");
    };
    let apart = embedding_distance(known, face);
    // One half lies at the distance at which one stranger in a thousand is taken for the holder.
    let score = (1.0 - apart / (2.0 * sure)).clamp(0.0, 1.0);
    let told = vec![
        ReportDetail::new("confidence_score", format_args!("{score:.2}")),
        ReportDetail::new("distance", format_args!("{apart:.3} (at most {sure:.3})")),
    ];
    let breakdown = vec![SubCheck::new("ai_face_match", apart <= sure, told)];
    let recommendation = if apart <= sure {
        Recommendation::approve()
    } else if apart <= perhaps {
        Recommendation::with_reason(CheckAdvice::Consider, "DIFFERENT_PERSON")
    } else {
        Recommendation::with_reason(CheckAdvice::Reject, "DIFFERENT_PERSON")
    };
    VerificationReport { recommendation, breakdown }
}
