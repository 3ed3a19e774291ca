//! Holding the frames that came back against the challenge.

use super::{
    ChallengeMove, FrameObservation, LivenessChallenge, MAX_FRAMES,
    head_movements::{self, AHEAD_DEGREES, RelativePose},
    pose::HeadPose,
};
use crate::embed::{embedding_distance, mean_embedding};
use base::LimitViolation;
use jiff::Timestamp;
use serde::Serialize;

/// What is checked, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChallengeCheck {
    /// The answer came before the challenge expired. Seconds left.
    InTime,
    /// There are enough frames, and not too many. Frames.
    Frames,
    /// No pause in which anything could have been put before the camera. Seconds between frames.
    Unbroken,
    /// Frames show one face each. The share of those that do not.
    OneFace,
    /// It is the same one from beginning to end. Distance of embeddings.
    SamePerson,
    /// The first frames and the last one look ahead. Degrees.
    LooksAhead,
    /// The moves are the chosen ones, in their order, and no others. How many of them, before the first wrong one.
    Moves,
    /// Nothing jumps. The largest step between two frames, where 1 is as much as a head moves.
    Smooth,
    /// As the head turns, the nose moves before the mouth: it stands out. Shift of the nose against the mouth, where 1 is its
    /// shift against eyes and mouth.
    NoseStandsOut,
    /// As the head turns, the ears go the other way: they lie behind. Their shift, in that of the nose.
    EarsLieBehind,
    /// As the face comes nearer, the ears seem closer together. Change as a share of their distance.
    Perspective,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChallengeCheckOutcome {
    /// Which.
    pub check: ChallengeCheck,
    /// Whether it holds.
    pub holds: bool,
    /// The value, the limit, and what to do about it.
    pub measured: LimitViolation,
}

/// What was made of an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChallengeVerdict {
    /// Whether every check holds.
    pub passed: bool,
    /// All checks that could be made; without an opening look there is nothing to hold moves against.
    pub outcomes: Vec<ChallengeCheckOutcome>,
    /// The pose in each frame, where it shows a face.
    pub poses: Vec<Option<HeadPose>>,
    /// The frame that shows the face best to compare it with others: ahead, and large.
    pub portrait: Option<usize>,
}

impl ChallengeVerdict {
    /// What speaks against it.
    pub fn reasons(&self) -> impl Iterator<Item = &ChallengeCheckOutcome> {
        self.outcomes.iter().filter(|outcome| !outcome.holds)
    }
}

/// Frames of an answer at least.
const MIN_FRAMES: usize = 10;
/// Seconds between two frames at most.
const MAX_FRAME_GAP_SECONDS: f64 = 0.6;
/// The share of frames that may show no face, or none that can be measured.
const MAX_UNSEEN_SHARE: f32 = 0.1;
/// So many frames make the opening look.
const OPENING_FRAMES: usize = 3;
/// Degrees that the opening look, and the last frame against it, may be off.
const MAX_OPENING_DEGREES: f32 = 16.0;
/// Of a face that is turned the net says less surely whose it is: its distance may be larger by this.
const TURNED_DISTANCE_FACTOR: f32 = 1.25;
/// The most that a head moves from frame to frame: degrees, widths between the ears, and times its size.
const MAX_STEP: (f32, f32, f32) = (32.0, 0.7, 1.3);
/// Within these a nose stands out from a face as it turns, and ears lie behind it.
const NOSE_SLOPE_RANGE: (f32, f32) = (0.45, 2.2);
const EAR_SLOPE_RANGE: (f32, f32) = (-8.0, -1.0);
/// Change of the ears' distance at least.
const MIN_EAR_DISTANCE_CHANGE: f32 = 0.03;

struct ChallengeCheckOutcomes(Vec<ChallengeCheckOutcome>);

