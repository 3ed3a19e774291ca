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

/// Rows in a block of sketches, which are compared in one call: a byte of each fills the widest vector.
pub(crate) const ROWS_PER_SKETCH_BLOCK: usize = 64;
/// What a query's tables add up to for each of those rows.
pub(crate) type SketchSums = [u16; ROWS_PER_SKETCH_BLOCK];
/// Dimensions whose table entries are added as bytes before the sums are widened. The largest entries of their eight tables
/// must add up to at most 255.
pub(crate) const DIMENSIONS_PER_SKETCH_SEGMENT: usize = 32;
/// Bytes of a block that are of these dimensions.
const SKETCH_SEGMENT_BYTES: usize = DIMENSIONS_PER_SKETCH_SEGMENT / 8 * ROWS_PER_SKETCH_BLOCK;
/// Bytes of a query's tables for these dimensions.
const SKETCH_SEGMENT_TABLE_BYTES: usize = DIMENSIONS_PER_SKETCH_SEGMENT / 4 * 16;
/// Dimensions are padded to a multiple of this.
pub(crate) const DIMENSIONS_PER_GROUP: usize = 64;

/// One set of loops.
///
/// Codes are of eight bits, in two planes of four: `16 * high + low`. In a plane, 64 dimensions take 32 bytes: byte `j`
/// holds dimension `j` in its low half and dimension `32 + j` in its high half.
///
/// The loops that read the whole index take several queries, so that rows are loaded and taken apart once for all.
#[derive(Clone, Copy)]
pub(crate) struct Kernels {
    /// The name of the set, for logs.
    pub(crate) name: &'static str,
    /// `(queries, a plane of many rows, out)`: the dot product of each query and each row, by query.
    ///
    /// A query has its numbers in the order of a row's bytes: first those for the low halves, then those for the high
    /// ones; see [`in_plane_order`].
    pub(crate) near: fn(&[&[i8]], &[u8], &mut [i32]),
    /// `(query, high plane, low plane)` of one row: the dot product of the query and the code.
    pub(crate) full: fn(&[i16], &[u8], &[u8]) -> i32,
    /// `(tables of each query, a block, out)`: for each query and each of 64 rows the sum of the table entries that the
    /// row's signs select, by query.
    ///
    /// There is one table for every four dimensions, of 16 bytes; [`DIMENSIONS_PER_SKETCH_SEGMENT`] limits them. A block
    /// has 64 bytes for every eight dimensions: byte `r` holds the signs of row `r`, those of the first four dimensions
    /// in its low half.
    pub(crate) sketch: fn(&[&[u8]], &[u8], &mut [SketchSums]),
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
        // More than any set compares at once. Entries of eight tables add up to a byte.
        let tables: Vec<Vec<u8>> =
            (0..7).map(|_| fill(width * 4).into_iter().map(|it| it & 31).collect()).collect();
        let mut signed =
            || fill(width).into_iter().map(|it| if extreme { 127 } else { (it as i8).max(-127) });
        let queries: Vec<Vec<i8>> = (0..7).map(|_| signed().collect()).collect();
        let wide: Vec<i16> = queries[0].iter().map(|it| i16::from(*it) * 32 + i16::from(*it) / 4).collect();
        let queries: Vec<_> = queries.iter().map(Vec::as_slice).collect();
        let tables: Vec<_> = tables.iter().map(Vec::as_slice).collect();
        let first = &high[..width / 2];
        let full = (self.full)(&wide, first, &low) == (scalar::SCALAR_KERNELS.full)(&wide, first, &low);
        full && (1..=queries.len()).all(|count| {
            let (mut near, mut scalar_near) = (vec![0; count * ROWS], vec![0; count * ROWS]);
            (self.near)(&queries[..count], &high, &mut near);
            (scalar::SCALAR_KERNELS.near)(&queries[..count], &high, &mut scalar_near);
            let (mut sums, mut scalar_sums) =
                (vec![[0; ROWS_PER_SKETCH_BLOCK]; count], vec![[0; ROWS_PER_SKETCH_BLOCK]; count]);
            (self.sketch)(&tables[..count], &block, &mut sums);
            (scalar::SCALAR_KERNELS.sketch)(&tables[..count], &block, &mut scalar_sums);
            near == scalar_near && sums == scalar_sums
        })
    }
}

/// The numbers of a query for `near`, from those in the order of dimensions.
pub(crate) fn in_plane_order(numbers: &[i8]) -> Vec<i8> {
    let half = DIMENSIONS_PER_GROUP / 2;
    let groups = numbers.as_chunks::<DIMENSIONS_PER_GROUP>().0;
    let (lows, highs) = (groups.iter().flat_map(|it| &it[..half]), groups.iter().flat_map(|it| &it[half..]));
    lows.chain(highs).copied().collect()
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
pub(crate) fn prefetch<T>(items: &[T]) {
    #[cfg(target_arch = "x86_64")]
    avx2::prefetch(items);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = items;
}

/// The preconditions that all sets rely on when they read through pointers.
fn check_near(queries: &[&[i8]], rows: &[u8], out: &[i32]) {
    let Some(width) = queries.first().map(|it| it.len()) else { return };
    assert!(width > 0 && width.is_multiple_of(DIMENSIONS_PER_GROUP), "dimensions are padded");
    assert!(queries.iter().all(|it| it.len() == width), "all queries have the same dimensions");
    assert!(rows.len().is_multiple_of(width / 2), "each row has as many dimensions as a query");
    assert_eq!(rows.len() / (width / 2) * queries.len(), out.len(), "each row has a sum for each query");
}

fn check_full(query: &[i16], high: &[u8], low: &[u8]) {
    assert!(query.len().is_multiple_of(DIMENSIONS_PER_GROUP), "dimensions are padded");
    assert!(high.len() == query.len() / 2 && low.len() == high.len(), "the row has the query's dimensions");
}

fn check_sketch(tables: &[&[u8]], block: &[u8], out: &[SketchSums]) {
    assert_eq!(tables.len(), out.len(), "each query has its sums");
    assert!(block.len().is_multiple_of(2 * SKETCH_SEGMENT_BYTES), "dimensions are padded");
    for tables in tables {
        assert_eq!(2 * tables.len(), block.len(), "each eight dimensions have two tables and 64 bytes");
    }
}
