//! Whether a face that came nearer has depth, from the pixels of two pictures of it.
//!
//! When a flat photo comes nearer, all its points move as a plane does, however it is held. Of a head, what lies further
//! back (cheeks, temples, jaw) grows less than what lies in front. Small patches of the farther picture are found again in
//! the nearer one; a model of their shifts is fitted that has the movement of a plane and, on top of it, the movement that
//! the depth of a mean head adds (plane and parallax, as in Hartley and Zisserman, Multiple View Geometry, 13.3). The part
//! of the second that is explained by coming nearer, beside what a head of that size would show, is the measure.
//!
//! What the detector says of a face's points serves to lay the two pictures upon each other and for nothing else: its
//! points follow a shape that the net has learnt, and show depth where there is none.

use crate::{Face, challenge::HeadPose};
use base::Picture;
use pixels::solve_linear_system;

/// Pixels of the sampled faces for each distance between the eyes.
const PX_PER_EYE_DISTANCE: f32 = 40.0;
/// The sampled window, in eye distances from the midpoint of the eyes: left, top, right, bottom.
const WINDOW_EYE_DISTANCES: [f32; 4] = [-1.5, -1.5, 1.5, 2.1];
/// [`HeadPose::scale`] of a mean face, in eye distances.
const MEAN_SCALE_EYE_DISTANCES: f32 = 1.45;
/// Half the side of a patch, pixels.
const PATCH_RADIUS_PX: i32 = 6;
/// From one patch to the next, pixels: they hardly overlap, so that their errors are their own.
const PATCH_STEP_PX: usize = 9;
/// How far a patch is looked for, pixels.
const SEARCH_RADIUS_PX: i32 = 9;
/// The least deviation of the luma within a patch (0 to 255) in each direction: without it there is nothing to find again.
const MIN_PATCH_GRADIENT: f64 = 1.6;
/// The least correlation of a patch that was found again.
const MIN_CORRELATION: f64 = 0.75;
/// Patches that must be found again for the fit to mean something.
const MIN_PATCHES: usize = 30;
/// The least distance between the eyes in the farther picture, pixels.
const MIN_EYE_DISTANCE_PX: f32 = 24.0;
/// Parameters: eight of a plane's movement, three of the parallax.
const PARAMETERS: usize = 11;
/// Where in the parameters the parallax of coming nearer stands.
const APPROACH_PARAMETER: usize = 10;
/// Rounds of the robust fit.
const FIT_ROUNDS: usize = 12;
/// Tukey's constant: at 95 % efficiency for normal errors.
const TUKEY_DEVIATIONS: f64 = 4.685;
/// The focal length of a camera that people hold before their face, in longer sides of its picture; they differ by a third.
const FOCAL_LENGTH_SIDES: f32 = 0.9;

/// What two pictures of a face that came nearer say of its depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceRelief {
    /// The depth that was seen, beside that of a mean head: about 1 of a head, 0 of a flat photo. Cameras' focal lengths
    /// and heads differ, so heads spread from about 0.5 to 2.
    pub relief: f32,
    /// The standard error of `relief`.
    pub error: f32,
    /// How often larger the face is in the nearer picture.
    pub growth: f32,
    /// Patches of the face that were found again and agree with the fit.
    pub patches: usize,
}

/// What a face is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReliefVerdict {
    /// It has the depth of a head.
    Head,
    /// It may or may not have.
    Unclear,
    /// It has not.
    Flat,
}

/// The least relief of a head. Simulated heads have more, and bent and folded photos hardly ever as much; `docs/ACCURACY.md` has
/// the figures.
pub const MIN_HEAD_RELIEF: f32 = 0.6;
/// The largest standard error of a relief that counts as that of a head.
const MAX_HEAD_ERROR: f32 = 0.35;

impl FaceRelief {
    pub fn verdict(&self) -> ReliefVerdict {
        if self.relief >= MIN_HEAD_RELIEF && self.error <= MAX_HEAD_ERROR {
            ReliefVerdict::Head
        } else if self.relief + 2.0 * self.error < MIN_HEAD_RELIEF {
            ReliefVerdict::Flat
        } else {
            ReliefVerdict::Unclear
        }
    }

