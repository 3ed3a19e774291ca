//! Scanning the index for queries: sketches, then codes, then the vectors themselves.

use crate::{
    IndexError, PersonFilter, SearchHit, SearchQuery,
    code_chunk::{CodeChunk, ROWS_PER_CHUNK, padded_dimension},
    file::{IndexFile, RecordSlot},
    hadamard_rotation::HadamardRotation,
    kernels::{Kernels, ROWS_PER_SKETCH_BLOCK, SketchSums, prefetch, with_cpu_features},
    load::{LiveCodes, SharedChunk},
    scalar_quantisation::{EncodedQuery, RowTerms, SketchFilter, SketchThreshold, centre_and_rotate},
    top_k::{PersonDistance, TopK},
};
use std::sync::{
    PoisonError,
    atomic::{AtomicU64, Ordering},
};
use zeroize::Zeroizing;

/// Rows that are compared with all queries before the next rows: few enough to stay in the L1 cache.
const ROWS_PER_TILE: usize = ROWS_PER_SKETCH_BLOCK;
/// Blocks of sketches that share their thresholds: to compute one takes longer than to compare a block with it.
const BLOCKS_PER_THRESHOLD: usize = 16;
/// With this many candidates, those that have been ruled out since are dropped.
const PRUNE_CANDIDATES_AT: usize = 4096;

/// What reading a row that the prefilter leaves costs, in dimensions of a row that is read in sequence: both wait for
/// memory, but here the processor could not prefetch.
const RANDOM_READ_COST_DIMENSIONS: usize = 8192;
/// What a second look at the sketches of a block costs for each row, in percent of one query that reads codes in sequence.
const CLOSE_LOOK_COST_PERCENT: usize = 20;
/// What reading a sketch in place of codes saves, in the same unit: memory, which all queries share, and arithmetic, which
/// each has of its own.
const SHARED_SAVING_PERCENT: usize = 60;
const OWN_SAVING_PERCENT: usize = 10;

/// The name of the kernels that searches use on this processor.
pub(crate) fn kernel_name() -> &'static str {
    Kernels::best().name
}

/// A query in the form that is compared with codes, for all threads that do so.
pub(crate) struct PreparedQuery {
    encoded: EncodedQuery,
    person_filter: Option<PersonFilter>,
    top_k: usize,
    max_distance: f64,
    /// The bits of the distance beyond which nobody can be among the nearest, as the threads have found so far.
    /// Distances are not negative, so their bits have the order of the numbers.
    shared_limit: AtomicU64,
}

impl PreparedQuery {
    /// Prepares a search for a vector.
    pub(crate) fn new(
        rotation: &HadamardRotation,
        live: &LiveCodes,
        vector: &[f32],
        query: &SearchQuery,
    ) -> Self {
        let mut y = Zeroizing::new(Vec::new());
        centre_and_rotate(rotation, &live.centre.vector, vector, padded_dimension(vector.len()), &mut y);
        let mut encoded = EncodedQuery::of(&y);
        if query.prefilter && query.max_distance.is_some() && vector.len() >= SketchFilter::MIN_DIMENSIONS {
            encoded.sketch_filter = Some(SketchFilter::of(&y, vector.len()));
        }
        // The absolute value, because -0 has the bits of a large number.
        let max_distance = query.max_distance.map_or(f64::INFINITY, |it| f64::from(it.abs()));
        Self {
            encoded,
            person_filter: query.person_filter.clone(),
            top_k: query.top_k,
            max_distance,
            shared_limit: AtomicU64::new(max_distance.to_bits()),
        }
    }
}

/// A face that may be among the nearest: its row, and a lower bound on its distance.
#[derive(Clone, Copy)]
struct ScanCandidate {
    lower: f64,
    slot: u32,
    version: u32,
}

/// What was found for a query in some of the chunks.
pub(crate) struct ScanFindings {
    /// The nearest persons by upper bounds on their distances: nobody beyond its limit can be among the nearest.
    top_bounds: TopK,
    candidates: Vec<ScanCandidate>,
    prune_at: usize,
    sketch_counts: SketchCounts,
}

/// What became of the rows whose sketches were read.
#[derive(Clone, Copy, Default)]
struct SketchCounts {
    read: usize,
    /// Of these, rows of blocks that needed a second look.
    close: usize,
    /// Of these, rows that were not ruled out.
    remaining: usize,
}

