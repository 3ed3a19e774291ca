//! A line of text in a picture: its position and curvature, and the strip that the net reads.

use crate::picture::ImagePyramid;

/// Height of the strip that the net reads.
pub(super) const STRIP_HEIGHT_PIXELS: usize = 32;
/// Height of a strip in heights of a capital, as in the training data.
const STRIP_HEIGHT_CAPITALS: f32 = 1.62;
/// Distance between characters in a strip: the middle of the range in the training data.
const STRIP_PITCH_PIXELS: f32 = 20.0;
/// Widest strip. A line of 44 characters with its margins has about 1,000 pixels.
const MAX_STRIP_WIDTH_PIXELS: usize = 1600;
/// Columns of the ribbon on which a line is measured.
const RIBBON_COLUMNS: usize = 384;
/// Rows of the ribbon.
const RIBBON_ROWS: usize = 64;
/// Columns in a block of the ribbon.
const RIBBON_BLOCK_COLUMNS: usize = 12;

/// A line of text. Lengths are in pixels of the full picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CurvedLine {
    /// Centre.
    pub(super) x: f32,
    pub(super) y: f32,
    /// Unit vector in the direction of reading.
    pub(super) ux: f32,
    pub(super) uy: f32,
    pub(super) length: f32,
    /// Height of a capital.
    pub(super) capital: f32,
    /// Height of the middle above the ends of the line, which is a parabola; positive where the ends hang down.
    pub(super) sag: f32,
}

impl CurvedLine {
    /// The point at a distance along the line from its centre and a distance below it.
    pub(super) fn point(&self, along: f32, below: f32) -> (f32, f32) {
        let s = 2.0 * along / self.length.max(1.0);
        // The curvature beyond the ends is unknown, so the line continues straight.
        let s = s.clamp(-1.2, 1.2);
        let v = below + self.sag * (s * s - 1.0 / 3.0);
        (self.x + along * self.ux - v * self.uy, self.y + along * self.uy + v * self.ux)
    }

    /// The same line read from its other end.
    pub(super) fn reversed(&self) -> Self {
        Self { ux: -self.ux, uy: -self.uy, sag: -self.sag, ..*self }
    }

    /// The distance of a point along the line from its centre, and below it.
    pub(super) fn coordinates(&self, x: f32, y: f32) -> (f32, f32) {
        let (dx, dy) = (x - self.x, y - self.y);
        (dx * self.ux + dy * self.uy, -dx * self.uy + dy * self.ux)
    }

    /// The line moved, with the same curvature.
    pub(super) fn moved(&self, along: f32, below: f32) -> Self {
        let (x, y) = (self.x + along * self.ux - below * self.uy, self.y + along * self.uy + below * self.ux);
        Self { x, y, ..*self }
    }

    /// The segment between two positions along the line.
    pub(super) fn segment(&self, from: f32, to: f32) -> Self {
        let length = (to - from).max(1.0);
        let middle = f32::midpoint(from, to);
        let half = self.length.max(1.0) / 2.0;
        // The parabola around the new centre: its slope rotates the line, its curvature stays the same.
        let slope = 2.0 * self.sag * middle / (half * half);
        let (x, y) = self.point(middle, 0.0);
        let size = (1.0 + slope * slope).sqrt();
        let (cos, sin) = (1.0 / size, slope / size);
        let sag = self.sag * (length / self.length.max(1.0)).powi(2);
        let (ux, uy) = (self.ux * cos - self.uy * sin, self.ux * sin + self.uy * cos);
        // A line passes a third of its sag above its own centre.
        Self { x, y, ux, uy, length, sag, ..*self }.moved(0.0, sag / 3.0)
    }

    /// Whether two lines cover mostly the same pixels.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let (along, below) = self.coordinates(other.x, other.y);
        below.abs() < 0.6 * self.capital && along.abs() < 0.5 * (self.length + other.length) * 0.8
    }
}

/// The change of brightness along a line, by blocks of columns and rows; text is where brightness changes.
struct Ribbon {
    blocks: Vec<[f32; RIBBON_ROWS]>,
    /// Distance between rows, in pixels of the full picture.
    step: f32,
}