    /// Measures the relief of a face in a farther and a nearer picture. `None` if that cannot be told: the face is too small
    /// or did not come nearer, or too little of it was found again.
    pub fn measure(far: (&Picture, &Face), near: (&Picture, &Face)) -> Option<Self> {
        let (far_frame, near_frame) = (FaceFrame::of(far.1)?, FaceFrame::of(near.1)?);
        let growth = near_frame.eye_distance / far_frame.eye_distance;
        if far_frame.eye_distance < MIN_EYE_DISTANCE_PX || growth <= 1.0 {
            return None;
        }
        let (far_luma, near_luma) = (far_frame.sample(far.0), near_frame.sample(near.0));
        let shifts = patch_shifts(&far_luma, &near_luma);
        let (parameters, errors, patches) = fit(&shifts)?;
        // Of a head at the distance `near`, the parallax is -(1 / near - 1 / far), in eye distances.
        let longer_side = near.0.width().max(near.0.height()) as f32;
        let near_distance = FOCAL_LENGTH_SIDES * longer_side / near_frame.eye_distance;
        let expected = f64::from((1.0 - 1.0 / growth) / near_distance);
        let relief = Self {
            relief: (-parameters / expected) as f32,
            error: (errors / expected) as f32,
            growth,
            patches,
        };
        (relief.relief.is_finite() && relief.error.is_finite()).then_some(relief)
    }
}

/// Where a face lies in its picture: the midpoint of the eyes, the direction from one to the other, and their distance.
struct FaceFrame {
    origin: [f32; 2],
    along: [f32; 2],
    eye_distance: f32,
}

impl FaceFrame {
    fn of(face: &Face) -> Option<Self> {
        let pose = HeadPose::of(face)?;
        let [right_eye, left_eye, ..] = face.points;
        let origin = [0, 1].map(|axis| f32::midpoint(right_eye[axis], left_eye[axis]));
        let (sin, cos) = pose.roll.to_radians().sin_cos();
        let eye_distance = pose.scale / MEAN_SCALE_EYE_DISTANCES;
        (eye_distance > 0.0).then_some(Self { origin, along: [cos, sin], eye_distance })
    }

    /// The window around the face, upright, at a fixed number of pixels for each eye distance.
    fn sample(&self, picture: &Picture) -> LumaWindow {
        let [left, top, right, bottom] = WINDOW_EYE_DISTANCES;
        let pixels = |length: f32| (length * PX_PER_EYE_DISTANCE).round() as usize;
        let (width, height) = (pixels(right - left), pixels(bottom - top));
        let step = self.eye_distance / PX_PER_EYE_DISTANCE;
        // Where a pixel of the window covers several of the picture, as many are averaged.
        let samples = (step.ceil() as usize).clamp(1, 8);
        let mut luma = Vec::with_capacity(width * height);
        for row in 0..height {
            for column in 0..width {
                let mut sum = 0.0;
                for below in 0..samples {
                    for beside in 0..samples {
                        let part = |index: usize| (index as f32 + 0.5) / samples as f32;
                        let x = (column as f32 + part(beside)) / PX_PER_EYE_DISTANCE + left;
                        let y = (row as f32 + part(below)) / PX_PER_EYE_DISTANCE + top;
                        sum += luma_at(picture, self.place([x, y]));
                    }
                }
                luma.push(sum / (samples * samples) as f32);
            }
        }
        LumaWindow { width, height, luma }
    }

    /// The point of the picture for a point in eye distances from the midpoint of the eyes.
    fn place(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let [cos, sin] = self.along;
        let [across, down] = [x * cos - y * sin, x * sin + y * cos];
        [self.origin[0] + across * self.eye_distance, self.origin[1] + down * self.eye_distance]
    }
}

/// The luma of a picture at a point, bilinear; 0 to 255. Beyond the edge it is that of the edge.
fn luma_at(picture: &Picture, [x, y]: [f32; 2]) -> f32 {
    let (x, y) = (x - 0.5, y - 0.5);
    let (left, top) = (x.floor(), y.floor());
    let at = |right: i64, down: i64| {
        let column = (left as i64 + right).clamp(0, i64::from(picture.width()) - 1);
        let row = (top as i64 + down).clamp(0, i64::from(picture.height()) - 1);
        let [red, green, blue] = picture.pixel(column, row).map(f32::from);
        0.299 * red + 0.587 * green + 0.114 * blue
    };
    let mix = |from: f32, to: f32, share: f32| from + (to - from) * share;
    let above = mix(at(0, 0), at(1, 0), x - left);
    let below = mix(at(0, 1), at(1, 1), x - left);
    mix(above, below, y - top)
}

struct LumaWindow {
    width: usize,
    height: usize,
    luma: Vec<f32>,
}

