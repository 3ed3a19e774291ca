//! `LIVENESS`: whether a live face was before the camera, in one frame or in frames of a face that comes nearer.

use super::{
    CheckInput, EvidenceRequest, SessionCheck, SuppliedResources,
    face_analysis::{DetectedFace, FaceAnalysis, MIN_ZOOM_FACE_FRAMES},
    used_resource,
};
use crate::document_verification::{
    report::{Recommendation, ReportDetail, SubCheck, VerificationReport},
    request::RequestedCheck,
    session::{DocumentSession, LivenessVerdict, VerificationCheck},
    types::{CheckAdvice, LivenessType, ResourceKind},
};
use base::ResourceId;
use vision::{FaceRelief, MIN_HEAD_RELIEF, ReliefVerdict, challenge::HeadPose, embedding_distance};

/// Mean luma over the face within which it can be judged, 0 to 255.
const FACE_LUMA_RANGE: (f32, f32) = (40.0, 215.0);
/// How much larger the face of a zoom's last frame is than that of the first, at least.
const MIN_ZOOM_GROWTH_RATIO: f32 = 1.2;
/// The least ratio of the face's size in one frame to that in the frame before: it may shrink a little.
const MIN_FRAME_GROWTH_RATIO: f32 = 0.92;
/// Degrees that the head may turn to a side during a zoom.
const MAX_YAW_CHANGE_DEGREES: f32 = 18.0;
/// What is said where saying more would help whoever cheats.
const NOT_PROVEN: &str = "LIVENESS_NOT_PROVEN";

#[derive(Debug)]
pub(super) struct LivenessCheck;

impl SessionCheck for LivenessCheck {
    fn subjects(&self, requested: &RequestedCheck, supplied: &SuppliedResources) -> Vec<Vec<ResourceId>> {
        let of_type = supplied.liveness.iter().filter(|live| live.liveness_type == requested.liveness_type);
        of_type.map(|live| vec![live.id]).collect()
    }

    fn evidence(&self, session: &DocumentSession, check: &VerificationCheck) -> EvidenceRequest {
        let id = used_resource(session, check, ResourceKind::Liveness);
        let capture = id.and_then(|id| session.resource(ResourceKind::Liveness, id));
        // What was judged while the end user was there is not judged again.
        EvidenceRequest::faces(capture.filter(|capture| capture.liveness.is_none()).map(|capture| capture.id))
    }

    fn report(&self, input: &CheckInput<'_>) -> VerificationReport {
        let Some(resource) = input.used(ResourceKind::Liveness) else {
            return VerificationReport::not_available("FACE_NOT_FOUND");
        };
        if let Some(verdict) = &resource.liveness {
            return verdict.report.clone();
        }
        let zoom = resource.liveness_type == Some(LivenessType::Zoom);
        input.face(resource.id).map_or_else(
            || VerificationReport::not_available("FACE_NOT_FOUND"),
            |analysis| judge_liveness(analysis, zoom).report,
        )
    }
}

