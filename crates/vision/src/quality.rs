//! Quality of a face in a picture, by which a track chooses its best frames and enrolment refuses faces that show too
//! little.

use crate::{
    Face,
    crop::{self, CropSquare, nearest_right_angle},
    model_manifest::{ChannelOrder, CropRule, CropSpec, ModelInput},
};
use base::Picture;

/// Side in pixels of the crop on which sharpness is measured: about the resolution that the nets see.
const SHARPNESS_CROP_SIDE: u32 = 96;

/// Length in pixels of the face box's shorter side at which the size counts half.
const HALF_SCORE_PIXELS: f32 = 60.0;

/// Quality of a face in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct FaceQuality {
    /// Shorter side of the face box, pixels of the picture.
    pub side: f32,
    /// 0 (blurred) to 1 (every pixel differs from the next): the share of the differences between neighbouring pixels
    /// that smoothing removes, in the direction where it removes less, on the face scaled to 96 pixels. So a face with
    /// fewer pixels is less sharp, too. About 0.6 for studio portraits, 0.4 to 0.5 for snapshots.
    pub sharpness: f32,
    /// Mean luma over the face box, 0 to 255 (ITU-R BT.601).
    pub luma: f32,
    /// 0 (profile, or implausible points) to 1 (looks into the lens), from the positions of eyes, nose, mouth and ears.
    pub frontal: f32,
    /// All of these in one number, 0 to 1; never decreases when size, sharpness or `frontal` increases.
    pub score: f32,
}

/// Assesses a face without a net; takes about as long as one crop.
pub(crate) fn assess(picture: &Picture, face: &Face) -> FaceQuality {
    let side = face.width().min(face.height()).max(0.0);
    let (sharpness, luma, frontal) = (sharpness(picture, face), face_luma(picture, face), frontal(face));
    let size = side / (side + HALF_SCORE_PIXELS);
    let sharp = (sharpness / 0.6).min(1.0);
    let light = ((luma - 20.0) / 50.0).min((250.0 - luma) / 40.0).clamp(0.0, 1.0);
    // A profile still scores a tenth, so that of several profiles one is the best.
    let score = size * sharp * light.sqrt() * (0.1 + 0.9 * frontal);
    // Coordinates that are not finite score 0.
    let score = if score.is_finite() { score.clamp(0.0, 1.0) } else { 0.0 };
    FaceQuality { side, sharpness, luma, frontal, score }
}

/// Mean luma of a face, 0 to 255 (ITU-R BT.601), over the part of its box inside the picture; 0 where none is.
pub fn face_luma(picture: &Picture, face: &Face) -> f32 {
    let clamp = |value: f32, limit: u32| value.clamp(0.0, limit as f32) as usize;
    let (left, right) = (clamp(face.left, picture.width()), clamp(face.right.ceil(), picture.width()));
    let (top, bottom) = (clamp(face.top, picture.height()), clamp(face.bottom.ceil(), picture.height()));
    if left >= right || top >= bottom {
        return 0.0;
    }
    let width = picture.width() as usize * 3;
    // Sums of columns over all rows, which vectorises; a picture has too few rows to overflow 32 bits.
    let mut columns = vec![0_u32; (right - left) * 3];
    for row in picture.rgb().chunks_exact(width).take(bottom).skip(top) {
        for (sum, &value) in columns.iter_mut().zip(&row[left * 3..right * 3]) {
            *sum += u32::from(value);
        }
    }
    let mut sum = [0_u64; 3];
    for pixel in columns.chunks_exact(3) {
        for (sum, &value) in sum.iter_mut().zip(pixel) {
            *sum += u64::from(value);
        }
    }
    let count = ((right - left) * (bottom - top)) as f64;
    let [red, green, blue] = sum.map(|sum| sum as f64 / count);
    (0.299 * red + 0.587 * green + 0.114 * blue) as f32
}