impl LumaWindow {
    /// The pixels of a patch around a point, less their mean, and the root of the sum of their squares; `None` where the
    /// patch is not all within.
    fn patch(&self, x: i32, y: i32) -> Option<(Vec<f32>, f64)> {
        let inside = |at: i32, length: usize| at >= PATCH_RADIUS_PX && at + PATCH_RADIUS_PX < length as i32;
        if !inside(x, self.width) || !inside(y, self.height) {
            return None;
        }
        let side = (2 * PATCH_RADIUS_PX + 1) as usize;
        let mut pixels = Vec::with_capacity(side * side);
        for row in y - PATCH_RADIUS_PX..=y + PATCH_RADIUS_PX {
            let start = row as usize * self.width + (x - PATCH_RADIUS_PX) as usize;
            pixels.extend_from_slice(&self.luma[start..start + side]);
        }
        let mean = pixels.iter().sum::<f32>() / pixels.len() as f32;
        let mut squares = 0.0;
        for pixel in &mut pixels {
            *pixel -= mean;
            squares += f64::from(*pixel * *pixel);
        }
        Some((pixels, squares.sqrt()))
    }

    /// Whether a patch has structure in every direction, as the smaller eigenvalue of its gradients' covariance tells.
    fn is_structured(&self, x: i32, y: i32) -> bool {
        let at = |x: i32, y: i32| f64::from(self.luma[y as usize * self.width + x as usize]);
        let (mut xx, mut xy, mut yy, mut count) = (0.0, 0.0, 0.0, 0.0);
        for row in y - PATCH_RADIUS_PX + 1..y + PATCH_RADIUS_PX {
            for column in x - PATCH_RADIUS_PX + 1..x + PATCH_RADIUS_PX {
                let across = (at(column + 1, row) - at(column - 1, row)) / 2.0;
                let down = (at(column, row + 1) - at(column, row - 1)) / 2.0;
                (xx, xy, yy, count) =
                    (xx + across * across, xy + across * down, yy + down * down, count + 1.0);
            }
        }
        let (mean, difference) = (f64::midpoint(xx, yy), (xx - yy) / 2.0);
        let smaller = mean - difference.hypot(xy);
        (smaller / count).max(0.0).sqrt() >= MIN_PATCH_GRADIENT
    }
}

/// A patch that was found again: where it is in the farther picture and how far it has moved, in eye distances.
struct PatchShift {
    at: [f64; 2],
    shift: [f64; 2],
}

/// Finds the patches of the farther picture again in the nearer one.
fn patch_shifts(far: &LumaWindow, near: &LumaWindow) -> Vec<PatchShift> {
    let [left, top, ..] = WINDOW_EYE_DISTANCES;
    let scale = f64::from(PX_PER_EYE_DISTANCE);
    let mut shifts = Vec::new();
    for y in (0..far.height).step_by(PATCH_STEP_PX) {
        for x in (0..far.width).step_by(PATCH_STEP_PX) {
            let at = [(x as f64 + 0.5) / scale + f64::from(left), (y as f64 + 0.5) / scale + f64::from(top)];
            if head_depth(at).is_none() {
                continue;
            }
            let (x, y) = (x as i32, y as i32);
            let Some((patch, norm)) = far.patch(x, y) else { continue };
            if !far.is_structured(x, y) {
                continue;
            }
            if let Some([across, down]) = find_patch(&patch, norm, near, x, y) {
                shifts.push(PatchShift { at, shift: [across / scale, down / scale] });
            }
        }
    }
    shifts
}

/// The shift of a patch in pixels, to a part of a pixel; `None` if it is not found, or at the edge of where it is looked for.
fn find_patch(patch: &[f32], norm: f64, near: &LumaWindow, x: i32, y: i32) -> Option<[f64; 2]> {
    let side = (2 * SEARCH_RADIUS_PX + 1) as usize;
    let mut correlations = vec![-1.0f64; side * side];
    let mut best = (-1.0, 0, 0);
    for down in -SEARCH_RADIUS_PX..=SEARCH_RADIUS_PX {
        for across in -SEARCH_RADIUS_PX..=SEARCH_RADIUS_PX {
            let Some((other, other_norm)) = near.patch(x + across, y + down) else { continue };
            let product: f32 = patch.iter().zip(&other).map(|(a, b)| a * b).sum();
            let correlation = f64::from(product) / (norm * other_norm).max(f64::EPSILON);
            let place = (down + SEARCH_RADIUS_PX) as usize * side + (across + SEARCH_RADIUS_PX) as usize;
            correlations[place] = correlation;
            if correlation > best.0 {
                best = (correlation, across, down);
            }
        }
    }
    let (correlation, across, down) = best;
    let at_edge = across.abs() == SEARCH_RADIUS_PX || down.abs() == SEARCH_RADIUS_PX;
    if correlation < MIN_CORRELATION || at_edge {
        return None;
    }
    let value = |right: i32, below: i32| {
        correlations
            [(down + below + SEARCH_RADIUS_PX) as usize * side + (across + right + SEARCH_RADIUS_PX) as usize]
    };
    // The top of the parabola through the best value and its neighbours.
    let top = |before: f64, after: f64| {
        let curvature = before - 2.0 * correlation + after;
        if curvature < 0.0 { ((before - after) / (2.0 * curvature)).clamp(-0.5, 0.5) } else { 0.0 }
    };
    Some([
        f64::from(across) + top(value(-1, 0), value(1, 0)),
        f64::from(down) + top(value(0, -1), value(0, 1)),
    ])
}