impl Ribbon {
    fn cut_along(pyramid: &ImagePyramid, line: &CurvedLine, half: f32) -> Self {
        let step = 2.0 * half / RIBBON_ROWS as f32;
        let pitch = line.length / RIBBON_COLUMNS as f32;
        let (plane, scale) = pyramid.level(step.min(pitch));
        let shift = 0.5 / scale - 0.5;
        let mut blocks = vec![[0.0_f32; RIBBON_ROWS]; RIBBON_COLUMNS / RIBBON_BLOCK_COLUMNS];
        let at = |row: usize, column: usize| {
            let along = (column as f32 + 0.5) * pitch - line.length / 2.0;
            let (x, y) = line.point(along, (row as f32 + 0.5) * step - half);
            plane.sample(x / scale + shift, y / scale + shift)
        };
        for (number, block) in blocks.iter_mut().enumerate() {
            let first = number * RIBBON_BLOCK_COLUMNS;
            for (row, change) in block.iter_mut().enumerate() {
                let mut before = at(row, first.saturating_sub(1));
                for column in first..first + RIBBON_BLOCK_COLUMNS {
                    let v = at(row, column);
                    *change += (v - before).abs();
                    before = v;
                }
            }
        }
        Self { blocks, step }
    }

    /// The sum of all blocks, each shifted for a slope and a curvature, in rows at the ends.
    fn profile(&self, slope: f32, bend: f32) -> [f32; RIBBON_ROWS] {
        let mut sum = [0.0; RIBBON_ROWS];
        let last = (self.blocks.len() - 1) as f32;
        for (at, block) in self.blocks.iter().enumerate() {
            let s = 2.0 * at as f32 / last - 1.0;
            let shift = (slope * s + bend * (s * s - 1.0 / 3.0)).round() as isize;
            for (row, sum) in sum.iter_mut().enumerate() {
                let from = (row as isize + shift).clamp(0, RIBBON_ROWS as isize - 1) as usize;
                *sum += block[from];
            }
        }
        sum
    }
}

/// How far a profile is from flat.
fn contrast(profile: &[f32; RIBBON_ROWS]) -> f32 {
    let mean = profile.iter().sum::<f32>() / RIBBON_ROWS as f32;
    profile.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / (mean * mean + 1e-6)
}

/// A band of a profile, in rows from the middle of the profile.
struct Band {
    middle: f32,
    height: f32,
}

/// The bands of text in a profile: runs above a share of its range.
fn bands(profile: &[f32; RIBBON_ROWS]) -> Vec<Band> {
    let mut smooth = *profile;
    for row in 1..RIBBON_ROWS - 1 {
        smooth[row] = (profile[row - 1] + profile[row] + profile[row + 1]) / 3.0;
    }
    let most = smooth.iter().copied().fold(0.0, f32::max);
    let least = smooth.iter().copied().fold(f32::MAX, f32::min);
    let level = least + 0.45 * (most - least);
    let mut bands = Vec::new();
    let mut from = None;
    for row in 0..=RIBBON_ROWS {
        match (smooth.get(row).is_some_and(|&v| v > level), from) {
            (true, None) => from = Some(row),
            (false, Some(start)) => {
                let (start, end) = (start as f32, row as f32);
                bands.push(Band { middle: (start + end - RIBBON_ROWS as f32) / 2.0, height: end - start });
                from = None;
            }
            _ => {}
        }
    }
    bands
}

/// Refines an approximate line on the full picture: its tilt, its curvature and the height of its capitals. The height
/// of the guess may be half or twice the true one. `None` where there is no such line.
pub(super) fn refine(pyramid: &ImagePyramid, guess: &CurvedLine) -> Option<CurvedLine> {
    let half = (guess.capital * 1.7).max(7.0);
    let ribbon = Ribbon::cut_along(pyramid, guess, half);
    let (mut best, mut slope, mut bend) = (0.0, 0.0, 0.0);
    let mut search = |slopes: &[f32], bends: &[f32]| {
        let (centre, curve) = (slope, bend);
        for ds in slopes {
            for db in bends {
                let score = contrast(&ribbon.profile(centre + ds, curve + db));
                // Prefer straight lines to curved ones.
                let score = score * (1.0 - 0.004 * (curve + db).abs());
                if score > best {
                    (best, slope, bend) = (score, centre + ds, curve + db);
                }
            }
        }
    };
    let wide: Vec<f32> = (-10..=10).map(|at| at as f32 * 1.5).collect();
    search(&wide, &[0.0]);
    search(&[-1.5, 0.0, 1.5], &[-8.0, -6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0]);
    search(&[-1.0, -0.5, 0.0, 0.5, 1.0], &[-1.0, 0.0, 1.0]);
    let profile = ribbon.profile(slope, bend);
    let band = bands(&profile).into_iter().min_by(|a, b| a.middle.abs().total_cmp(&b.middle.abs()))?;
    let capital = band.height * ribbon.step;
    if capital < 3.0 || capital > 3.2 * guess.capital {
        return None;
    }
    let angle = (slope * ribbon.step / (guess.length / 2.0)).atan();
    let (sin, cos) = angle.sin_cos();
    let turned = CurvedLine {
        ux: guess.ux * cos - guess.uy * sin,
        uy: guess.ux * sin + guess.uy * cos,
        sag: guess.sag + bend * ribbon.step,
        capital,
        ..*guess
    };
    Some(turned.moved(0.0, band.middle * ribbon.step))
}

