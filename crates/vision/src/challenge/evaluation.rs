//! Checks the frames of an answer against its challenge.

use super::{
    ChallengeMove, FrameObservation, LivenessChallenge, MAX_FRAMES,
    head_movements::{self, AHEAD_DEGREES, RelativePose},
    pose::HeadPose,
};
use crate::embed::{embedding_distance, mean_embedding};
use base::LimitViolation;
use jiff::Timestamp;
use serde::Serialize;

/// The checks, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChallengeCheck {
    /// The answer arrived before the challenge expired. Measured: seconds left.
    InTime,
    /// There are enough frames and not too many. Measured: their number.
    Frames,
    /// No pause is long enough to put something else before the camera. Measured: the longest time between two frames,
    /// seconds.
    Unbroken,
    /// The frames show exactly one face. Measured: the share of those that do not; 1 where any shows several.
    OneFace,
    /// All frames show the same person. Measured: the greatest distance of embeddings from the opening.
    SamePerson,
    /// The opening frames and the last frame face the camera. Measured: the greatest yaw, degrees.
    LooksAhead,
    /// The moves are the requested ones, in their order and without others. Measured: the number of right ones before
    /// the first wrong one.
    Moves,
    /// Nothing jumps. Measured: the largest step between two frames, where 1 is the most that a head moves.
    Smooth,
    /// When the head turns, the nose shifts against the mouth, because it protrudes. Measured: that shift, in units of
    /// the nose's shift against the line from eyes to mouth.
    NoseStandsOut,
    /// When the head turns, the ears shift the other way, because they lie behind. Measured: that shift, in units of
    /// the nose's.
    EarsLieBehind,
    /// When the face comes nearer, the ears appear closer together. Measured: the change as a share of their distance.
    Perspective,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChallengeCheckOutcome {
    pub check: ChallengeCheck,
    pub holds: bool,
    /// The value, the limit, and what helps.
    pub measured: LimitViolation,
}

/// The result for an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChallengeVerdict {
    /// Whether every check could be made and holds.
    pub passed: bool,
    /// All checks that could be made. Without enough opening frames there is no reference for moves.
    pub outcomes: Vec<ChallengeCheckOutcome>,
    /// The pose in each frame, where its face has one.
    pub poses: Vec<Option<HeadPose>>,
    /// Index of the frame that is best for comparing the face: frontal and large.
    pub portrait: Option<usize>,
}

impl ChallengeVerdict {
    /// The checks that failed.
    pub fn reasons(&self) -> impl Iterator<Item = &ChallengeCheckOutcome> {
        self.outcomes.iter().filter(|outcome| !outcome.holds)
    }
}

/// Fewest frames of an answer.
const MIN_FRAMES: usize = 10;
/// Longest time between two frames.
const MAX_FRAME_GAP_SECONDS: f64 = 0.6;
/// The share of frames that may show no face, or none whose pose can be measured.
const MAX_UNSEEN_SHARE: f32 = 0.1;
/// Number of frames at the beginning whose median pose is the reference.
const OPENING_FRAMES: usize = 3;
/// Greatest yaw of the opening, and of the opening and last frames relative to it.
const MAX_OPENING_DEGREES: f32 = 16.0;
/// Embeddings of a turned face vary more: its distance may be larger by this factor.
const TURNED_DISTANCE_FACTOR: f32 = 1.25;
/// The most that a head moves between two frames: degrees, distances between the ears, and factor of its size.
const MAX_STEP: (f32, f32, f32) = (32.0, 0.7, 1.3);
/// Ranges of the slopes for a face with depth: [`ChallengeCheck::NoseStandsOut`] and [`ChallengeCheck::EarsLieBehind`].
const NOSE_SLOPE_RANGE: (f32, f32) = (0.45, 2.2);
const EAR_SLOPE_RANGE: (f32, f32) = (-8.0, -1.0);
/// Least change of the ears' distance, as a share.
const MIN_EAR_DISTANCE_CHANGE: f32 = 0.03;

struct ChallengeCheckOutcomes(Vec<ChallengeCheckOutcome>);

impl ChallengeCheckOutcomes {
    fn at_least(&mut self, check: ChallengeCheck, value: f32, minimum: f32, unit: &str, hint: &'static str) {
        let measured = LimitViolation::new(value, format!("at least {minimum} {unit}"), hint);
        self.0.push(ChallengeCheckOutcome { check, holds: value >= minimum, measured });
    }

    fn at_most(&mut self, check: ChallengeCheck, value: f32, maximum: f32, unit: &str, hint: &'static str) {
        let measured = LimitViolation::new(value, format!("at most {maximum} {unit}"), hint);
        self.0.push(ChallengeCheckOutcome { check, holds: value <= maximum, measured });
    }

    fn between(
        &mut self,
        check: ChallengeCheck,
        value: f32,
        (low, high): (f32, f32),
        unit: &str,
        hint: &'static str,
    ) {
        let measured = LimitViolation::new(value, format!("{low} to {high} {unit}"), hint);
        self.0.push(ChallengeCheckOutcome { check, holds: (low..=high).contains(&value), measured });
    }
}

