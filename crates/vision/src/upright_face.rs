//! Whether a detected face is upright, by where its key points lie in its box.

use crate::Face;
use std::ops::RangeInclusive;

/// How many numbers [`upright_features`] has.
pub const UPRIGHT_FEATURES: usize = 10;

/// Longer side of the boxes, in pixels of the input, on which [`UPRIGHT_WEIGHTS`] were fitted.
pub(crate) const UPRIGHT_FITTED_INPUT_PIXELS: RangeInclusive<f32> = 50.0..=160.0;

/// Weights of [`upright_probability`] for each of [`upright_features`], and their sum's offset. Fitted by
/// `training/orientation`.
const UPRIGHT_WEIGHTS: [f32; UPRIGHT_FEATURES] =
    [-182.78, 53.62, 48.96, -12.32, 13.04, -22.1, 30.43, -0.68, -24.15, 4.82];
const UPRIGHT_OFFSET: f32 = 0.29;

/// From these probabilities on a face is clearly upright, and probably.
const CLEARLY_UPRIGHT_PROBABILITY: f32 = 0.9;
const PROBABLY_UPRIGHT_PROBABILITY: f32 = 0.5;

/// The largest roll of a face that hardly leans.
const MAX_LEVEL_ROLL_RADIANS: f32 = 0.35;

/// Whether a face that was detected with its box at [`UPRIGHT_FITTED_INPUT_PIXELS`] is clearly upright, and not one that
/// is sideways or upside down. The net finds most of those too, with the eyes where the mouth is, and one in eight
/// with a score as high as that of upright faces: only where its key points lie in the box tells them apart.
pub(crate) fn is_clearly_upright(face: &Face) -> bool {
    is_level(face) && upright_probability(face) >= CLEARLY_UPRIGHT_PROBABILITY
}

/// Whether it is probably upright: certain enough where another look says so, too.
pub(crate) fn is_probably_upright(face: &Face) -> bool {
    is_level(face) && upright_probability(face) >= PROBABLY_UPRIGHT_PROBABILITY
}

/// Whether a face hardly leans: its eyes are beside each other, on whichever side of the mouth.
pub(crate) fn is_level(face: &Face) -> bool {
    face.roll().abs() < MAX_LEVEL_ROLL_RADIANS
}

/// Probability that a face whose roll is small is upright, 0 to 1.
fn upright_probability(face: &Face) -> f32 {
    let features = upright_features(face);
    let sum: f32 = features.iter().zip(UPRIGHT_WEIGHTS).map(|(feature, weight)| feature * weight).sum();
    1.0 / (1.0 + (-(sum + UPRIGHT_OFFSET)).exp())
}

/// Where the key points lie in the box, as shares of its sides, and the score. A mirror image has the same features.
pub fn upright_features(face: &Face) -> [f32; UPRIGHT_FEATURES] {
    let inside = face.points.map(|[x, y]| [(x - face.left) / face.width(), (y - face.top) / face.height()]);
    let [right_eye, left_eye, nose, mouth, right_ear, left_ear] = inside;
    let middle = f32::midpoint(right_eye[0], left_eye[0]);
    [
        f32::midpoint(right_eye[1], left_eye[1]),
        nose[1],
        mouth[1],
        f32::midpoint(right_ear[1], left_ear[1]),
        (left_eye[0] - right_eye[0]).abs(),
        (left_ear[0] - right_ear[0]).abs(),
        (nose[0] - middle).abs(),
        (right_eye[1] - left_eye[1]).abs(),
        (mouth[0] - middle).abs(),
        (face.score / (1.0 - face.score + 1e-6)).ln(),
    ]
}
