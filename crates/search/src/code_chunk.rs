//! The codes of up to 16,384 vectors in memory, laid out as searches read them.

use crate::{
    kernels::{DIMENSIONS_PER_GROUP, ROWS_PER_SKETCH_BLOCK},
    scalar_quantisation::{CodeScales, FullCodeTerms, SketchBlockBounds, VectorCode},
};
use base::Uuid;
use memmap2::MmapMut;
use std::ops::Range;

/// Rows of a chunk. A search locks a chunk only while it reads it, so a writer waits for one chunk and not for all.
pub(crate) const ROWS_PER_CHUNK: usize = 1 << 14;
/// Indices of at least this many slots ask for huge pages.
const LARGE_PAGES_MIN_ROWS: usize = 1 << 12;

/// The face and person of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FaceIds {
    pub(crate) face: Uuid,
    pub(crate) person: Uuid,
}

/// Codes by row. Each plane is contiguous.
pub(crate) struct CodeChunk {
    padded_dimension: usize,
    pub(crate) high: MmapMut,
    low: MmapMut,
    /// Blocks of 64 rows, see [`crate::kernels::Kernels::sketch`].
    sketches: MmapMut,
    /// Bounds on the squares and flatness of each of these blocks.
    sketch_bounds: Vec<SketchBlockBounds>,
    pub(crate) near_steps: Vec<f32>,
    pub(crate) near_errors: Vec<f32>,
    pub(crate) squares: Vec<f32>,
    flatness: Vec<f32>,
    full_code_terms: Vec<FullCodeTerms>,
    ids: Vec<Option<FaceIds>>,
}

impl CodeChunk {
    /// A chunk without rows, with room for `rows` in its lists. In its planes, address space is reserved for as many as
    /// there can be; the kernel commits memory as they are written.
    pub(crate) fn new(padded: usize, rows: usize, large: bool) -> std::io::Result<Self> {
        let plane = |bytes: usize| {
            let map = MmapMut::map_anon(bytes)?;
            advise(&map, large);
            Ok::<_, std::io::Error>(map)
        };
        Ok(Self {
            padded_dimension: padded,
            high: plane(ROWS_PER_CHUNK * padded / 2)?,
            low: plane(ROWS_PER_CHUNK * padded / 2)?,
            sketches: plane(ROWS_PER_CHUNK * padded / 8)?,
            sketch_bounds: Vec::with_capacity(rows.div_ceil(ROWS_PER_SKETCH_BLOCK)),
            near_steps: Vec::with_capacity(rows),
            near_errors: Vec::with_capacity(rows),
            squares: Vec::with_capacity(rows),
            flatness: Vec::with_capacity(rows),
            full_code_terms: Vec::with_capacity(rows),
            ids: Vec::with_capacity(rows),
        })
    }