impl ScanFindings {
    pub(crate) fn new(query: &PreparedQuery) -> Self {
        Self {
            top_bounds: TopK::new(query.top_k, query.max_distance),
            candidates: Vec::new(),
            prune_at: PRUNE_CANDIDATES_AT,
            sketch_counts: SketchCounts::default(),
        }
    }

    /// Adds what was found in other chunks.
    pub(crate) fn merge(&mut self, other: Self) {
        self.candidates.extend(other.candidates);
        for person in other.top_bounds.into_persons() {
            self.top_bounds.offer(person);
        }
    }

    /// Decrypts and measures the candidates, lowest bound first. `None` if one was changed since it was found.
    pub(crate) fn rescore(
        mut self,
        vector: &[f32],
        query: &SearchQuery,
        file: &IndexFile,
        chunks: &[SharedChunk],
    ) -> Result<Option<Vec<SearchHit>>, IndexError> {
        let limit = self.top_bounds.limit();
        self.candidates.retain(|it| it.lower <= limit);
        self.candidates.sort_unstable_by(|a, b| a.lower.total_cmp(&b.lower));
        let mut best = TopK::new(query.top_k, query.max_distance.map_or(f64::INFINITY, f64::from));
        let mut unsealer = file.keys.unsealer();
        let (mut bytes, mut stored) = (Zeroizing::new(Vec::new()), Zeroizing::new(Vec::new()));
        for candidate in &self.candidates {
            if candidate.lower > best.limit() {
                break;
            }
            let row = candidate.slot as usize % ROWS_PER_CHUNK;
            let Some(chunk) = chunks.get(candidate.slot as usize / ROWS_PER_CHUNK) else { return Ok(None) };
            let rows = chunk.read().unwrap_or_else(PoisonError::into_inner);
            let (version, ids) = (rows.full_code_terms(row).version, rows.ids(row));
            drop(rows);
            let Some(ids) = ids.filter(|_| version == candidate.version) else { return Ok(None) };
            let record = file.read_record(&mut unsealer, candidate.slot, &mut bytes, &mut stored)?;
            let intact =
                matches!(record, RecordSlot::Taken(it) if it.face == ids.face && it.person == ids.person);
            if !intact {
                return Err(IndexError::Damaged { slot: candidate.slot });
            }
            let distance = f64::from(distance(vector, &stored));
            best.offer(PersonDistance { distance, person: ids.person, face: ids.face });
        }
        let hit =
            |it: PersonDistance| SearchHit { person: it.person, face: it.face, distance: it.distance as f32 };
        Ok(Some(best.into_persons().into_iter().map(hit).collect()))
    }
}

/// A query, and what was found for it by one thread.
pub(crate) struct QueryScan<'a> {
    pub(crate) query: &'a PreparedQuery,
    pub(crate) findings: ScanFindings,
}

