//! Scanning the index for a query: sketches, then codes, then the vectors themselves.

use crate::{
    IndexError, SearchHit, SearchQuery,
    code_chunk::{CodeChunk, ROWS_PER_CHUNK, padded_dimension},
    file::{IndexFile, RecordSlot},
    hadamard_rotation::HadamardRotation,
    kernels::{Kernels, ROWS_PER_SKETCH_BLOCK, prefetch, with_cpu_features},
    load::{LiveCodes, SharedChunk},
    scalar_quantisation::{EncodedQuery, SketchFilter, centre_and_rotate},
    top_k::{PersonDistance, TopK},
};
use base::Uuid;
use zeroize::Zeroizing;

/// Rows that one query reads before the next query reads the same: few enough to stay in the L1 cache.
const ROWS_PER_TILE: usize = 64;
/// With this many candidates, those that have been ruled out since are dropped.
const PRUNE_CANDIDATES_AT: usize = 4096;

/// What reading a row that the prefilter leaves costs, in dimensions of a row that is read in sequence: both wait for
/// memory, but here the processor could not prefetch.
const RANDOM_READ_COST_DIMENSIONS: usize = 8192;

/// The name of the kernels that searches use on this processor.
pub(crate) fn kernel_name() -> &'static str {
    Kernels::best().name
}

/// A face that may be among the nearest: its row, and a lower bound on its distance.
#[derive(Clone, Copy)]
struct ScanCandidate {
    lower: f64,
    slot: u32,
    version: u32,
}

/// A search in progress.
pub(crate) struct QueryScan<'a> {
    vector: &'a [f32],
    query: EncodedQuery,
    person_filter: Option<&'a (dyn Fn(Uuid) -> bool + Sync)>,
    top_k: usize,
    max_distance: f64,
    /// The nearest persons by upper bounds on their distances: nobody beyond its limit can be among the nearest.
    top_bounds: TopK,
    candidates: Vec<ScanCandidate>,
    prune_at: usize,
    /// Rows whose sketch was read, and how many of them it did not rule out.
    sketch_counts: (usize, usize),
}

impl<'a> QueryScan<'a> {
    /// Prepares a query.
    pub(crate) fn new(
        rotation: &HadamardRotation,
        live: &LiveCodes,
        vector: &'a [f32],
        query: &SearchQuery<'a>,
    ) -> Self {
        let mut y = Zeroizing::new(Vec::new());
        centre_and_rotate(rotation, &live.centre.vector, vector, padded_dimension(vector.len()), &mut y);
        let mut encoded = EncodedQuery::of(&y);
        if query.prefilter && query.max_distance.is_some() && vector.len() >= SketchFilter::MIN_DIMENSIONS {
            encoded.sketch_filter = Some(SketchFilter::of(&y, vector.len()));
        }
        let max_distance = query.max_distance.map_or(f64::INFINITY, f64::from);
        Self {
            vector,
            query: encoded,
            person_filter: query.person_filter,
            top_k: query.top_k,
            max_distance,
            top_bounds: TopK::new(query.top_k, max_distance),
            candidates: Vec::new(),
            prune_at: PRUNE_CANDIDATES_AT,
            sketch_counts: (0, 0),
        }
    }

    /// Reads a tile of rows of the high plane. `first` is the slot of the chunk's first row.
    fn read_codes(&mut self, kernels: &Kernels, rows: &CodeChunk, from: usize, first: usize) {
        let end = rows.len().min(from + ROWS_PER_TILE);
        let width = self.query.near.len() / 2;
        let (mut sums, mut excess) = ([0; ROWS_PER_TILE], [0.0; ROWS_PER_TILE]);
        let (sums, excess) = (&mut sums[..end - from], &mut excess[..end - from]);
        (kernels.near)(&self.query.near, &rows.high[from * width..end * width], sums);
        let bound = self.query.distance_bound(self.top_bounds.limit());
        let scales = rows.near_steps[from..end].iter().zip(&rows.near_errors[from..end]);
        let scales = scales.zip(&rows.squares[from..end]);
        with_cpu_features(|| {
            for ((excess, sum), ((step, error), square)) in excess.iter_mut().zip(sums.iter()).zip(scales) {
                *excess = self.query.excess(*sum, *step, *error, *square, bound);
            }
        });
        self.refine(kernels, rows, excess, from, first);
    }

    /// Reads a tile of rows of the sketches.
    fn read_sketches(
        &mut self,
        kernels: &Kernels,
        filter: &SketchFilter,
        rows: &CodeChunk,
        from: usize,
        first: usize,
    ) {
        let size = ROWS_PER_SKETCH_BLOCK * self.query.near.len() / 8;
        let bound = filter.distance_bound(self.top_bounds.limit());
        for from in (from..rows.len().min(from + ROWS_PER_TILE)).step_by(ROWS_PER_SKETCH_BLOCK) {
            let end = rows.len().min(from + ROWS_PER_SKETCH_BLOCK);
            let (mut sums, mut excess) = ([0; ROWS_PER_SKETCH_BLOCK], [0.0; ROWS_PER_SKETCH_BLOCK]);
            let excess = &mut excess[..end - from];
            (kernels.sketch)(
                &filter.tables,
                &rows.sketches[from / ROWS_PER_SKETCH_BLOCK * size..][..size],
                &mut sums,
            );
            let scales = rows.squares[from..end].iter().zip(&rows.flatness[from..end]);
            with_cpu_features(|| {
                for ((excess, sum), (square, flatness)) in excess.iter_mut().zip(&sums).zip(scales) {
                    *excess = filter.excess(*sum, *square, *flatness, bound);
                }
            });
            self.sketch_counts.0 += excess.len();
            self.sketch_counts.1 += self.refine(kernels, rows, excess, from, first);
        }
    }

