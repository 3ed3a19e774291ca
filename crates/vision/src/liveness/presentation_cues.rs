//! The cues of the built-in model, unweighted.

use super::{colour_range, frame_edges, spectrum::SpectrumAnalyser};
use crate::Face;
use base::Picture;

/// Number of cues.
pub(super) const CUE_COUNT: usize = 7;

/// Names of the cues, in the order of [`measure`]. Each grows with the suspicion of an attack.
pub(super) const CUE_NAMES: [&str; CUE_COUNT] =
    ["grid_fine", "grid_coarse", "grid_colour", "grain", "lifted_black", "pale", "rim"];

/// Measures the cues of one face. All values are finite, whatever the picture and the face.
pub(super) fn measure(spectrum: &mut SpectrumAnalyser, picture: &Picture, face: &Face) -> [f32; CUE_COUNT] {
    let face = FaceSpot::of(picture, face);
    let lines = spectrum.measure(picture, &face);
    let tone = colour_range::measure(picture, &face);
    let rim = frame_edges::measure(picture, &face);
    let all =
        [lines.grid_fine, lines.grid_coarse, lines.grid_colour, lines.grain, tone.black, tone.pale, rim];
    all.map(|v| if v.is_finite() { v } else { 0.0 })
}

/// Centre and size of a face in whole pixels; the centre lies in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FaceSpot {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) width: i64,
    pub(super) height: i64,
}

impl FaceSpot {
    /// A box that is cut off, inverted or not finite becomes the nearest one that can be measured.
    pub(super) fn of(picture: &Picture, face: &Face) -> Self {
        let (w, h) = (picture.width() as f32, picture.height() as f32);
        let inside = |v: f32, limit: f32| if v.is_finite() { v.clamp(0.0, limit) } else { limit / 2.0 };
        let (left, right) = (inside(face.left, w), inside(face.right, w));
        let (top, bottom) = (inside(face.top, h), inside(face.bottom, h));
        Self {
            x: f32::midpoint(left, right) as i64,
            y: f32::midpoint(top, bottom) as i64,
            width: ((right - left) as i64).max(8),
            height: ((bottom - top) as i64).max(8),
        }
    }
}