impl QueryScan<'_> {
    /// The sketch filter, as long as it saves more than it costs, where so many queries share the reading. Without it
    /// nothing can be missed.
    fn useful_filter(&self, queries: usize) -> Option<&SketchFilter> {
        let SketchCounts { read, close, remaining } = self.findings.sketch_counts;
        let dimensions = self.query.encoded.near.len();
        let cost =
            CLOSE_LOOK_COST_PERCENT * close * dimensions + 100 * RANDOM_READ_COST_DIMENSIONS * remaining;
        let saving = (SHARED_SAVING_PERCENT / queries + OWN_SAVING_PERCENT) * read * dimensions;
        self.query.encoded.sketch_filter.as_ref().filter(|_| cost <= saving)
    }

    /// The distance beyond which nobody can be among the nearest any more.
    fn limit(&self) -> f64 {
        let shared = f64::from_bits(self.query.shared_limit.load(Ordering::Relaxed));
        self.findings.top_bounds.limit().min(shared)
    }

    /// Compares the whole codes of the rows that were not ruled out: those of a tile whose excess is not positive.
    /// Returns how many there are. `first` is the slot of the chunk's first row; `high_sums` are the kernel's, if they
    /// are known.
    fn refine(
        &mut self,
        kernels: &Kernels,
        rows: &CodeChunk,
        excess: &[f32],
        (from, first): (usize, usize),
        high_sums: Option<&[i32]>,
    ) -> usize {
        // Usually none is left; this finds out without a branch per row.
        let count = excess.iter().map(|it| u32::from(*it <= 0.0)).sum::<u32>() as usize;
        if count == 0 {
            return 0;
        }
        let remaining = || excess.iter().zip(from..).filter(|(it, _)| **it <= 0.0).map(|(_, row)| row);
        for row in remaining() {
            let (high, low) = rows.planes(row);
            if high_sums.is_none() {
                prefetch(high);
            }
            prefetch(low);
        }
        let encoded = &self.query.encoded;
        for row in remaining() {
            let (high, low) = rows.planes(row);
            let sum_of = |plane| {
                let mut sum = [0];
                (kernels.near)(&[&encoded.near], plane, &mut sum);
                sum[0]
            };
            let high_sum = high_sums.map_or_else(|| sum_of(high), |sums| sums[row - from]);
            let terms = rows.full_code_terms(row);
            if !encoded.may_be_within(self.limit(), high_sum, sum_of(low), terms) {
                continue;
            }
            let (lower, upper) = encoded.bounds((kernels.full)(&encoded.full, high, low), terms);
            if lower > self.limit() {
                continue;
            }
            // Last, because the ids lie elsewhere in memory.
            let accepts = |person| self.query.person_filter.as_ref().is_none_or(|accepts| accepts(person));
            let Some(ids) = rows.ids(row).filter(|ids| accepts(ids.person)) else { continue };
            let ScanFindings { top_bounds, candidates, .. } = &mut self.findings;
            top_bounds.offer(PersonDistance { distance: upper, person: ids.person, face: ids.face });
            self.query.shared_limit.fetch_min(top_bounds.limit().to_bits(), Ordering::Relaxed);
            candidates.push(ScanCandidate { lower, slot: (first + row) as u32, version: terms.version });
        }
        if self.findings.candidates.len() >= self.findings.prune_at {
            let limit = self.limit();
            self.findings.candidates.retain(|it| it.lower <= limit);
            self.findings.prune_at = PRUNE_CANDIDATES_AT.max(2 * self.findings.candidates.len());
        }
        count
    }
}