    /// Compares the whole codes of the rows that were not ruled out: those whose excess is not positive. Returns how
    /// many there are.
    fn refine(
        &mut self,
        kernels: &Kernels,
        rows: &CodeChunk,
        excess: &[f32],
        from: usize,
        first: usize,
    ) -> usize {
        // Usually none is left; this finds out without a branch per row.
        let count = excess.iter().map(|it| u32::from(*it <= 0.0)).sum::<u32>() as usize;
        if count == 0 {
            return 0;
        }
        let remaining = || excess.iter().zip(from..).filter(|(it, _)| **it <= 0.0).map(|(_, row)| row);
        for row in remaining() {
            let (high, low) = rows.planes(row);
            prefetch(high);
            prefetch(low);
        }
        for row in remaining() {
            let (high, low) = rows.planes(row);
            let sum = (kernels.full)(&self.query.full, high, low);
            let terms = rows.full_code_terms(row);
            let (lower, upper) = self.query.bounds(sum, terms.step, terms.full_square, terms.full_error);
            if lower > self.top_bounds.limit() {
                continue;
            }
            // Last, because the ids lie elsewhere in memory.
            let Some(ids) =
                rows.ids(row).filter(|ids| self.person_filter.is_none_or(|accepts| accepts(ids.person)))
            else {
                continue;
            };
            self.top_bounds.offer(PersonDistance { distance: upper, person: ids.person, face: ids.face });
            self.candidates.push(ScanCandidate { lower, slot: (first + row) as u32, version: terms.version });
        }
        if self.candidates.len() >= self.prune_at {
            let limit = self.top_bounds.limit();
            self.candidates.retain(|it| it.lower <= limit);
            self.prune_at = PRUNE_CANDIDATES_AT.max(2 * self.candidates.len());
        }
        count
    }

    /// Decrypts and measures the candidates, lowest bound first. `None` if one was changed since it was found.
    pub(crate) fn rescore(
        mut self,
        file: &IndexFile,
        chunks: &[SharedChunk],
    ) -> Result<Option<Vec<SearchHit>>, IndexError> {
        let limit = self.top_bounds.limit();
        self.candidates.retain(|it| it.lower <= limit);
        self.candidates.sort_unstable_by(|a, b| a.lower.total_cmp(&b.lower));
        let mut best = TopK::new(self.top_k, self.max_distance);
        let mut unsealer = file.keys.unsealer();
        let (mut bytes, mut vector) = (Zeroizing::new(Vec::new()), Zeroizing::new(Vec::new()));
        for candidate in &self.candidates {
            if candidate.lower > best.limit() {
                break;
            }
            let row = candidate.slot as usize % ROWS_PER_CHUNK;
            let Some(chunk) = chunks.get(candidate.slot as usize / ROWS_PER_CHUNK) else { return Ok(None) };
            let rows = chunk.read().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (version, ids) = (rows.full_code_terms(row).version, rows.ids(row));
            drop(rows);
            let Some(ids) = ids.filter(|_| version == candidate.version) else { return Ok(None) };
            let record = file.read_record(&mut unsealer, candidate.slot, &mut bytes, &mut vector)?;
            let intact =
                matches!(record, RecordSlot::Taken(it) if it.face == ids.face && it.person == ids.person);
            if !intact {
                return Err(IndexError::Damaged { slot: candidate.slot });
            }
            let distance = f64::from(distance(self.vector, &vector));
            best.offer(PersonDistance { distance, person: ids.person, face: ids.face });
        }
        let hit =
            |it: PersonDistance| SearchHit { person: it.person, face: it.face, distance: it.distance as f32 };
        Ok(Some(best.into_persons().into_iter().map(hit).collect()))
    }
}

/// Runs all scans over a chunk whose first row is slot `first`.
pub(crate) fn scan_chunk(scans: &mut [QueryScan<'_>], rows: &CodeChunk, first: usize) {
    let kernels = Kernels::best();
    for scan in scans.iter_mut() {
        let (read, remaining) = scan.sketch_counts;
        // Then the prefilter costs more than it saves, and without it nothing can be missed.
        if remaining * RANDOM_READ_COST_DIMENSIONS > read * scan.query.near.len() {
            scan.query.sketch_filter = None;
        }
    }
    for from in (0..rows.len()).step_by(ROWS_PER_TILE) {
        for scan in scans.iter_mut().filter(|it| it.top_k > 0) {
            match scan.query.sketch_filter.take() {
                Some(filter) => {
                    scan.read_sketches(kernels, &filter, rows, from, first);
                    scan.query.sketch_filter = Some(filter);
                }
                None => scan.read_codes(kernels, rows, from, first),
            }
        }
    }
}

/// The Euclidean distance, summed in double precision and rounded once.
fn distance(a: &[f32], b: &[f32]) -> f32 {
    let mut parts = [0.0_f64; 8];
    for (a, b) in a.chunks(8).zip(b.chunks(8)) {
        for ((part, a), b) in parts.iter_mut().zip(a).zip(b) {
            *part += (f64::from(*a) - f64::from(*b)).powi(2);
        }
    }
    parts.iter().sum::<f64>().sqrt() as f32
}
