//! `LIVENESS`: whether a live face was before the camera, in one frame or in frames of a face that comes nearer.

use super::{
    CheckInput, EvidenceRequest, SessionCheck, SuppliedResources,
    face_analysis::{DetectedFace, FaceAnalysis, MIN_ZOOM_FACE_FRAMES},
    used_resource,
};
use crate::document_verification::{
    report::{Recommendation, ReportDetail, SubCheck, VerificationReport},
    request::RequestedCheck,
    session::{DocumentSession, VerificationCheck},
    types::{CheckAdvice, LivenessType, ResourceKind},
};
use base::ResourceId;
use vision::{challenge::HeadPose, embedding_distance};

/// Mean luma over the face within which it can be judged, 0 to 255.
const FACE_LUMA_RANGE: (f32, f32) = (40.0, 215.0);
/// How much larger the face of a zoom's last frame is than that of the first, at least.
const MIN_ZOOM_GROWTH_RATIO: f32 = 1.2;
/// The least ratio of the face's size in one frame to that in the frame before: it may shrink a little.
const MIN_FRAME_GROWTH_RATIO: f32 = 0.92;
/// Degrees that the head may turn to a side during a zoom.
const MAX_YAW_CHANGE_DEGREES: f32 = 18.0;

#[derive(Debug)]
pub(super) struct LivenessCheck;

impl SessionCheck for LivenessCheck {
    fn subjects(&self, requested: &RequestedCheck, supplied: &SuppliedResources) -> Vec<Vec<ResourceId>> {
        let of_type = supplied.liveness.iter().filter(|live| live.liveness_type == requested.liveness_type);
        of_type.map(|live| vec![live.id]).collect()
    }

    fn evidence(&self, session: &DocumentSession, check: &VerificationCheck) -> EvidenceRequest {
        EvidenceRequest::faces(used_resource(session, check, ResourceKind::Liveness))
    }

    fn report(&self, input: &CheckInput<'_>) -> VerificationReport {
        let Some(resource) = input.used(ResourceKind::Liveness) else {
            return VerificationReport::not_available("FACE_NOT_FOUND");
        };
        let zoom = resource.liveness_type == Some(LivenessType::Zoom);
        input.face(resource.id).map_or_else(
            || VerificationReport::not_available("FACE_NOT_FOUND"),
            |analysis| liveness_report(analysis, zoom),
        )
    }
}

fn liveness_report(analysis: &FaceAnalysis, zoom: bool) -> VerificationReport {
    let faces: Vec<&DetectedFace> = analysis.detected_faces().collect();
    if faces.is_empty() || (zoom && faces.len() < MIN_ZOOM_FACE_FRAMES) {
        let several = analysis.frames.iter().any(|frame| frame.faces > 1);
        let reason = if several { "MULTIPLE_FACES" } else { "FACE_NOT_FOUND" };
        return VerificationReport::not_available(reason);
    }
    let mean_luma = faces.iter().map(|face| face.luma).sum::<f32>() / faces.len() as f32;
    if mean_luma < FACE_LUMA_RANGE.0 {
        return VerificationReport::not_available("PHOTO_TOO_DARK");
    }
    if mean_luma > FACE_LUMA_RANGE.1 {
        return VerificationReport::not_available("PHOTO_OVEREXPOSED");
    }
    let mut scores: Vec<f32> = faces.iter().map(|face| face.liveness_score).collect();
    scores.sort_by(f32::total_cmp);
    // The median of several frames, as a single frame may be an outlier.
    let score = scores[scores.len() / 2];
    let thresholds = analysis.liveness_thresholds;
    let mut details = vec![
        ReportDetail::new("passive_score", format_args!("{score:.3}")),
        ReportDetail::new("threshold", format_args!("{:.3}", thresholds.approve)),
    ];
    let mut passed = score >= thresholds.approve;
    let mut rejected = score < thresholds.reject;
    if zoom {
        let near = face_approaches(&faces, &mut details);
        let same = is_one_person(analysis, &faces, &mut details);
        passed &= near && same;
        rejected |= !same || !near;
    }
    let breakdown = vec![SubCheck::new("liveness_auth", passed, details)];
    let recommendation = match (passed, rejected) {
        (true, _) => Recommendation::approve(),
        (false, true) => Recommendation::with_reason(CheckAdvice::Reject, "LIVENESS_NOT_PROVEN"),
        (false, false) => Recommendation::with_reason(CheckAdvice::Consider, "LIVENESS_NOT_PROVEN"),
    };
    VerificationReport { recommendation, breakdown }
}

/// Whether the faces of all frames may be one person's.
fn is_one_person(analysis: &FaceAnalysis, faces: &[&DetectedFace], details: &mut Vec<ReportDetail>) -> bool {
    let (Some((first, rest)), Some(limits)) = (faces.split_first(), analysis.distance_limits) else {
        return false;
    };
    let limit = limits.possibly_same;
    let farthest =
        rest.iter().map(|other| embedding_distance(&first.embedding, &other.embedding)).fold(0.0, f32::max);
    details.push(ReportDetail::new("frames_distance", format_args!("{farthest:.3} (at most {limit:.3})")));
    farthest <= limit
}

/// Whether the face grows from frame to frame and keeps looking ahead, as of somebody who comes nearer.
fn face_approaches(faces: &[&DetectedFace], details: &mut Vec<ReportDetail>) -> bool {
    let Some(poses) = faces.iter().map(|face| HeadPose::of(&face.face)).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let [first, .., last] = &poses[..] else { return false };
    // As parts of the picture's width: a camera may change its resolution between frames.
    let sizes: Vec<f32> =
        poses.iter().zip(faces).map(|(pose, face)| pose.scale / face.width as f32).collect();
    let steps = || sizes.windows(2).filter_map(|pair| Some(pair.last()? / pair.first()?));
    let (growth, steady): (f32, bool) =
        (steps().product(), steps().all(|step| step >= MIN_FRAME_GROWTH_RATIO));
    let yaw_change = poses.iter().map(|pose| (pose.yaw - first.yaw).abs()).fold(0.0, f32::max);
    details.push(ReportDetail::new("grown", format_args!("{growth:.2} (at least {MIN_ZOOM_GROWTH_RATIO})")));
    details.push(ReportDetail::new("steady", steady));
    details.push(ReportDetail::new(
        "turned_aside",
        format_args!("{yaw_change:.0} degrees (at most {MAX_YAW_CHANGE_DEGREES})"),
    ));
    // The ears come closer together as a real head comes nearer. The points show the same of flat photos, too
    // (docs/ACCURACY.md), so the number is reported for reviewers and decides nothing.
    details.push(ReportDetail::new("parallax", format_args!("{:.3}", 1.0 - last.width / first.width)));
    growth >= MIN_ZOOM_GROWTH_RATIO && steady && yaw_change <= MAX_YAW_CHANGE_DEGREES
}