/// Compares all queries with a chunk whose first row is slot `first`, in one pass over memory.
pub(crate) fn scan_chunk(scans: &mut [QueryScan<'_>], rows: &CodeChunk, first: usize) {
    let count = scans.len();
    let (by_sketches, mut by_codes): (Vec<_>, Vec<_>) =
        scans.iter_mut().partition(|scan| scan.useful_filter(count).is_some());
    let mut by_sketches = SketchScan::new(by_sketches);
    let queries: Vec<&[i8]> = by_codes.iter().map(|scan| &scan.query.encoded.near[..]).collect();
    let mut code_sums = vec![0; ROWS_PER_TILE * queries.len()];
    for from in (0..rows.len()).step_by(ROWS_PER_TILE) {
        by_sketches.read(rows, from, first);
        if !by_codes.is_empty() {
            read_codes(&mut by_codes, &queries, &mut code_sums, rows, (from, first));
        }
    }
}

/// Queries that are compared with the sketches of a chunk.
struct SketchScan<'a, 'b> {
    scans: Vec<(&'a mut QueryScan<'b>, &'b SketchFilter)>,
    tables: Vec<&'b [u8]>,
    /// By query, for the block that is being read.
    sums: Vec<SketchSums>,
    /// By query, for this block and its neighbours.
    thresholds: Vec<SketchThreshold>,
    /// Whether one of these blocks had a row that a sum did not rule out. Then others will.
    looked_closely: bool,
}

impl<'a, 'b> SketchScan<'a, 'b> {
    fn new(scans: Vec<&'a mut QueryScan<'b>>) -> Self {
        let with_filter = |scan: &'a mut QueryScan<'b>| {
            let filter = scan.query.encoded.sketch_filter.as_ref()?;
            Some((scan, filter))
        };
        let scans: Vec<_> = scans.into_iter().filter_map(with_filter).collect();
        let tables = scans.iter().map(|(_, filter)| &filter.tables[..]).collect();
        let sums = vec![[0; ROWS_PER_SKETCH_BLOCK]; scans.len()];
        let thresholds = vec![SketchThreshold::default(); scans.len()];
        Self { scans, tables, sums, thresholds, looked_closely: false }
    }

    /// Reads the block that begins with this row.
    fn read(&mut self, rows: &CodeChunk, from: usize, first: usize) {
        if self.scans.is_empty() {
            return;
        }
        if from.is_multiple_of(BLOCKS_PER_THRESHOLD * ROWS_PER_SKETCH_BLOCK) {
            let bounds = rows.sketch_bounds(from, BLOCKS_PER_THRESHOLD);
            for ((scan, filter), threshold) in self.scans.iter().zip(&mut self.thresholds) {
                *threshold = filter.threshold(bounds, scan.limit());
            }
            self.looked_closely = false;
        }
        let kernels = Kernels::best();
        let end = rows.len().min(from + ROWS_PER_SKETCH_BLOCK);
        let block = rows.sketch_block(from);
        (kernels.sketch)(&self.tables, block, &mut self.sums);
        let by_query = self.scans.iter_mut().zip(&self.sums).zip(&self.thresholds);
        for (((scan, filter), sums), threshold) in by_query {
            scan.findings.sketch_counts.read += end - from;
            let max_sum = with_cpu_features(|| sums.iter().copied().fold(0, u16::max));
            if max_sum < threshold.min_sum {
                continue;
            }
            self.looked_closely = true;
            let terms = rows.sketch_terms(from..end);
            let mut excess = [0.0_f32; ROWS_PER_TILE];
            let excess = &mut excess[..end - from];
            // First without the surplus, which takes longer to compute and mostly is not needed.
            let mut surplus = [[0; ROWS_PER_SKETCH_BLOCK]];
            if filter.measure_excess(*threshold, (sums, &surplus[0]), terms, excess) == 0 {
                continue;
            }
            (kernels.sketch)(&[&filter.surplus_tables], block, &mut surplus);
            filter.measure_excess(*threshold, (sums, &surplus[0]), terms, excess);
            let remaining = scan.refine(kernels, rows, excess, (from, first), None);
            scan.findings.sketch_counts.close += end - from;
            scan.findings.sketch_counts.remaining += remaining;
        }
        if self.looked_closely {
            let (squares, flatness) = rows.sketch_terms(end..rows.len().min(end + ROWS_PER_SKETCH_BLOCK));
            prefetch(squares);
            prefetch(flatness);
        }
    }
}

/// Reads a tile of rows of the high plane.
fn read_codes(
    scans: &mut [&mut QueryScan<'_>],
    queries: &[&[i8]],
    sums: &mut [i32],
    rows: &CodeChunk,
    (from, first): (usize, usize),
) {
    let kernels = Kernels::best();
    let end = rows.len().min(from + ROWS_PER_TILE);
    let (count, width) = (end - from, queries[0].len() / 2);
    let sums = &mut sums[..count * queries.len()];
    (kernels.near)(queries, &rows.high[from * width..end * width], sums);
    let (steps, errors) = (&rows.near_steps[from..end], &rows.near_errors[from..end]);
    let squares = &rows.squares[from..end];
    let (mut lengths, mut excess) = ([0.0_f32; ROWS_PER_TILE], [0.0_f32; ROWS_PER_TILE]);
    let (lengths, excess) = (&mut lengths[..count], &mut excess[..count]);
    with_cpu_features(|| {
        for ((length, error), square) in lengths.iter_mut().zip(errors).zip(squares) {
            *length = (square + error * error).sqrt();
        }
    });
    for (scan, sums) in scans.iter_mut().zip(sums.chunks_exact(count)) {
        let encoded = &scan.query.encoded;
        let bound = encoded.distance_bound(scan.limit());
        let terms = steps.iter().zip(errors).zip(squares.iter().zip(lengths.iter()));
        with_cpu_features(|| {
            for ((excess, sum), ((step, error), (square, length))) in excess.iter_mut().zip(sums).zip(terms) {
                let row = RowTerms { step: *step, error: *error, square: *square, length: *length };
                *excess = encoded.excess(*sum, row, bound);
            }
        });
        scan.refine(kernels, rows, excess, (from, first), Some(sums));
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
