//! A part of the page that lacks the compression which the rest has gone through. A JPEG that is edited and saved without loss, or
//! with less, keeps the steps of its first compression wherever nothing was put over it (Farid, Exposing Digital Forgeries
//! from JPEG Ghosts, 2009).

use super::{PageInPhoto, largest_group};
use std::{f32::consts::PI, sync::LazyLock};

/// Side of a block of JPEG, pixels.
const BLOCK_PX: usize = 8;
const BLOCK_VALUES: usize = BLOCK_PX * BLOCK_PX;
/// The luma table of the JPEG standard (ITU-T T.81, table K.1), row by row.
const STANDARD_LUMA_STEPS: [u16; BLOCK_VALUES] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17,
    22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78,
    87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];
/// Qualities that are tried, of 100: coarser ones are not sent, and the steps of finer ones drown in rounding.
const QUALITIES: std::ops::RangeInclusive<u32> = 50..=94;
/// One block in this many is sampled to find the page's quality.
const SAMPLED_BLOCKS: usize = 16;
/// Coefficients that a block must have left for its steps to be seen.
const MIN_COEFFICIENTS: usize = 4;
/// The deviation from the steps, beside that of coefficients that know none, below which a page has gone through a compression,
/// and from which on a block has not.
const COMPRESSED_RATIO: f32 = 0.35;
const FOREIGN_RATIO: f32 = 0.75;
/// Blocks that are needed to know the page's compression.
const MIN_BLOCKS: usize = 60;

/// Square millimetres of the largest part that is foreign; `None` if the page shows no compression.
pub(super) fn foreign_area(place: &PageInPhoto) -> Option<f32> {
    let [left, top, right, bottom] = place.bounds;
    let start = |at: usize| at.div_ceil(BLOCK_PX) * BLOCK_PX;
    let (left, top) = (start(left), start(top));
    let columns = right.saturating_sub(left) / BLOCK_PX;
    let rows = bottom.saturating_sub(top) / BLOCK_PX;
    let mut blocks: Vec<Option<[f32; BLOCK_VALUES]>> = Vec::with_capacity(columns * rows);
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = (left + column * BLOCK_PX, top + row * BLOCK_PX);
            let half = BLOCK_PX as f32 / 2.0;
            let on_page = place.is_on_page(x as f32 + half, y as f32 + half);
            blocks.push(on_page.then(|| transform(place, x, y)));
        }
    }
    let sampled: Vec<&[f32; BLOCK_VALUES]> = blocks.iter().flatten().step_by(SAMPLED_BLOCKS).collect();
    let (quality, page) = QUALITIES
        .filter_map(|quality| {
            let mut ratios: Vec<f32> =
                sampled.iter().filter_map(|block| BlockDeviation::of(block, quality).ratio()).collect();
            let middle = ratios.len() / 2;
            (ratios.len() >= MIN_BLOCKS)
                .then(|| (quality, *ratios.select_nth_unstable_by(middle, f32::total_cmp).1))
        })
        .min_by(|a, b| a.1.total_cmp(&b.1))?;
    if page > COMPRESSED_RATIO {
        return None;
    }
    let deviations: Vec<Option<BlockDeviation>> =
        blocks.iter().map(|block| block.as_ref().map(|block| BlockDeviation::of(block, quality))).collect();
    // Neighbours are judged together: a single block has few coefficients.
    let foreign: Vec<bool> = (0..deviations.len())
        .map(|at| {
            let (column, row) = (at % columns, at / columns);
            let mut sum = BlockDeviation::default();
            for y in row.saturating_sub(1)..(row + 2).min(rows) {
                for x in column.saturating_sub(1)..(column + 2).min(columns) {
                    if let Some(block) = deviations[y * columns + x] {
                        sum = sum.with(block);
                    }
                }
            }
            deviations[at].is_some() && sum.ratio().is_some_and(|ratio| ratio > FOREIGN_RATIO)
        })
        .collect();
    let side = BLOCK_PX as f32 / place.pixels_per_millimetre;
    Some(largest_group(&foreign, columns) as f32 * side * side)
}

/// How far coefficients are from the steps of a quality.
#[derive(Clone, Copy, Default)]
struct BlockDeviation {
    /// The sum of the squared distances from the nearest step.
    squares: f32,
    /// The same of coefficients that know no steps.
    expected: f32,
    coefficients: usize,
}

impl BlockDeviation {
    /// The deviation of a block's coefficients from the steps of a quality, 50 to 100. The constant part is left out.
    fn of(coefficients: &[f32; BLOCK_VALUES], quality: u32) -> Self {
        let mut deviation = Self::default();
        for (value, step) in coefficients.iter().zip(STANDARD_LUMA_STEPS).skip(1) {
            let step = ((u32::from(step) * (200 - 2 * quality) + 50) / 100).max(1) as f32;
            // A coefficient that the compression made zero says nothing; steps below 3 drown in rounding.
            if step < 3.0 || value.abs() < step * 0.7 {
                continue;
            }
            let distance = value - (value / step).round() * step;
            deviation.squares += distance * distance;
            deviation.expected += step * step / 12.0;
            deviation.coefficients += 1;
        }
        deviation
    }

    fn with(self, other: Self) -> Self {
        Self {
            squares: self.squares + other.squares,
            expected: self.expected + other.expected,
            coefficients: self.coefficients + other.coefficients,
        }
    }

    fn ratio(self) -> Option<f32> {
        (self.coefficients >= MIN_COEFFICIENTS).then(|| self.squares / self.expected)
    }
}

/// The discrete cosine transform of the block at a point, as JPEG defines it (ITU-T T.81, A.3.3).
fn transform(place: &PageInPhoto, left: usize, top: usize) -> [f32; BLOCK_VALUES] {
    let (mut across, mut out) = ([0.0; BLOCK_VALUES], [0.0; BLOCK_VALUES]);
    for y in 0..BLOCK_PX {
        let row = &place.luma.row(top + y)[left..left + BLOCK_PX];
        for u in 0..BLOCK_PX {
            across[y * BLOCK_PX + u] =
                row.iter().zip(&COSINES[u]).map(|(value, cosine)| (value - 128.0) * cosine).sum();
        }
    }
    for v in 0..BLOCK_PX {
        for u in 0..BLOCK_PX {
            out[v * BLOCK_PX + u] = (0..BLOCK_PX).map(|y| across[y * BLOCK_PX + u] * COSINES[v][y]).sum();
        }
    }
    out
}

/// For each frequency, the factors of the eight values.
static COSINES: LazyLock<[[f32; BLOCK_PX]; BLOCK_PX]> = LazyLock::new(|| {
    std::array::from_fn(|frequency| {
        let norm = if frequency == 0 { (1.0f32 / 8.0).sqrt() } else { 0.5 };
        std::array::from_fn(|at| norm * ((2 * at + 1) as f32 * frequency as f32 * PI / 16.0).cos())
    })
});