pub(super) fn evaluate(
    challenge: &LivenessChallenge,
    frames: &[FrameObservation],
    same: f32,
    now: Timestamp,
) -> ChallengeVerdict {
    let mut checks = ChallengeCheckOutcomes(Vec::new());
    let left = challenge.expires_at.duration_since(now).as_secs_f32();
    checks.at_least(ChallengeCheck::InTime, left, 0.0, "seconds left", "begin again, and be quicker");
    let count = frames.len() as f32;
    let limits = (MIN_FRAMES as f32, MAX_FRAMES as f32);
    checks.between(ChallengeCheck::Frames, count, limits, "frames", "send frames of all of it");
    let frames = &frames[..frames.len().min(MAX_FRAMES)];
    let poses: Vec<Option<HeadPose>> =
        frames.iter().map(|frame| frame.face.as_ref().and_then(HeadPose::of)).collect();

    // Times that do not increase, or are not numbers, count as an infinite gap.
    let gaps = frames.windows(2).filter_map(|two| Some(two.last()?.time - two.first()?.time));
    let gap = gaps.fold(0.0_f64, |longest, gap| if gap > 0.0 { longest.max(gap) } else { f64::INFINITY });
    checks.at_most(
        ChallengeCheck::Unbroken,
        gap as f32,
        MAX_FRAME_GAP_SECONDS as f32,
        "seconds between frames",
        "keep the camera on",
    );

    let unusable =
        frames.iter().zip(&poses).filter(|(frame, pose)| frame.faces > 1 || pose.is_none()).count();
    let several = frames.iter().any(|frame| frame.faces > 1);
    let share = if several { 1.0 } else { unusable as f32 / count.max(1.0) };
    checks.at_most(
        ChallengeCheck::OneFace,
        share,
        MAX_UNSEEN_SHARE,
        "of the frames without exactly one face",
        "be alone, and stay in the picture",
    );

    let visible: Vec<(usize, HeadPose)> =
        poses.iter().enumerate().filter_map(|(at, pose)| Some((at, (*pose)?))).collect();
    let portrait = visible.get(..OPENING_FRAMES).map(median).and_then(|opening| {
        let relative: Vec<(usize, RelativePose)> =
            visible.iter().map(|(at, pose)| (*at, pose.relative_to(&opening))).collect();
        check_same_person(&mut checks, frames, &relative, same);
        check_looks_ahead(&mut checks, &opening, &relative);
        check_moves(&mut checks, challenge, &relative);
        check_smooth(&mut checks, frames, &visible, &opening);
        check_depth(&mut checks, &visible, &relative, &opening);
        check_perspective(&mut checks, challenge, &visible, &relative, &opening);
        let ahead = visible.iter().zip(&relative).filter(|(_, (_, pose))| pose.is_ahead());
        ahead.max_by(|((_, a), _), ((_, b), _)| a.scale.total_cmp(&b.scale)).map(|((at, _), _)| *at)
    });
    let passed = portrait.is_some() && checks.0.iter().all(|outcome| outcome.holds);
    ChallengeVerdict { passed, outcomes: checks.0, poses, portrait }
}

/// The median of each number of the poses.
fn median(poses: &[(usize, HeadPose)]) -> HeadPose {
    let middle = |number: fn(&HeadPose) -> f32| {
        let mut numbers: Vec<f32> = poses.iter().map(|(_, pose)| number(pose)).collect();
        numbers.sort_by(f32::total_cmp);
        numbers.get(numbers.len() / 2).copied().unwrap_or_default()
    };
    HeadPose {
        yaw: middle(|pose| pose.yaw),
        pitch: middle(|pose| pose.pitch),
        roll: middle(|pose| pose.roll),
        scale: middle(|pose| pose.scale),
        nose: middle(|pose| pose.nose),
        nose_to_mouth: middle(|pose| pose.nose_to_mouth),
        ears: middle(|pose| pose.ears),
        width: middle(|pose| pose.width),
        height: middle(|pose| pose.height),
    }
}

/// Compares the embedding of every frame with the mean of the opening frames.
fn check_same_person(
    checks: &mut ChallengeCheckOutcomes,
    frames: &[FrameObservation],
    relative: &[(usize, RelativePose)],
    same: f32,
) {
    let embedding = |at: usize| frames.get(at).and_then(|frame| frame.embedding.as_deref());
    let opening = mean_embedding(
        relative.iter().take(OPENING_FRAMES).filter_map(|(at, _)| Some((embedding(*at)?, 1.0))),
    );
    let distances = relative.iter().map(|(at, pose)| {
        let distance =
            opening.as_deref().zip(embedding(*at)).map_or(f32::INFINITY, |(a, b)| embedding_distance(a, b));
        if pose.is_ahead() { distance } else { distance / TURNED_DISTANCE_FACTOR }
    });
    let worst = distances.fold(0.0, f32::max);
    checks.at_most(
        ChallengeCheck::SamePerson,
        worst,
        same,
        "distance of the faces",
        "one person does all of it",
    );
}

