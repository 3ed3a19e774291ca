//! Where a picture of a video differs from an earlier one, without a net: how the mean luma of each small block stands out
//! from the blocks around it. A face that is new changes that in several blocks. Noise hardly changes a mean, and light that
//! changes slowly changes a block and its neighbours alike.

use crate::Face;
use base::{Picture, PictureSize};

/// Every fourth pixel of every fourth row is read: the means of blocks of 20 pixels are then those of 25 pixels.
const SAMPLING_STEP: usize = 4;

/// Bytes of a pixel.
const CHANNELS: usize = 3;

/// A block is compared with those up to this many rows and columns away.
const NEIGHBOUR_BLOCKS: usize = 2;

/// The least change of a block that counts, in levels of 0 to 255. In clips without noise, a face that came or went changed
/// 120 blocks and more by at least 10, and everything else none by more than 6.
const MIN_CHANGE: f32 = 8.0;

/// By how many times the median change the limit is raised: what most blocks do is noise. In clips so noisy that the median
/// was 1.3 to 2.5, faces that came or went changed a block by 34 to 64, and the noise at most by 8 to 27.
const MEDIAN_WEIGHT: f32 = 6.0;

/// From this median change on the whole picture has changed: a cut, or a camera that moves.
const MOVED_MEDIAN: f32 = 4.0;

/// The whole picture has changed, too, where one of this many blocks has.
const MOVED_SHARE: usize = 5;

/// How the blocks of one picture stand out.
#[derive(Clone, Debug, PartialEq)]
pub struct LumaGrid {
    size: PictureSize,
    /// Side of a block, pixels.
    block_pixels: u32,
    /// Row after row: how a block and those next to it stand out from the blocks around them, -255 to 255. The green channel
    /// stands for the luma.
    details: Vec<f32>,
}

/// How a picture differs from an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LumaChange {
    /// In this many blocks outside the regions that were left out; 0 where nothing is new.
    Blocks(usize),
    /// Everywhere.
    Everything,
}

impl LumaGrid {
    /// The grid of a picture, with blocks of `block_pixels` (at least 8): half the side of the smallest face that must be
    /// noticed.
    pub fn of(picture: &Picture, block_pixels: u32) -> Self {
        let block_pixels = block_pixels.max(8);
        let (width, block) = (picture.width() as usize, block_pixels as usize);
        let columns = width.div_ceil(block);
        let mut means = Vec::with_capacity(columns * (picture.height() as usize).div_ceil(block));
        let mut sums: Vec<(u32, u32)> = Vec::new();
        for rows in picture.rgb().chunks(width * CHANNELS * block) {
            sums.clear();
            sums.resize(columns, (0, 0));
            for row in rows.chunks_exact(width * CHANNELS).step_by(SAMPLING_STEP) {
                for (span, (sum, count)) in row.chunks(block * CHANNELS).zip(&mut sums) {
                    for green in span.iter().skip(1).step_by(SAMPLING_STEP * CHANNELS) {
                        *sum += u32::from(*green);
                        *count += 1;
                    }
                }
            }
            means.extend(sums.iter().map(|(sum, count)| *sum as f32 / (*count).max(1) as f32));
        }
        Self { size: picture.size(), block_pixels, details: details(&means, columns) }
    }

    /// The size of the picture.
    pub fn size(&self) -> PictureSize {
        self.size
    }

    /// How this picture differs from an earlier one, outside the given regions.
    pub fn change_since(&self, earlier: &Self, left_out: &[PictureBox]) -> LumaChange {
        let before = &earlier.details;
        if self.size != earlier.size || self.details.len() != before.len() || before.is_empty() {
            return LumaChange::Everything;
        }
        let changes: Vec<f32> =
            self.details.iter().zip(before).map(|(now, before)| (now - before).abs()).collect();
        let mut sorted = changes.clone();
        let middle = sorted.len() / 2;
        let median = *sorted.select_nth_unstable_by(middle, f32::total_cmp).1;
        let limit = MIN_CHANGE + MEDIAN_WEIGHT * median;
        let moved = changes.iter().filter(|change| **change > limit).count() * MOVED_SHARE > changes.len();
        if moved || median >= MOVED_MEDIAN {
            return LumaChange::Everything;
        }
        let columns = self.size.width.div_ceil(self.block_pixels) as usize;
        let side = self.block_pixels as f32;
        let is_outside = |at: usize| {
            let centre = [(at % columns) as f32, (at / columns) as f32].map(|block| (block + 0.5) * side);
            left_out.iter().all(|region| !region.contains(centre))
        };
        let changed = changes.iter().enumerate();
        LumaChange::Blocks(changed.filter(|(at, change)| **change > limit && is_outside(*at)).count())
    }
}