/// Candidates for lines above and below a known one: up to three that show on each side, and one on each side at the
/// line spacing of the standard.
pub(super) fn neighbours(pyramid: &ImagePyramid, line: &CurvedLine) -> Vec<CurvedLine> {
    let half = line.capital * 7.5;
    let ribbon = Ribbon::cut_along(pyramid, &CurvedLine { capital: line.capital, ..*line }, half);
    let profile = ribbon.profile(0.0, 0.0);
    // Bands differ in strength, and a line of fillers is weak, so each side is measured on its own.
    let mut found = Vec::new();
    for side in [-1.0_f32, 1.0] {
        let mut part = profile;
        for (row, v) in part.iter_mut().enumerate() {
            let below = (row as f32 + 0.5) * ribbon.step - half;
            if below * side < 0.85 * line.capital {
                *v = 0.0;
            }
        }
        let floor = part.iter().copied().filter(|&v| v > 0.0).fold(f32::MAX, f32::min);
        for v in &mut part {
            *v = (*v - floor).max(0.0);
        }
        let mut near: Vec<Band> = bands(&part)
            .into_iter()
            .filter(|band| (0.35..2.2).contains(&(band.height * ribbon.step / line.capital)))
            .collect();
        near.sort_by(|a, b| a.middle.abs().total_cmp(&b.middle.abs()));
        found.extend(near.into_iter().take(3).map(|band| line.moved(0.0, band.middle * ribbon.step)));
    }
    // At the line spacing of the standard, in case something fills the gaps between the bands.
    for step in [-2.4_f32, 2.4] {
        found.push(line.moved(0.0, step * line.capital));
    }
    found
}

/// Draws the strip of a line as the net requires it: [`STRIP_HEIGHT_PIXELS`] rows, normalised by mean and standard
/// deviation. `margin` is added at both ends. Where the pitch of the characters is known, the strip is scaled to the
/// pitch that the net knows best. Both are in pixels of the full picture.
pub(super) fn strip(pyramid: &ImagePyramid, line: &CurvedLine, margin: f32, pitch: Option<f32>) -> Vec<f32> {
    let height = line.capital * STRIP_HEIGHT_CAPITALS;
    let step = height / STRIP_HEIGHT_PIXELS as f32;
    let length = line.length + 2.0 * margin;
    let column = pitch.map_or(step, |pitch| pitch.max(1.0) / STRIP_PITCH_PIXELS);
    let width = ((length / column) as usize).clamp(64, MAX_STRIP_WIDTH_PIXELS) / 4 * 4;
    let across = length / width as f32;
    let (plane, scale) = pyramid.level(step.min(across));
    let shift = 0.5 / scale - 0.5;
    let mut out = Vec::with_capacity(STRIP_HEIGHT_PIXELS * width);
    for row in 0..STRIP_HEIGHT_PIXELS {
        let below = (row as f32 + 0.5) * step - height / 2.0;
        for column in 0..width {
            let (x, y) = line.point((column as f32 + 0.5) * across - length / 2.0, below);
            out.push(plane.sample(x / scale + shift, y / scale + shift));
        }
    }
    let count = out.len() as f32;
    let mean = out.iter().sum::<f32>() / count;
    let spread = (out.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / count).sqrt() + 8.0;
    for v in &mut out {
        *v = (*v - mean) / spread;
    }
    out
}
