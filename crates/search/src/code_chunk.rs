//! The codes of up to 16,384 vectors in memory, laid out as searches read them.

use crate::{
    kernels::{DIMENSIONS_PER_GROUP, ROWS_PER_SKETCH_BLOCK},
    scalar_quantisation::{CodeScales, FullCodeTerms, VectorCode},
};
use base::Uuid;
use memmap2::MmapMut;

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
    pub(crate) sketches: MmapMut,
    pub(crate) near_steps: Vec<f32>,
    pub(crate) near_errors: Vec<f32>,
    pub(crate) squares: Vec<f32>,
    pub(crate) flatness: Vec<f32>,
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

    /// Sets a row, or clears it with `None`. Rows up to it are created.
    pub(crate) fn set(&mut self, row: usize, code: Option<(&VectorCode, FaceIds)>) {
        while self.len() <= row {
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
        let block = &mut self.sketches
            [row / ROWS_PER_SKETCH_BLOCK * ROWS_PER_SKETCH_BLOCK * self.padded_dimension / 8..];
        for at in 0..self.padded_dimension / 8 {
            block[at * ROWS_PER_SKETCH_BLOCK + row % ROWS_PER_SKETCH_BLOCK] =
                code.map_or(0, |(code, _)| code.signs[at]);
        }
        self.near_steps[row] = scales.near_step;
        self.near_errors[row] = scales.near_error;
        self.squares[row] = scales.square;
        self.flatness[row] = scales.flatness;
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