/// How each block, together with those next to it, stands out from the blocks around.
fn details(means: &[f32], columns: usize) -> Vec<f32> {
    let around = neighbourhood_means(means, columns, NEIGHBOUR_BLOCKS);
    let differences: Vec<f32> = means.iter().zip(around).map(|(mean, around)| mean - around).collect();
    neighbourhood_means(&differences, columns, 1)
}

/// The mean around each value, up to `reach` rows and columns away.
fn neighbourhood_means(values: &[f32], columns: usize, reach: usize) -> Vec<f32> {
    let rows = values.len() / columns.max(1);
    let around = |at: usize, count: usize| at.saturating_sub(reach)..(at + reach + 1).min(count);
    let mean = |at: usize| {
        let across = around(at % columns, columns);
        let down = around(at / columns, rows);
        let count = across.len() * down.len();
        let nearby = down.flat_map(|row| &values[row * columns..][across.clone()]);
        nearby.sum::<f32>() / count as f32
    };
    (0..values.len()).map(mean).collect()
}

/// A box in a picture, pixels; it may reach outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureBox {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

impl PictureBox {
    /// A face, and the body that moves with it: as wide as three faces, down to the picture's edge.
    pub fn of_person(face: &Face, size: PictureSize) -> Self {
        let (width, height) = (face.width(), face.height());
        Self {
            left: face.left - width,
            top: face.top - height,
            right: face.right + width,
            bottom: size.height as f32,
        }
    }

    fn contains(&self, [x, y]: [f32; 2]) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grey picture with noise of up to `noise` levels, and a bright square of `side` pixels at 200, 100.
    fn picture(noise: u32, seed: u32, side: u32, grey: u32) -> Picture {
        let (width, height) = (640, 360);
        let mut state = seed;
        let mut rgb = Vec::new();
        for at in 0..width * height {
            let (x, y) = (at % width, at / width);
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let lit = (200..200 + side).contains(&x) && (100..100 + side).contains(&y);
            let level = grey + if lit { 60 } else { 0 } + (state >> 16) % (noise + 1);
            rgb.extend([level as u8; 3]);
        }
        Picture::new(width, height, rgb).unwrap()
    }

    fn change(now: &Picture, before: &Picture, left_out: &[PictureBox]) -> LumaChange {
        LumaGrid::of(now, 20).change_since(&LumaGrid::of(before, 20), left_out)
    }

    #[test]
    fn noise_and_light_change_nothing() {
        let before = picture(24, 1, 0, 80);
        assert_eq!(change(&picture(24, 2, 0, 80), &before, &[]), LumaChange::Blocks(0));
        assert_eq!(
            change(&picture(24, 3, 0, 110), &before, &[]),
            LumaChange::Blocks(0),
            "it is brighter everywhere"
        );
    }

    #[test]
    fn a_small_thing_that_is_new_changes_blocks() {
        let before = picture(24, 1, 0, 80);
        let now = picture(24, 2, 40, 80);
        let LumaChange::Blocks(blocks) = change(&now, &before, &[]) else { panic!("a part changed") };
        assert!((4..30).contains(&blocks), "two by two blocks and some of those beside them: {blocks}");
        let around = PictureBox { left: 100.0, top: 0.0, right: 350.0, bottom: 300.0 };
        assert_eq!(change(&now, &before, &[around]), LumaChange::Blocks(0));
        let beside = PictureBox { left: 350.0, right: 640.0, ..around };
        assert_eq!(change(&now, &before, &[beside]), LumaChange::Blocks(blocks));
    }

    #[test]
    fn a_cut_and_another_size_change_everything() {
        let before = picture(24, 1, 0, 80);
        let bright = |at: u32| (at % 640 / 120 + at / 640 / 120).is_multiple_of(2);
        let squares = (0..640 * 360).flat_map(|at| [if bright(at) { 140 } else { 60 }; 3]);
        let other_scene = Picture::new(640, 360, squares.collect()).unwrap();
        assert_eq!(change(&other_scene, &before, &[]), LumaChange::Everything);
        let small = Picture::new(64, 36, vec![80; 64 * 36 * 3]).unwrap();
        assert_eq!(change(&small, &before, &[]), LumaChange::Everything);
    }

    #[test]
    fn a_person_s_region_reaches_down_to_the_edge() {
        let face =
            Face { left: 100.0, top: 50.0, right: 140.0, bottom: 100.0, score: 1.0, points: [[0.0; 2]; 6] };
        let region = PictureBox::of_person(&face, PictureSize { width: 640, height: 360 });
        assert!(region.contains([65.0, 350.0]) && region.contains([175.0, 5.0]));
        assert!(!region.contains([55.0, 60.0]) && !region.contains([185.0, 60.0]));
    }
}
