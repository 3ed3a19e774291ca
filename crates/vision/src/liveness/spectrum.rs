//! Periodic patterns and grain: halftone cells, panel pixels, moiré and ink droplets in the spectrum of the face at its
//! own resolution.
//!
//! Nine tiles over the face are transformed. Luma is the real part and red minus blue the imaginary part, so that one
//! transform serves both. The logarithms of power are averaged over the tiles: a texture is in every tile, an eyebrow
//! in one.

use super::presentation_cues::FaceSpot;
use base::Picture;
use pixels::{Complex32, Fft};
use std::f32::consts::TAU;
use std::sync::Arc;

/// Side of a tile in pixels.
const TILE_SIDE: usize = 128;
const TILE_PIXELS: usize = TILE_SIDE * TILE_SIDE;
/// Tiles in a row.
const TILES_PER_ROW: i64 = 3;
/// Frequencies this close to an axis (in cycles per tile) are ignored: they come from JPEG blocks, hair partings and
/// blinds.
const AXIS_MARGIN_BINS: usize = 3;
/// Power below which a signal cannot be told from rounding.
const POWER_FLOOR: f32 = 20.0;
/// Logarithm of power in the middle frequencies from which a texture is strong.
const STRONG_TEXTURE_LOG_POWER: f32 = 12.5;

/// Rows of half the spectrum; the other half mirrors it.
const HALF_PLANE_ROWS: usize = TILE_SIDE / 2 + 1;

/// Spectral cues; see [`super::presentation_cues::CUE_NAMES`].
pub(super) struct SpectralMeasures {
    pub(super) grid_fine: f32,
    pub(super) grid_coarse: f32,
    pub(super) grid_colour: f32,
    pub(super) grain: f32,
}

/// The transform and its buffers, reused for every face.
pub(super) struct SpectrumAnalyser {
    fft: Arc<dyn Fft<f32>>,
    window: Vec<f32>,
    tile: Vec<Complex32>,
    transposed: Vec<Complex32>,
    scratch: Vec<Complex32>,
    light: PowerPlane,
    colour: PowerPlane,
}

/// The power spectrum of one signal, over all tiles.
struct PowerPlane {
    /// Power of one tile, with a row before the first and one after the last for [`PowerPlane::gather`].
    power: Vec<f32>,
    across: Vec<f32>,
    /// Product over the tiles, so that one logarithm serves all nine.
    product: Vec<f64>,
    /// Mean logarithm of power, for the whole plane.
    log: Vec<f32>,
}

impl PowerPlane {
    fn new() -> Self {
        let padded = (HALF_PLANE_ROWS + 2) * TILE_SIDE;
        Self {
            power: vec![0.0; padded],
            across: vec![0.0; padded],
            product: vec![1.0; HALF_PLANE_ROWS * TILE_SIDE],
            log: vec![0.0; TILE_PIXELS],
        }
    }

    /// Adds one tile. Power is averaged over three by three frequencies, so that a peak which perspective smears still
    /// adds up.
    fn gather(&mut self) {
        for (line, across) in self.power.chunks_exact(TILE_SIDE).zip(self.across.chunks_exact_mut(TILE_SIDE))
        {
            across[0] = line[TILE_SIDE - 1] + line[0] + line[1];
            across[TILE_SIDE - 1] = line[TILE_SIDE - 2] + line[TILE_SIDE - 1] + line[0];
            for (sum, three) in across[1..TILE_SIDE - 1].iter_mut().zip(line.windows(3)) {
                *sum = three[0] + three[1] + three[2];
            }
        }
        let (above, here, below) =
            (&self.across[..], &self.across[TILE_SIDE..], &self.across[2 * TILE_SIDE..]);
        for (((product, a), b), c) in self.product.iter_mut().zip(above).zip(here).zip(below) {
            // The floor is the power of rounding to bytes. Nine factors of at most 1e13 stay far below the range of
            // f64.
            *product *= f64::from((a + b + c) / 9.0 + POWER_FLOOR);
        }
    }

    fn finish(&mut self) {
        for row in 0..HALF_PLANE_ROWS {
            let mirror = (TILE_SIDE - row) % TILE_SIDE;
            for column in 0..TILE_SIDE {
                let value = (self.product[row * TILE_SIDE + column].ln()
                    / (TILES_PER_ROW * TILES_PER_ROW) as f64) as f32;
                self.log[row * TILE_SIDE + column] = value;
                self.log[mirror * TILE_SIDE + (TILE_SIDE - column) % TILE_SIDE] = value;
            }
        }
    }
}

