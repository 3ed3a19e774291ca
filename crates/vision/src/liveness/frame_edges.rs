//! Straight edges around the face that belong to one rectangle: the border of a sheet, the bezel of a display.

use super::presentation_cues::FaceSpot;
use base::Picture;

/// Longer side of the scaled-down picture in which edges are searched.
const SHRUNK_LONGER_SIDE: usize = 160;
/// Steps of slant to either side, and the size of a step (pixels across for each pixel along).
const SLANT_STEPS: i32 = 8;
const SLANT_PER_STEP: f32 = 0.02;
/// Least difference of luma (of 255) over two pixels of the scaled-down picture that counts as an edge.
const MIN_EDGE_LUMA_STEP: f32 = 9.0;

/// Sign of the horizontal gradient: 1 where the picture gets brighter to the right, -1 where it gets darker, else 0.
struct EdgeSigns {
    width: usize,
    height: usize,
    signs: Vec<i8>,
}

/// Luma of the scaled-down picture.
struct ShrunkLuma {
    width: usize,
    height: usize,
    grey: Vec<f32>,
}

/// How continuous the third best of the four edges around the face is: 0 (at most two sides have an edge at all) to 1
/// (three unbroken edges at right angles).
pub(super) fn measure(picture: &Picture, face: &FaceSpot) -> f32 {
    let shrink = picture.width().max(picture.height()).div_ceil(SHRUNK_LONGER_SIDE as u32).max(1) as usize;
    let small = shrunk(picture, shrink);
    if small.width < 16 || small.height < 16 {
        return 0.0;
    }
    let (upright, transposed) = (small.steps(), small.transposed().steps());
    let at = |v: i64| v as f32 / shrink as f32;
    let (x, y, w, h) = (at(face.x), at(face.y), at(face.width), at(face.height));
    // To the left and right at the height of the face, and above and below at its width.
    let left = edge_continuity(&upright, (0.0, x - 0.5 * w), (y - 0.8 * h, y + 0.8 * h));
    let right = edge_continuity(&upright, (x + 0.5 * w, small.width as f32), (y - 0.8 * h, y + 0.8 * h));
    let above = edge_continuity(&transposed, (0.0, y - 0.5 * h), (x - 0.8 * w, x + 0.8 * w));
    let below = edge_continuity(&transposed, (y + 0.6 * h, small.height as f32), (x - 0.8 * w, x + 0.8 * w));
    let steps = (2 * SLANT_STEPS + 1) as usize;
    let near = |all: &[f32], step: usize| {
        all[step.saturating_sub(2)..(step + 3).min(steps)].iter().copied().fold(0f32, f32::max)
    };
    let mut best = 0f32;
    for step in 0..steps {
        // In a rotated sheet the vertical edges slant one way and the horizontal ones the other.
        let mirrored = steps - 1 - step;
        let mut found =
            [near(&left, step), near(&right, step), near(&above, mirrored), near(&below, mirrored)];
        found.sort_by(f32::total_cmp);
        // The third best edge counts, because two bars of a window are not a sheet.
        best = best.max(found[1]);
    }
    best
}

/// For each slant, the greatest share of a line's length along which the gradient has the same sign.
fn edge_continuity(small: &EdgeSigns, across: (f32, f32), along: (f32, f32)) -> Vec<f32> {
    let first = along.0.max(1.0) as usize;
    let last = (along.1.max(0.0) as usize).min(small.height.saturating_sub(1));
    let (from, to) = (across.0.max(2.0) as usize, (across.1.max(0.0) as usize).min(small.width - 2));
    let length = last.saturating_sub(first);
    let mut found = vec![0f32; (2 * SLANT_STEPS + 1) as usize];
    if length < 8 || from >= to {
        return found;
    }
    let middle = f32::midpoint(first as f32, last as f32);
    for (step, best) in found.iter_mut().enumerate() {
        let slant = (step as i32 - SLANT_STEPS) as f32 * SLANT_PER_STEP;
        let shifts: Vec<i32> =
            (first..last).map(|row| (slant * (row as f32 - middle)).round() as i32).collect();
        for start in from..to {
            let (mut up, mut down) = (0u32, 0u32);
            for (shift, line) in
                shifts.iter().zip(small.signs[first * small.width..].chunks_exact(small.width))
            {
                let column = (start as i32 + shift).clamp(0, small.width as i32 - 1) as usize;
                up += u32::from(line[column] > 0);
                down += u32::from(line[column] < 0);
            }
            *best = best.max(up.max(down) as f32 / length as f32);
        }
    }
    found
}

impl ShrunkLuma {
    fn steps(&self) -> EdgeSigns {
        let mut steps = vec![0; self.grey.len()];
        for (from, to) in self.grey.chunks_exact(self.width).zip(steps.chunks_exact_mut(self.width)) {
            for (three, step) in from.windows(3).zip(&mut to[1..]) {
                let rise = three[2] - three[0];
                *step = i8::from(rise > MIN_EDGE_LUMA_STEP) - i8::from(rise < -MIN_EDGE_LUMA_STEP);
            }
        }
        EdgeSigns { width: self.width, height: self.height, signs: steps }
    }

    fn transposed(&self) -> Self {
        let mut grey = vec![0.0; self.grey.len()];
        for y in 0..self.height {
            for x in 0..self.width {
                grey[x * self.height + y] = self.grey[y * self.width + x];
            }
        }
        Self { width: self.height, height: self.width, grey }
    }
}

/// Mean luma of blocks; of large blocks only every other pixel is read.
fn shrunk(picture: &Picture, shrink: usize) -> ShrunkLuma {
    let (across, rgb) = (picture.width() as usize, picture.rgb());
    let (width, height) = (across / shrink, picture.height() as usize / shrink);
    let skip = if shrink > 2 { 2 } else { 1 };
    let mut grey = vec![0.0; width * height];
    for (y, line) in grey.chunks_exact_mut(width.max(1)).enumerate() {
        for (x, value) in line.iter_mut().enumerate() {
            let (mut sum, mut count) = (0u32, 0u32);
            for dy in (0..shrink).step_by(skip) {
                let start = ((y * shrink + dy) * across + x * shrink) * 3;
                for pixel in rgb[start..start + shrink * 3].chunks_exact(3).step_by(skip) {
                    sum += 77 * u32::from(pixel[0]) + 150 * u32::from(pixel[1]) + 29 * u32::from(pixel[2]);
                    count += 1;
                }
            }
            *value = sum as f32 / (256 * count.max(1)) as f32;
        }
    }
    ShrunkLuma { width, height, grey }
}