fn check_looks_ahead(
    checks: &mut ChallengeCheckOutcomes,
    opening: &HeadPose,
    relative: &[(usize, RelativePose)],
) {
    let first = relative.iter().take(OPENING_FRAMES).map(|(_, pose)| pose.yaw.abs());
    let last = relative.last().map(|(_, pose)| pose.yaw.abs());
    let yaw = first.chain(last).fold(opening.yaw.abs(), f32::max);
    checks.at_most(
        ChallengeCheck::LooksAhead,
        yaw,
        MAX_OPENING_DEGREES,
        "degrees",
        "begin and end with a look into the camera",
    );
}

fn check_moves(
    checks: &mut ChallengeCheckOutcomes,
    challenge: &LivenessChallenge,
    relative: &[(usize, RelativePose)],
) {
    let made = head_movements::detect_moves(challenge.kind, relative);
    let right =
        made.iter().zip(&challenge.moves).take_while(|((made, _), requested)| made == *requested).count();
    let requested = challenge.moves.len();
    // A surplus move counts as a wrong one.
    let right = if made.len() > requested { right.min(requested.saturating_sub(1)) } else { right };
    let unit = "moves as requested";
    checks.at_least(
        ChallengeCheck::Moves,
        right as f32,
        requested as f32,
        unit,
        "follow the moves that are shown",
    );
}

fn check_smooth(
    checks: &mut ChallengeCheckOutcomes,
    frames: &[FrameObservation],
    visible: &[(usize, HeadPose)],
    opening: &HeadPose,
) {
    let (degrees, widths, times) = MAX_STEP;
    let middle = |at: usize| {
        let face = frames.get(at)?.face?;
        Some([f32::midpoint(face.left, face.right), f32::midpoint(face.top, face.bottom)])
    };
    let step = |two: &[(usize, HeadPose)]| {
        let [(first, a), (second, b)] = two else { return None };
        let ([from_x, from_y], [to_x, to_y]) = (middle(*first)?, middle(*second)?);
        let (before, after) = (a.relative_to(opening), b.relative_to(opening));
        let turn = (after.yaw - before.yaw).abs().max((after.pitch - before.pitch).abs()) / degrees;
        let slide = (to_x - from_x).hypot(to_y - from_y) / (a.width * a.scale * widths);
        let growth = (b.scale / a.scale).ln().abs() / times.ln();
        Some(turn.max(slide).max(growth))
    };
    let largest = visible.windows(2).filter_map(step).fold(0.0, f32::max);
    let unit = "of what a head moves between two frames";
    checks.at_most(ChallengeCheck::Smooth, largest, 1.0, unit, "move slowly, and keep the face free");
}

/// Regresses the shifts of mouth and ears on that of the nose, over all frames in which the head is turned to a side:
/// the slope of a line through the opening pose.
fn check_depth(
    checks: &mut ChallengeCheckOutcomes,
    visible: &[(usize, HeadPose)],
    relative: &[(usize, RelativePose)],
    opening: &HeadPose,
) {
    let (mut squares, mut mouth, mut ears) = (0.0, 0.0, 0.0);
    for ((_, pose), (_, change)) in visible.iter().zip(relative) {
        if change.yaw.abs() > AHEAD_DEGREES {
            let nose = pose.nose - opening.nose;
            squares += nose * nose;
            mouth += nose * (pose.nose_to_mouth - opening.nose_to_mouth);
            ears += nose * (pose.ears - opening.ears);
        }
    }
    let slope = |sum: f32| if squares > 0.0 { sum / squares } else { 0.0 };
    checks.between(
        ChallengeCheck::NoseStandsOut,
        slope(mouth),
        NOSE_SLOPE_RANGE,
        "of its shift against eyes and mouth",
        "show a face, not a picture of one",
    );
    checks.between(
        ChallengeCheck::EarsLieBehind,
        slope(ears),
        EAR_SLOPE_RANGE,
        "of the nose's shift",
        "show a face, not a picture of one",
    );
}

/// Compares frontal frames close to the camera with the opening. Farther away the distance of the ears changes too
/// little to tell a head from a flat photo.
fn check_perspective(
    checks: &mut ChallengeCheckOutcomes,
    challenge: &LivenessChallenge,
    visible: &[(usize, HeadPose)],
    relative: &[(usize, RelativePose)],
    opening: &HeadPose,
) {
    if !challenge.moves.contains(&ChallengeMove::Nearer) {
        return;
    }
    let is_near =
        |pose: &RelativePose| pose.is_ahead() && pose.scale >= head_movements::nearer_scale(challenge.kind);
    let near = visible.iter().zip(relative).filter(|(_, (_, pose))| is_near(pose));
    let near: Vec<(usize, HeadPose)> = near.map(|(pose, _)| *pose).collect();
    let change = if near.is_empty() { 0.0 } else { 1.0 - median(&near).width / opening.width };
    let hint = "come nearer with the whole head";
    checks.at_least(
        ChallengeCheck::Perspective,
        change,
        MIN_EAR_DISTANCE_CHANGE,
        "of the ears' distance",
        hint,
    );
}