impl SpectrumAnalyser {
    pub(super) fn new() -> Self {
        let fft = pixels::plan_fft(TILE_SIDE);
        let scratch = vec![Complex32::default(); fft.get_inplace_scratch_len()];
        let window =
            (0..TILE_SIDE).map(|i| 0.5 - 0.5 * (TAU * (i as f32 + 0.5) / TILE_SIDE as f32).cos()).collect();
        let zero = vec![Complex32::default(); TILE_PIXELS];
        let (light, colour) = (PowerPlane::new(), PowerPlane::new());
        Self { fft, window, tile: zero.clone(), transposed: zero, scratch, light, colour }
    }

    pub(super) fn measure(&mut self, picture: &Picture, face: &FaceSpot) -> SpectralMeasures {
        self.light.product.fill(1.0);
        self.colour.product.fill(1.0);
        // Tiles are adjacent on a large face and overlap on a small one.
        let step = |size: i64| ((size - TILE_SIDE as i64) / 2).clamp(24, TILE_SIDE as i64);
        let (across, down) = (step(face.width), step(face.height));
        for row in 0..TILES_PER_ROW {
            for column in 0..TILES_PER_ROW {
                let x = face.x + (column - TILES_PER_ROW / 2) * across - TILE_SIDE as i64 / 2;
                let y = face.y + (row - TILES_PER_ROW / 2) * down - TILE_SIDE as i64 / 2;
                self.add_tile(picture, within(x, picture.width()), within(y, picture.height()));
            }
        }
        self.light.finish();
        self.colour.finish();
        let light = integral(&self.light.log);
        let [low, mid] = [(0.05, 0.1), (0.15, 0.25)].map(|r| band(&self.light.log, r));
        SpectralMeasures {
            grid_fine: peak(&self.light.log, &light, 0.12, 0.71),
            grid_coarse: peak(&self.light.log, &light, 0.05, 0.12),
            grid_colour: peak(&self.colour.log, &integral(&self.colour.log), 0.04, 0.71),
            // Sensor noise has a flat spectrum, too, but is weaker than ink.
            grain: mid - low - (STRONG_TEXTURE_LOG_POWER - mid).max(0.0),
        }
    }

    fn add_tile(&mut self, picture: &Picture, left: i64, top: i64) {
        self.load(picture, left, top);
        self.fft.process_with_scratch(&mut self.tile, &mut self.scratch);
        transpose(&self.tile, &mut self.transposed);
        self.fft.process_with_scratch(&mut self.transposed, &mut self.scratch);
        // Both parts are real signals, whose spectra are separated by symmetry.
        for line in 0..HALF_PLANE_ROWS + 2 {
            let row = (line + TILE_SIDE - 1) % TILE_SIDE;
            let here = &self.transposed[row * TILE_SIDE..(row + 1) * TILE_SIDE];
            let mirror = (TILE_SIDE - row) % TILE_SIDE;
            let there = &self.transposed[mirror * TILE_SIDE..(mirror + 1) * TILE_SIDE];
            let light = &mut self.light.power[line * TILE_SIDE..(line + 1) * TILE_SIDE];
            let colour = &mut self.colour.power[line * TILE_SIDE..(line + 1) * TILE_SIDE];
            for column in 0..TILE_SIDE {
                let (a, b) = (here[column], there[(TILE_SIDE - column) % TILE_SIDE].conj());
                light[column] = (a + b).norm_sqr() * 0.25;
                colour[column] = (a - b).norm_sqr() * 0.25;
            }
        }
        self.light.gather();
        self.colour.gather();
    }

    fn load(&mut self, picture: &Picture, left: i64, top: i64) {
        let whole = (left + TILE_SIDE as i64) as usize;
        let (wide, rgb) = (picture.width() as usize, picture.rgb());
        let mut mean = Complex32::default();
        for (row, line) in self.tile.chunks_exact_mut(TILE_SIDE).enumerate() {
            let y = (top + row as i64).min(i64::from(picture.height()) - 1);
            if whole <= wide {
                let start = (y as usize * wide + left as usize) * 3;
                for (value, pixel) in line.iter_mut().zip(rgb[start..].chunks_exact(3)) {
                    *value = signals([pixel[0], pixel[1], pixel[2]]);
                }
            } else {
                for (column, value) in line.iter_mut().enumerate() {
                    *value = signals(picture.pixel(left + column as i64, y));
                }
            }
            mean += line.iter().sum::<Complex32>();
        }
        mean /= TILE_PIXELS as f32;
        for (line, down) in self.tile.chunks_exact_mut(TILE_SIDE).zip(&self.window) {
            for (value, across) in line.iter_mut().zip(&self.window) {
                *value = (*value - mean) * (down * across);
            }
        }
    }
}