impl ChallengeCheckOutcomes {
    fn at_least(&mut self, check: ChallengeCheck, value: f32, least: f32, unit: &str, hint: &'static str) {
        let measured = LimitViolation::new(value, format!("at least {least} {unit}"), hint);
        self.0.push(ChallengeCheckOutcome { check, holds: value >= least, measured });
    }

    fn at_most(&mut self, check: ChallengeCheck, value: f32, most: f32, unit: &str, hint: &'static str) {
        let measured = LimitViolation::new(value, format!("at most {most} {unit}"), hint);
        self.0.push(ChallengeCheckOutcome { check, holds: value <= most, measured });
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
    seen: &[FrameObservation],
    same: f32,
    now: Timestamp,
) -> ChallengeVerdict {
    let mut checks = ChallengeCheckOutcomes(Vec::new());
    let left = challenge.expires_at.duration_since(now).as_secs_f32();
    checks.at_least(ChallengeCheck::InTime, left, 0.0, "seconds left", "begin again, and be quicker");
    let count = seen.len() as f32;
    let limits = (MIN_FRAMES as f32, MAX_FRAMES as f32);
    checks.between(ChallengeCheck::Frames, count, limits, "frames", "send frames of all of it");
    let seen = &seen[..seen.len().min(MAX_FRAMES)];
    let poses: Vec<Option<HeadPose>> =
        seen.iter().map(|seen| seen.face.as_ref().and_then(HeadPose::of)).collect();

    // Times that run backwards, or are none, are no sequence.
    let gaps = seen.windows(2).filter_map(|two| Some(two.last()?.time - two.first()?.time));
    let gap = gaps.fold(0.0_f64, |most, gap| if gap > 0.0 { most.max(gap) } else { f64::INFINITY });
    checks.at_most(
        ChallengeCheck::Unbroken,
        gap as f32,
        MAX_FRAME_GAP_SECONDS as f32,
        "seconds between frames",
        "keep the camera on",
    );

    let odd = seen.iter().zip(&poses).filter(|(seen, pose)| seen.faces > 1 || pose.is_none()).count();
    let several = seen.iter().any(|seen| seen.faces > 1);
    let share = if several { 1.0 } else { odd as f32 / count.max(1.0) };
    checks.at_most(
        ChallengeCheck::OneFace,
        share,
        MAX_UNSEEN_SHARE,
        "of the frames without exactly one face",
        "be alone, and stay in the picture",
    );

    let shown: Vec<(usize, HeadPose)> =
        poses.iter().enumerate().filter_map(|(at, pose)| Some((at, (*pose)?))).collect();
    let portrait = shown.get(..OPENING_FRAMES).map(median).and_then(|opening| {
        let turned: Vec<(usize, RelativePose)> =
            shown.iter().map(|(at, pose)| (*at, pose.relative_to(&opening))).collect();
        check_same_person(&mut checks, seen, &turned, same);
        check_looks_ahead(&mut checks, &opening, &turned);
        check_moves(&mut checks, challenge, &turned);
        check_smooth(&mut checks, seen, &shown, &opening);
        check_depth(&mut checks, &shown, &turned, &opening);
        check_perspective(&mut checks, challenge, &shown, &turned, &opening);
        let ahead = shown.iter().zip(&turned).filter(|(_, (_, turned))| turned.is_ahead());
        ahead.max_by(|((_, a), _), ((_, b), _)| a.scale.total_cmp(&b.scale)).map(|((at, _), _)| *at)
    });
    let passed = portrait.is_some() && checks.0.iter().all(|outcome| outcome.holds);
    ChallengeVerdict { passed, outcomes: checks.0, poses, portrait }
}

/// The median of each number.
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

/// Every frame against the mean of the opening ones.
fn check_same_person(
    checks: &mut ChallengeCheckOutcomes,
    seen: &[FrameObservation],
    turned: &[(usize, RelativePose)],
    same: f32,
) {
    let embedding = |at: usize| seen.get(at).and_then(|seen| seen.embedding.as_deref());
    let opening =
        mean_embedding(turned.iter().take(OPENING_FRAMES).filter_map(|(at, _)| Some((embedding(*at)?, 1.0))));
    let worst = turned.iter().map(|(at, turned)| {
        let apart =
            opening.as_deref().zip(embedding(*at)).map_or(f32::INFINITY, |(a, b)| embedding_distance(a, b));
        if turned.is_ahead() { apart } else { apart / TURNED_DISTANCE_FACTOR }
    });
    let worst = worst.fold(0.0, f32::max);
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
    turned: &[(usize, RelativePose)],
) {
    let first = turned.iter().take(OPENING_FRAMES).map(|(_, turned)| turned.yaw.abs());
    let last = turned.last().map(|(_, turned)| turned.yaw.abs());
    let off = first.chain(last).fold(opening.yaw.abs(), f32::max);
    checks.at_most(
        ChallengeCheck::LooksAhead,
        off,
        MAX_OPENING_DEGREES,
        "degrees",
        "begin and end with a look into the camera",
    );
}

fn check_moves(
    checks: &mut ChallengeCheckOutcomes,
    challenge: &LivenessChallenge,
    turned: &[(usize, RelativePose)],
) {
    let made = head_movements::detect_moves(challenge.kind, turned);
    let right = made.iter().zip(&challenge.moves).take_while(|((made, _), asked)| made == *asked).count();
    let wanted = challenge.moves.len();
    // One more than asked for is one wrong.
    let right = if made.len() > wanted { right.min(wanted.saturating_sub(1)) } else { right };
    let unit = "moves as they were asked for";
    checks.at_least(
        ChallengeCheck::Moves,
        right as f32,
        wanted as f32,
        unit,
        "follow the moves that are shown",
    );
}

fn check_smooth(
    checks: &mut ChallengeCheckOutcomes,
    seen: &[FrameObservation],
    shown: &[(usize, HeadPose)],
    opening: &HeadPose,
) {
    let (degrees, widths, times) = MAX_STEP;
    let middle = |at: usize| {
        let face = seen.get(at)?.face?;
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
    let most = shown.windows(2).filter_map(step).fold(0.0, f32::max);
    let unit = "of what a head moves between two frames";
    checks.at_most(ChallengeCheck::Smooth, most, 1.0, unit, "move slowly, and keep the face free");
}

/// How two shifts go together over all frames that are turned to a side: the slope of a line through the opening.
fn check_depth(
    checks: &mut ChallengeCheckOutcomes,
    shown: &[(usize, HeadPose)],
    turned: &[(usize, RelativePose)],
    opening: &HeadPose,
) {
    let (mut squares, mut mouth, mut ears) = (0.0, 0.0, 0.0);
    for ((_, pose), (_, turned)) in shown.iter().zip(turned) {
        if turned.yaw.abs() > AHEAD_DEGREES {
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

/// Frames that look ahead from near by against those of the opening. From farther away the ears do not move enough for the
/// net to tell a head from a sheet.
fn check_perspective(
    checks: &mut ChallengeCheckOutcomes,
    challenge: &LivenessChallenge,
    shown: &[(usize, HeadPose)],
    turned: &[(usize, RelativePose)],
    opening: &HeadPose,
) {
    if !challenge.moves.contains(&ChallengeMove::Nearer) {
        return;
    }
    let near = |turned: &RelativePose| {
        turned.is_ahead() && turned.scale >= head_movements::nearer_scale(challenge.kind)
    };
    let there = shown.iter().zip(turned).filter(|(_, (_, turned))| near(turned));
    let there: Vec<(usize, HeadPose)> = there.map(|(shown, _)| *shown).collect();
    let change = if there.is_empty() { 0.0 } else { 1.0 - median(&there).width / opening.width };
    let hint = "come nearer with the whole head";
    checks.at_least(
        ChallengeCheck::Perspective,
        change,
        MIN_EAR_DISTANCE_CHANGE,
        "of the ears' distance",
        hint,
    );
}
