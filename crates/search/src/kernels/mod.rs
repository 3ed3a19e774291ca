//! The loops that read the whole index, one set for each kind of processor.
//!
//! All of them compute integers, so every set gives exactly the numbers of the scalar one; a set whose numbers differ
//! on this machine is not used. This module and its children are the only ones with `unsafe`: vectors are loaded
//! through pointers, and a function compiled for a CPU feature may be called only where the processor has it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

/// Rows in a block of sketches.
pub(crate) const ROWS_PER_SKETCH_BLOCK: usize = 32;
/// Dimensions are padded to a multiple of this.
pub(crate) const DIMENSIONS_PER_GROUP: usize = 64;

/// One set of loops.
///
/// Codes are of eight bits, in two planes of four: `16 * high + low`. In a plane, 64 dimensions take 32 bytes: byte `j`
/// holds dimension `j` in its low half and dimension `32 + j` in its high half.
#[derive(Clone, Copy)]
pub(crate) struct Kernels {
    /// The name of the set, for logs.
    pub(crate) name: &'static str,
    /// `(query, high plane of many rows, out)`: for each row the dot product of the query and the high plane.
    pub(crate) near: fn(&[i8], &[u8], &mut [i32]),
    /// `(query, high plane, low plane)` of one row: the dot product of the query and the code.
    pub(crate) full: fn(&[i16], &[u8], &[u8]) -> i32,
    /// `(tables, block, out)`: for each of 32 rows the sum of the table entries that its signs select.
    ///
    /// There is one table for every four dimensions, of 16 bytes, each at most 127. A block has 32 bytes for every
    /// eight dimensions: byte `r` holds the signs of row `r`, those of the first four dimensions in its low half.
    pub(crate) sketch: fn(&[u8], &[u8], &mut [u16; ROWS_PER_SKETCH_BLOCK]),
}

impl Kernels {
    /// The fastest set that this processor runs correctly.
    pub(crate) fn best() -> &'static Self {
        static BEST: OnceLock<Kernels> = OnceLock::new();
        BEST.get_or_init(|| Self::all().into_iter().find(Self::agrees).unwrap_or(scalar::SCALAR_KERNELS))
    }

    /// The sets that this processor runs, fastest first.
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(avx512::kernels());
            all.extend(avx2::kernels());
        }
        #[cfg(target_arch = "aarch64")]
        all.extend(neon::kernels());
        all.push(scalar::SCALAR_KERNELS);
        all
    }

    /// Whether the set agrees with the scalar one on a few inputs, among them the largest possible. Not every processor
    /// was tested on; one where a set is wrong loses speed and nothing else.
    fn agrees(&self) -> bool {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut draw = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u32
        };
        [64, 128, 192, 512, 2048]
            .into_iter()
            .all(|width| [false, true].into_iter().all(|extreme| self.agrees_on(width, extreme, &mut draw)))
    }

    fn agrees_on(&self, width: usize, extreme: bool, draw: &mut impl FnMut() -> u32) -> bool {
        const ROWS: usize = 7;
        let mut fill = |length: usize| -> Vec<u8> {
            (0..length).map(|_| if extreme { 0xff } else { draw() as u8 }).collect()
        };
        let (high, low) = (fill(width / 2 * ROWS), fill(width / 2));
        let block = fill(width / 8 * ROWS_PER_SKETCH_BLOCK);
        let table: Vec<u8> = fill(width * 4).into_iter().map(|it| it & 127).collect();
        let bytes = fill(width);
        let query: Vec<i8> =
            bytes.iter().map(|it| if extreme { 127 } else { (*it as i8).max(-127) }).collect();
        let wide: Vec<i16> = query.iter().map(|it| i16::from(*it) * 32 + i16::from(*it) / 4).collect();
        let (mut near, mut scalar_near) = ([0; ROWS], [0; ROWS]);
        (self.near)(&query, &high, &mut near);
        (scalar::SCALAR_KERNELS.near)(&query, &high, &mut scalar_near);
        let (mut sums, mut scalar_sums) = ([0; ROWS_PER_SKETCH_BLOCK], [0; ROWS_PER_SKETCH_BLOCK]);
        (self.sketch)(&table, &block, &mut sums);
        (scalar::SCALAR_KERNELS.sketch)(&table, &block, &mut scalar_sums);
        let first = &high[..width / 2];
        let full = (self.full)(&wide, first, &low) == (scalar::SCALAR_KERNELS.full)(&wide, first, &low);
        full && near == scalar_near && sums == scalar_sums
    }
}

/// Runs plain code compiled for the features of this processor, beyond the baseline of its architecture. All of it must
/// be `#[inline(always)]`, or it keeps the baseline. The numbers are the same: no operations are fused.
#[inline]
pub(crate) fn with_cpu_features<R>(code: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    {
        avx2::with_avx2(code)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        code()
    }
}

/// Prefetches what will be read soon.
#[inline]
pub(crate) fn prefetch(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    avx2::prefetch(bytes);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// The preconditions that all sets rely on when they read through pointers.
fn check_near(query: &[i8], rows: &[u8], out: &[i32]) {
    assert!(query.len().is_multiple_of(DIMENSIONS_PER_GROUP), "dimensions are padded");
    assert_eq!(query.len() / 2 * out.len(), rows.len(), "each row has as many dimensions as the query");
}

fn check_full(query: &[i16], high: &[u8], low: &[u8]) {
    assert!(query.len().is_multiple_of(DIMENSIONS_PER_GROUP), "dimensions are padded");
    assert!(high.len() == query.len() / 2 && low.len() == high.len(), "the row has the query's dimensions");
}

fn check_sketch(tables: &[u8], block: &[u8]) {
    assert!(tables.len().is_multiple_of(4 * DIMENSIONS_PER_GROUP), "dimensions are padded");
    assert_eq!(tables.len(), block.len(), "each eight dimensions have two tables and 32 bytes");
}