/// Luma as the real part, red minus blue as the imaginary part.
fn signals(pixel: [u8; 3]) -> Complex32 {
    let [r, g, b] = pixel.map(f32::from);
    Complex32::new(0.299 * r + 0.587 * g + 0.114 * b, r - b)
}

/// Moves a tile into the picture. A picture smaller than a tile is extended by repeating its edge.
fn within(start: i64, length: u32) -> i64 {
    start.clamp(0, (i64::from(length) - TILE_SIDE as i64).max(0))
}

fn transpose(from: &[Complex32], to: &mut [Complex32]) {
    for row in 0..TILE_SIDE {
        for column in 0..TILE_SIDE {
            to[column * TILE_SIDE + row] = from[row * TILE_SIDE + column];
        }
    }
}

/// Signed frequency of a bin, in cycles per pixel.
fn frequency(bin: usize) -> f32 {
    let signed = if bin > TILE_SIDE / 2 { bin as f32 - TILE_SIDE as f32 } else { bin as f32 };
    signed / TILE_SIDE as f32
}

fn off_axis(bin: usize) -> bool {
    (AXIS_MARGIN_BINS + 1..TILE_SIDE - AXIS_MARGIN_BINS).contains(&bin)
}

/// By how much the strongest peak between two radii exceeds its surroundings, in nepers of power.
fn peak(log: &[f32], sums: &[f64], from: f32, to: f32) -> f32 {
    /// Reach of the surroundings, and of the peak itself, which is excluded from them.
    const SURROUNDINGS_REACH: usize = 7;
    const PEAK_REACH: usize = 2;
    let mut highest = 0f32;
    // Half of the plane; the other half mirrors it.
    for row in 0..=TILE_SIDE / 2 {
        for column in 0..TILE_SIDE {
            let radius = frequency(row).hypot(frequency(column));
            if radius < from || radius >= to || !off_axis(row) || !off_axis(column) {
                continue;
            }
            let (outer, outer_count) = box_sum(sums, row, column, SURROUNDINGS_REACH);
            let (inner, inner_count) = box_sum(sums, row, column, PEAK_REACH);
            let around = (outer - inner) / (outer_count - inner_count);
            highest = highest.max(log[row * TILE_SIDE + column] - around as f32);
        }
    }
    highest
}

/// Margin by which the plane is extended periodically, because a box may reach over its edge.
const WRAP_MARGIN: usize = 8;
const WRAPPED_SIDE: usize = TILE_SIDE + 2 * WRAP_MARGIN;

/// Integral image of the periodically extended plane.
fn integral(log: &[f32]) -> Vec<f64> {
    let mut sums = vec![0f64; (WRAPPED_SIDE + 1) * (WRAPPED_SIDE + 1)];
    for row in 0..WRAPPED_SIDE {
        let source = (row + TILE_SIDE - WRAP_MARGIN) % TILE_SIDE * TILE_SIDE;
        let mut line = 0f64;
        for column in 0..WRAPPED_SIDE {
            line += f64::from(log[source + (column + TILE_SIDE - WRAP_MARGIN) % TILE_SIDE]);
            sums[(row + 1) * (WRAPPED_SIDE + 1) + column + 1] =
                sums[row * (WRAPPED_SIDE + 1) + column + 1] + line;
        }
    }
    sums
}

/// Sum over a square and the number of its values, from the integral image.
fn box_sum(sums: &[f64], row: usize, column: usize, reach: usize) -> (f64, f64) {
    let (top, bottom) = (row + WRAP_MARGIN - reach, row + WRAP_MARGIN + reach + 1);
    let (left, right) = (column + WRAP_MARGIN - reach, column + WRAP_MARGIN + reach + 1);
    let at = |row: usize, column: usize| sums[row * (WRAPPED_SIDE + 1) + column];
    let side = (2 * reach + 1) as f64;
    (at(bottom, right) - at(top, right) - at(bottom, left) + at(top, left), side * side)
}

/// Mean logarithm of power between two radii, without the axes.
fn band(log: &[f32], (from, to): (f32, f32)) -> f32 {
    let (mut sum, mut count) = (0f32, 0f32);
    for row in 0..=TILE_SIDE / 2 {
        for column in 0..TILE_SIDE {
            let radius = frequency(row).hypot(frequency(column));
            if radius >= from && radius < to && off_axis(row) && off_axis(column) {
                sum += log[row * TILE_SIDE + column];
                count += 1.0;
            }
        }
    }
    sum / count.max(1.0)
}