/// Sharpness in the less sharp of both directions, because motion blur affects one.
fn sharpness(picture: &Picture, face: &Face) -> f32 {
    let input = ModelInput {
        name: String::new(),
        width: SHARPNESS_CROP_SIDE,
        height: SHARPNESS_CROP_SIDE,
        colour: ChannelOrder::Rgb,
        mean: [0.0; 3],
        scale: [1.0; 3],
        crop: CropSpec { rule: CropRule::Box, scales: vec![1.0], joined: false },
    };
    let square = CropSquare::around(face, CropRule::Box, 1.0);
    if !square.is_sound() {
        return 0.0;
    }
    let mut planes = Vec::new();
    crop::write_crop(picture, square, &input, &mut planes);
    let side = SHARPNESS_CROP_SIDE as usize;
    let (red, rest) = planes.split_at(side * side);
    let (green, blue) = rest.split_at(side * side);
    let luma: Vec<f32> = red
        .iter()
        .zip(green)
        .zip(blue)
        .map(|((red, green), blue)| 0.299 * red + 0.587 * green + 0.114 * blue)
        .collect();
    let turned: Vec<f32> = (0..side * side)
        .map(|at| luma.get(at % side * side + at / side).copied().unwrap_or_default())
        .collect();
    smoothing_loss(&luma).min(smoothing_loss(&turned))
}

/// The share of the differences along rows that smoothing over nine pixels removes.
fn smoothing_loss(luma: &[f32]) -> f32 {
    let (mut all, mut lost) = (0.0, 0.0);
    for row in luma.chunks_exact(SHARPNESS_CROP_SIDE as usize) {
        let smooth: Vec<f32> = row.windows(9).map(|nine| nine.iter().sum::<f32>() / 9.0).collect();
        for (sharp, smooth) in row[4..].windows(2).zip(smooth.windows(2)) {
            // Differences of less than a step of brightness are noise.
            let difference = (sharp[1] - sharp[0]).abs();
            all += difference;
            lost += (difference - (smooth[1] - smooth[0]).abs()).max(0.0);
        }
    }
    if all > 0.0 { lost / all } else { 0.0 }
}

/// How frontal a face is, 0 to 1.
///
/// From three signs, each 1 for a frontal face: the nose midway between the eyes and between the ears (yaw), the nose
/// between eyes and mouth (pitch), and level eyes (roll, which counts least because crops are derotated).
pub(crate) fn frontal(face: &Face) -> f32 {
    let [right_eye, left_eye, nose, mouth, right_ear, left_ear] = face.points;
    let eyes = [left_eye[0] - right_eye[0], left_eye[1] - right_eye[1]];
    let eye_distance = eyes[0].hypot(eyes[1]);
    if eye_distance.is_nan() || eye_distance <= 0.0 {
        return 0.0;
    }
    // The face's own axes: along the line of the eyes, and down.
    let along = eyes.map(|part| part / eye_distance);
    let middle = [f32::midpoint(right_eye[0], left_eye[0]), f32::midpoint(right_eye[1], left_eye[1])];
    let across = |point: [f32; 2]| (point[0] - middle[0]) * along[0] + (point[1] - middle[1]) * along[1];
    let down = |point: [f32; 2]| (point[1] - middle[1]) * along[0] - (point[0] - middle[0]) * along[1];
    // 1 up to the tolerance, 0 from the limit on.
    let straight = |off: f32, tolerance: f32, limit: f32| {
        1.0 - ((off.abs() - tolerance) / (limit - tolerance)).clamp(0.0, 1.0)
    };

    // In a profile the nose is beyond an eye.
    let by_eyes = straight((across(nose) - 0.5 * across(mouth)) / eye_distance, 0.1, 0.6);
    let (to_right, to_left) = (across(nose) - across(right_ear), across(left_ear) - across(nose));
    let wide = (to_right + to_left).max(f32::EPSILON);
    let by_ears = straight((to_right - to_left) / wide, 0.15, 1.0);
    // Pitched up, the nose comes closer to the eyes; pitched down, closer to the mouth.
    let high = down(mouth);
    let by_pitch = if high > 0.0 { straight(down(nose) / high - 0.55, 0.15, 0.6) } else { 0.0 };
    let long = straight((high / eye_distance - 1.1) / 1.1, 0.3, 1.0);
    // A picture that is rotated by a right angle is no fault of the face.
    let tilt = eyes[1].atan2(eyes[0]) - nearest_right_angle(face.roll());
    let roll = straight(tilt.sin().atan2(tilt.cos()), 0.35, 2.0);
    let frontal = by_eyes.min(by_ears) * by_pitch.min(long) * roll;
    if frontal.is_finite() { frontal } else { 0.0 }
}