    /// Whether an index of this many slots should ask for huge pages.
    pub(crate) fn wants_large_pages(slots: usize) -> bool {
        slots >= LARGE_PAGES_MIN_ROWS
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn ids(&self, row: usize) -> Option<FaceIds> {
        self.ids.get(row).copied().flatten()
    }

    pub(crate) fn full_code_terms(&self, row: usize) -> FullCodeTerms {
        self.full_code_terms.get(row).copied().unwrap_or_default()
    }

    /// The high and the low plane of a row.
    pub(crate) fn planes(&self, row: usize) -> (&[u8], &[u8]) {
        let width = self.padded_dimension / 2;
        let at = row * width..(row + 1) * width;
        (&self.high[at.clone()], &self.low[at])
    }

    /// The block of sketches that begins with this row.
    pub(crate) fn sketch_block(&self, first_row: usize) -> &[u8] {
        let size = self.sketch_block_bytes();
        &self.sketches[first_row / ROWS_PER_SKETCH_BLOCK * size..][..size]
    }

    /// The squares and flatness of these rows.
    pub(crate) fn sketch_terms(&self, rows: Range<usize>) -> (&[f32], &[f32]) {
        (&self.squares[rows.clone()], &self.flatness[rows])
    }

    /// Bounds on the rows of the block that begins with this row, and of those that follow, `count` at most.
    pub(crate) fn sketch_bounds(&self, first_row: usize, count: usize) -> SketchBlockBounds {
        let blocks = &self.sketch_bounds[first_row / ROWS_PER_SKETCH_BLOCK..];
        SketchBlockBounds::of_blocks(&blocks[..count.min(blocks.len())])
    }

    fn sketch_block_bytes(&self) -> usize {
        ROWS_PER_SKETCH_BLOCK * self.padded_dimension / 8
    }

    /// Sets a row, or clears it with `None`. Rows up to it are created.
    pub(crate) fn set(&mut self, row: usize, code: Option<(&VectorCode, FaceIds)>) {
        let overwritten = row < self.len();
        while self.len() <= row {
            if self.len().is_multiple_of(ROWS_PER_SKETCH_BLOCK) {
                self.sketch_bounds.push(SketchBlockBounds::default());
            }
            self.near_steps.push(0.0);
            self.near_errors.push(0.0);
            self.squares.push(f32::INFINITY);
            self.flatness.push(0.0);
            self.full_code_terms.push(FullCodeTerms::default());
            self.ids.push(None);
        }
        let width = self.padded_dimension / 2;
        let (high, low) = (&mut self.high[row * width..][..width], &mut self.low[row * width..][..width]);
        // An empty row is infinitely far away, so no loop needs to check whether a row is taken.
        let empty = CodeScales { square: f32::INFINITY, ..CodeScales::default() };
        let (scales, ids) = if let Some((code, ids)) = code {
            high.copy_from_slice(&code.high);
            low.copy_from_slice(&code.low);
            (code.scales, Some(ids))
        } else {
            high.fill(0);
            low.fill(0);
            (empty, None)
        };
        let block = row / ROWS_PER_SKETCH_BLOCK;
        let signs = block * self.sketch_block_bytes() + row % ROWS_PER_SKETCH_BLOCK;
        for at in 0..self.padded_dimension / 8 {
            self.sketches[signs + at * ROWS_PER_SKETCH_BLOCK] = code.map_or(0, |(code, _)| code.signs[at]);
        }
        self.near_steps[row] = scales.near_step;
        self.near_errors[row] = scales.near_error;
        self.squares[row] = scales.square;
        self.flatness[row] = scales.flatness;
        // What is appended can only widen the bounds.
        let from = if overwritten { block * ROWS_PER_SKETCH_BLOCK } else { row };
        let mut bounds = if overwritten { SketchBlockBounds::default() } else { self.sketch_bounds[block] };
        let end = self.len().min((block + 1) * ROWS_PER_SKETCH_BLOCK);
        for (square, flatness) in self.squares[from..end].iter().zip(&self.flatness[from..end]) {
            bounds.include(*square, *flatness, self.padded_dimension);
        }
        self.sketch_bounds[block] = bounds;
        let version = self.full_code_terms[row].version.wrapping_add(1);
        let CodeScales { step, full_square, full_error, .. } = scales;
        self.full_code_terms[row] = FullCodeTerms { step, full_square, full_error, version };
        self.ids[row] = ids;
    }
}

/// Keeps faces out of core dumps, and asks for huge pages, which are faster to read. Both are best effort.
fn advise(map: &MmapMut, large: bool) {
    #[cfg(target_os = "linux")]
    {
        let _best_effort = map.advise(memmap2::Advice::DontDump);
        if large {
            let _best_effort = map.advise(memmap2::Advice::HugePage);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (map, large);
}

/// The dimension rounded up to a whole number of groups.
pub(crate) fn padded_dimension(dimension: usize) -> usize {
    dimension.next_multiple_of(DIMENSIONS_PER_GROUP)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIMENSION: usize = 64;

    /// A code of a vector that is longer and flatter the larger the number.
    fn code(number: usize) -> VectorCode {
        let mut code = VectorCode::default();
        let numbers =
            (0..DIMENSION).map(|at| if at <= number % DIMENSION { 1.0 + number as f32 } else { 0.1 });
        code.encode(&numbers.collect::<Vec<f32>>());
        code
    }

    fn chunk(rows: &[Option<usize>]) -> CodeChunk {
        let mut chunk = CodeChunk::new(DIMENSION, rows.len(), false).expect("there is memory");
        for (row, number) in rows.iter().enumerate() {
            set(&mut chunk, row, *number);
        }
        chunk
    }

    fn set(chunk: &mut CodeChunk, row: usize, number: Option<usize>) {
        let ids = FaceIds { face: Uuid::from_u128(row as u128), person: Uuid::from_u128(1) };
        chunk.set(row, number.map(code).as_ref().map(|code| (code, ids)));
    }

    #[test]
    fn bounds_of_sketches_are_those_of_the_rows_that_are_there() {
        let mut rows: Vec<_> = (0..150).map(|row| Some(row * 7 % 50)).collect();
        let mut changed = chunk(&rows);
        // The nearest and the farthest of a block go, one of another is replaced, and one is appended behind a gap.
        for (row, number) in [(0, None), (7, None), (57, None), (100, Some(99)), (200, Some(3)), (149, None)]
        {
            rows.resize(rows.len().max(row + 1), None);
            rows[row] = number;
            set(&mut changed, row, number);
            let anew = chunk(&rows);
            assert_eq!(changed.sketch_bounds.len(), rows.len().div_ceil(ROWS_PER_SKETCH_BLOCK));
            assert_eq!(changed.sketch_bounds, anew.sketch_bounds, "{row}");
        }
        let blocks = &changed.sketch_bounds;
        assert_ne!(blocks[0], blocks[1]);
        assert_eq!(changed.sketch_bounds(64, 2), SketchBlockBounds::of_blocks(&blocks[1..3]));
        assert_eq!(changed.sketch_bounds(64, 16), SketchBlockBounds::of_blocks(&blocks[1..]));
    }
}