/// Judges a capture: a single frame, or the frames of a face that came nearer (`zoom`).
pub(in crate::document_verification) fn judge_liveness(
    analysis: &FaceAnalysis,
    zoom: bool,
) -> LivenessVerdict {
    let faces: Vec<&DetectedFace> = analysis.detected_faces().collect();
    if faces.is_empty() || (zoom && faces.len() < MIN_ZOOM_FACE_FRAMES) {
        let several = analysis.frames.iter().any(|frame| frame.faces > 1);
        return unusable(if several { "MULTIPLE_FACES" } else { "FACE_NOT_FOUND" });
    }
    let mean_luma = faces.iter().map(|face| face.luma).sum::<f32>() / faces.len() as f32;
    if mean_luma < FACE_LUMA_RANGE.0 {
        return unusable("PHOTO_TOO_DARK");
    }
    if mean_luma > FACE_LUMA_RANGE.1 {
        return unusable("PHOTO_OVEREXPOSED");
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
    let mut outcomes = vec![if score >= thresholds.approve {
        Outcome::Holds
    } else if score < thresholds.reject {
        Outcome::Fails(NOT_PROVEN)
    } else {
        Outcome::InDoubt(NOT_PROVEN)
    }];
    if zoom {
        outcomes.push(approach(&faces, &mut details));
        outcomes.push(one_person(analysis, &faces, &mut details));
        outcomes.push(depth(analysis, &mut details));
    }
    // What fails counts before what is in doubt.
    let failed = outcomes.iter().find_map(|outcome| match outcome {
        Outcome::Fails(detail) => Some((CheckAdvice::Reject, *detail)),
        _ => None,
    });
    let doubted = outcomes.iter().find_map(|outcome| match outcome {
        Outcome::InDoubt(detail) => Some((CheckAdvice::Consider, *detail)),
        _ => None,
    });
    let judged = failed.or(doubted);
    let recommendation = judged
        .map_or_else(Recommendation::approve, |(value, _)| Recommendation::with_reason(value, NOT_PROVEN));
    let breakdown = vec![SubCheck::new("liveness_auth", judged.is_none(), details)];
    LivenessVerdict {
        report: VerificationReport { recommendation, breakdown },
        detail: judged.map(|(_, detail)| detail.to_owned()),
    }
}

/// Nothing could be judged, for a reason.
fn unusable(reason: &str) -> LivenessVerdict {
    LivenessVerdict { report: VerificationReport::not_available(reason), detail: Some(reason.to_owned()) }
}

/// What one measure says of a capture; with what the end user can do better.
enum Outcome {
    Holds,
    InDoubt(&'static str),
    Fails(&'static str),
}

/// Whether the face has the depth of a head: that of a flat photo does not change as a head's does when it comes nearer.
fn depth(analysis: &FaceAnalysis, details: &mut Vec<ReportDetail>) -> Outcome {
    let Some(measured) = analysis.relief else {
        details.push(ReportDetail::new("depth", "not measurable"));
        return Outcome::InDoubt(NOT_PROVEN);
    };
    let FaceRelief { relief, error, .. } = measured;
    details.push(ReportDetail::new(
        "depth",
        format_args!("{relief:.2}, give or take {error:.2} (at least {MIN_HEAD_RELIEF:.2})"),
    ));
    match measured.verdict() {
        ReliefVerdict::Head => Outcome::Holds,
        ReliefVerdict::Unclear => Outcome::InDoubt(NOT_PROVEN),
        ReliefVerdict::Flat => Outcome::Fails(NOT_PROVEN),
    }
}

/// Whether the faces of all frames may be one person's.
fn one_person(analysis: &FaceAnalysis, faces: &[&DetectedFace], details: &mut Vec<ReportDetail>) -> Outcome {
    let (Some((first, rest)), Some(limits)) = (faces.split_first(), analysis.distance_limits) else {
        return Outcome::Fails(NOT_PROVEN);
    };
    let limit = limits.possibly_same;
    let farthest =
        rest.iter().map(|other| embedding_distance(&first.embedding, &other.embedding)).fold(0.0, f32::max);
    details.push(ReportDetail::new("frames_distance", format_args!("{farthest:.3} (at most {limit:.3})")));
    if farthest <= limit { Outcome::Holds } else { Outcome::Fails(NOT_PROVEN) }
}

/// Whether the face grows from frame to frame and keeps looking ahead, as of somebody who comes nearer.
fn approach(faces: &[&DetectedFace], details: &mut Vec<ReportDetail>) -> Outcome {
    let Some(poses) = faces.iter().map(|face| HeadPose::of(&face.face)).collect::<Option<Vec<_>>>() else {
        return Outcome::Fails("FACE_NOT_FOUND");
    };
    let Some(first) = poses.first() else { return Outcome::Fails("FACE_NOT_FOUND") };
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
    if growth < MIN_ZOOM_GROWTH_RATIO || !steady {
        Outcome::Fails("FACE_NOT_NEARER")
    } else if yaw_change > MAX_YAW_CHANGE_DEGREES {
        Outcome::Fails("HEAD_TURNED")
    } else {
        Outcome::Holds
    }
}