/// How far a point of a mean head lies behind its front, in eye distances; `None` beyond what is looked at. An ellipsoid
/// 17 cm wide, 25 cm high and 18 cm deep, with a nose, at 6.3 cm between the eyes.
fn head_depth([x, y]: [f64; 2]) -> Option<f64> {
    const HALF_WIDTH: f64 = 1.35;
    const HALF_HEIGHT: f64 = 1.95;
    const HALF_DEPTH: f64 = 1.45;
    const CENTRE_BELOW_EYES: f64 = 0.3;
    const NOSE_HEIGHT: f64 = 0.3;
    const MAX_SHARE: f64 = 0.85;
    let share = (x / HALF_WIDTH).powi(2) + ((y - CENTRE_BELOW_EYES) / HALF_HEIGHT).powi(2);
    let nose = NOSE_HEIGHT * (-(x / 0.22).powi(2) - ((y - 0.55) / 0.35).powi(2)).exp();
    (share <= MAX_SHARE).then(|| HALF_DEPTH * (1.0 - (1.0 - share).sqrt()) - nose)
}

type Parameters = [f64; PARAMETERS];

/// The two rows of the model for a point: how each parameter moves it to the right and down.
fn model_rows([x, y]: [f64; 2], depth: f64) -> [Parameters; 2] {
    [
        [1.0, x, y, 0.0, 0.0, 0.0, x * x, x * y, depth, 0.0, depth * x],
        [0.0, 0.0, 0.0, 1.0, x, y, x * y, y * y, 0.0, depth, depth * y],
    ]
}

/// Fits the model robustly; the parallax of coming nearer, its standard error, and how many patches agree. `None` if there
/// are too few.
fn fit(shifts: &[PatchShift]) -> Option<(f64, f64, usize)> {
    let points: Vec<_> = shifts
        .iter()
        .filter_map(|shift| Some((model_rows(shift.at, head_depth(shift.at)?), shift.shift)))
        .collect();
    if points.len() < MIN_PATCHES {
        return None;
    }
    let mut weights = vec![1.0; points.len()];
    let mut fitted = None;
    for _ in 0..FIT_ROUNDS {
        let (mut normal, mut right_side) = ([[0.0; PARAMETERS]; PARAMETERS], [0.0; PARAMETERS]);
        for ((rows, shift), weight) in points.iter().zip(&weights) {
            for (row, moved) in rows.iter().zip(shift) {
                for ((line, sum), value) in normal.iter_mut().zip(&mut right_side).zip(row) {
                    for (cell, other) in line.iter_mut().zip(row) {
                        *cell += value * other * weight;
                    }
                    *sum += value * moved * weight;
                }
            }
        }
        let solution = solve_linear_system(normal, right_side)?;
        let mut unit = [0.0; PARAMETERS];
        unit[APPROACH_PARAMETER] = 1.0;
        // The diagonal element of the inverse.
        let variance = solve_linear_system(normal, unit)?[APPROACH_PARAMETER];
        let predict = |row: &Parameters| row.iter().zip(&solution).map(|(a, b)| a * b).sum::<f64>();
        let residuals: Vec<f64> = points
            .iter()
            .map(|([across, down], shift)| (predict(across) - shift[0]).hypot(predict(down) - shift[1]))
            .collect();
        let mut sorted = residuals.clone();
        sorted.sort_by(f64::total_cmp);
        // The median length of a normal error in two dimensions is 1.18 deviations of one.
        let deviation = (sorted.get(sorted.len() / 2)? / 1.18).max(1e-4);
        let limit = TUKEY_DEVIATIONS * deviation;
        for (weight, residual) in weights.iter_mut().zip(&residuals) {
            *weight = (1.0 - (residual / limit).powi(2)).max(0.0).powi(2);
        }
        let agreeing = weights.iter().filter(|weight| **weight > 0.0).count();
        fitted = Some((solution[APPROACH_PARAMETER], deviation * variance.max(0.0).sqrt(), agreeing));
    }
    fitted.filter(|(.., agreeing)| *agreeing >= MIN_PATCHES)
}
