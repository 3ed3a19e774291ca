//! The range of tones and colours: paper and glass lift black and wash out colour.

use super::presentation_cues::FaceSpot;
use base::Picture;

/// Tonal cues, each 0 to 1; see [`super::presentation_cues::CUE_NAMES`].
pub(super) struct ToneMeasures {
    pub(super) black: f32,
    pub(super) pale: f32,
}

/// Sample points in each direction.
const GRID_POINTS: i64 = 96;

/// Samples a grid over twice the width and height of the face.
pub(super) fn measure(picture: &Picture, face: &FaceSpot) -> ToneMeasures {
    let (w, h) = (i64::from(picture.width()), i64::from(picture.height()));
    let (left, right) = ((face.x - face.width).max(0), (face.x + face.width).min(w - 1));
    let (top, bottom) = ((face.y - face.height).max(0), (face.y + face.height).min(h - 1));
    let mut luma = [0u32; 256];
    let mut colour = [0u32; 256];
    for row in 0..GRID_POINTS {
        for column in 0..GRID_POINTS {
            let x = left + (right - left) * column / GRID_POINTS;
            let y = top + (bottom - top) * row / GRID_POINTS;
            let [r, g, b] = mean_of_four(picture, x, y);
            let grey = (77 * r + 150 * g + 29 * b) >> 8;
            luma[grey.min(255) as usize] += 1;
            let (max, min) = (r.max(g).max(b), r.min(g).min(b));
            // Skin only, because walls have any colour; and not what is nearly black, whose colour is noise.
            if max > 40 && (x - face.x).abs() * 5 < face.width * 2 && (y - face.y).abs() * 5 < face.height * 2
            {
                colour[((max - min) * 255 / max).min(255) as usize] += 1;
            }
        }
    }
    // Relative to the brightest tones, so that overexposure is not mistaken for lifted black.
    let black = quantile(&luma, 0.02) / quantile(&luma, 0.98).max(0.1);
    ToneMeasures { black: black.min(1.0), pale: 1.0 - quantile(&colour, 0.95) }
}

/// Mean of two by two pixels, so that a single dot of ink is not mistaken for a shadow.
fn mean_of_four(picture: &Picture, x: i64, y: i64) -> [u32; 3] {
    let mut sum = [0u32; 3];
    for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let pixel = picture.pixel(x + dx, y + dy);
        for (total, byte) in sum.iter_mut().zip(pixel) {
            *total += u32::from(byte);
        }
    }
    sum.map(|total| total / 4)
}

/// The quantile of a histogram at `share`, 0 to 1.
fn quantile(counts: &[u32; 256], share: f32) -> f32 {
    let all: u32 = counts.iter().sum();
    let mut left = (all as f32 * share) as u32;
    for (value, count) in counts.iter().enumerate() {
        if *count > left {
            return value as f32 / 255.0;
        }
        left -= count;
    }
    1.0
}
