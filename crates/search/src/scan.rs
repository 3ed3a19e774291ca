//! One query's way through the index.

use crate::{
    Ask, Hit, IndexError,
    best::{Best, Near},
    code::{Query, Sieve, turned},
    file::Store,
    kernels::{BLOCK, Kernels, fetch, widely},
    load::{Chunk, Live},
    rows::{ROWS, Rows, padded},
    turn::Turn,
};
use base::Uuid;
use zeroize::Zeroizing;

/// Rows that are read before it is the next query's turn: few enough that they stay in the nearest cache.
const TILE: usize = 64;
/// Candidates that are kept before those are thrown out that have been ruled out since.
const MANY: usize = 4096;

/// What a row costs that the prefilter leaves, in dimensions of a row whose code is simply read: both wait for memory,
/// but this one where the processor could not foresee it.
const DEAR: usize = 8192;

/// What searches use on this processor.
pub(crate) fn kernels() -> &'static str {
    Kernels::best().name
}

/// A face that may be among the nearest.
#[derive(Clone, Copy)]
struct Candidate {
    lower: f64,
    slot: u32,
    version: u32,
}

/// A search on its way.
pub(crate) struct Scan<'a> {
    vector: &'a [f32],
    query: Query,
    only: Option<&'a (dyn Fn(Uuid) -> bool + Sync)>,
    most: usize,
    within: f64,
    /// Persons by upper bounds of their distances: nobody beyond its limit can be among the nearest.
    best: Best,
    candidates: Vec<Candidate>,
    prune_at: usize,
    /// Rows whose sketch was read, and those of them that it did not rule out.
    sketched: (usize, usize),
}

impl<'a> Scan<'a> {
    /// Prepares a query.
    pub(crate) fn new(turn: &Turn, live: &Live, vector: &'a [f32], ask: &Ask<'a>) -> Self {
        let mut y = Zeroizing::new(Vec::new());
        turned(turn, &live.centre, vector, padded(vector.len()), &mut y);
        let mut query = Query::of(&y);
        if ask.prefilter && ask.within.is_some() && vector.len() >= Sieve::LEAST {
            query.sieve = Some(Sieve::of(&y, vector.len()));
        }
        let within = ask.within.map_or(f64::INFINITY, f64::from);
        let best = Best::new(ask.most, within);
        Self {
            vector,
            query,
            only: ask.only,
            most: ask.most,
            within,
            best,
            candidates: Vec::new(),
            prune_at: MANY,
            sketched: (0, 0),
        }
    }

    /// Reads rows of the high plane.
    fn read_codes(&mut self, kernels: &Kernels, rows: &Rows, from: usize, first: usize) {
        let end = rows.len().min(from + TILE);
        let width = self.query.near.len() / 2;
        let (mut sums, mut excess) = ([0; TILE], [0.0; TILE]);
        let (sums, excess) = (&mut sums[..end - from], &mut excess[..end - from]);
        (kernels.near)(&self.query.near, &rows.high[from * width..end * width], sums);
        let reach = self.query.reach(self.best.limit());
        let scales = rows.near_steps[from..end].iter().zip(&rows.near_errors[from..end]);
        let scales = scales.zip(&rows.squares[from..end]);
        widely(|| {
            for ((excess, sum), ((step, error), square)) in excess.iter_mut().zip(sums.iter()).zip(scales) {
                *excess = self.query.excess(*sum, *step, *error, *square, reach);
            }
        });
        self.look_closer(kernels, rows, excess, from, first);
    }

    /// Reads rows of the sketches.
    fn read_sketches(&mut self, kernels: &Kernels, sieve: &Sieve, rows: &Rows, from: usize, first: usize) {
        let size = BLOCK * self.query.near.len() / 8;
        let reach = sieve.reach(self.best.limit());
        for from in (from..rows.len().min(from + TILE)).step_by(BLOCK) {
            let end = rows.len().min(from + BLOCK);
            let (mut sums, mut excess) = ([0; BLOCK], [0.0; BLOCK]);
            let excess = &mut excess[..end - from];
            (kernels.sketch)(&sieve.tables, &rows.sketches[from / BLOCK * size..][..size], &mut sums);
            let scales = rows.squares[from..end].iter().zip(&rows.flatness[from..end]);
            widely(|| {
                for ((excess, sum), (square, flatness)) in excess.iter_mut().zip(&sums).zip(scales) {
                    *excess = sieve.excess(*sum, *square, *flatness, reach);
                }
            });
            self.sketched.0 += excess.len();
            self.sketched.1 += self.look_closer(kernels, rows, excess, from, first);
        }
    }

    /// Looks at the whole codes of those rows that nothing speaks against; says how many they are.
    fn look_closer(
        &mut self,
        kernels: &Kernels,
        rows: &Rows,
        excess: &[f32],
        from: usize,
        first: usize,
    ) -> usize {
        // Mostly none is left, which this tells without a branch for each.
        let count = excess.iter().map(|it| u32::from(*it <= 0.0)).sum::<u32>() as usize;
        if count == 0 {
            return 0;
        }
        let left = || excess.iter().zip(from..).filter(|(it, _)| **it <= 0.0).map(|(_, row)| row);
        for row in left() {
            let (high, low) = rows.planes(row);
            fetch(high);
            fetch(low);
        }
        for row in left() {
            let (high, low) = rows.planes(row);
            let sum = (kernels.full)(&self.query.full, high, low);
            let fine = rows.fine(row);
            let (lower, upper) = self.query.bounds(sum, fine.step, fine.full_square, fine.full_error);
            if lower > self.best.limit() {
                continue;
            }
            // Last, because who it is lies elsewhere in memory.
            let Some(who) = rows.who(row).filter(|who| self.only.is_none_or(|only| only(who.person))) else {
                continue;
            };
            self.best.offer(Near { distance: upper, person: who.person, face: who.face });
            self.candidates.push(Candidate { lower, slot: (first + row) as u32, version: fine.version });
        }
        if self.candidates.len() >= self.prune_at {
            let limit = self.best.limit();
            self.candidates.retain(|it| it.lower <= limit);
            self.prune_at = MANY.max(2 * self.candidates.len());
        }
        count
    }

    /// Measures the candidates, the most promising first. `None` where one was changed since.
    pub(crate) fn finish(mut self, store: &Store, chunks: &[Chunk]) -> Result<Option<Vec<Hit>>, IndexError> {
        let limit = self.best.limit();
        self.candidates.retain(|it| it.lower <= limit);
        self.candidates.sort_unstable_by(|a, b| a.lower.total_cmp(&b.lower));
        let mut best = Best::new(self.most, self.within);
        let (mut bytes, mut vector) = (Zeroizing::new(Vec::new()), Zeroizing::new(Vec::new()));
        for candidate in &self.candidates {
            if candidate.lower > best.limit() {
                break;
            }
            let row = candidate.slot as usize % ROWS;
            let Some(chunk) = chunks.get(candidate.slot as usize / ROWS) else { return Ok(None) };
            let rows = chunk.read().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (version, who) = (rows.fine(row).version, rows.who(row));
            drop(rows);
            let Some(who) = who.filter(|_| version == candidate.version) else { return Ok(None) };
            let record = store.fetch(candidate.slot, &mut bytes, &mut vector)?.ok_or(IndexError::Damaged)?;
            if (record.face, record.person) != (who.face, who.person) {
                return Err(IndexError::Damaged);
            }
            let distance = f64::from(distance(self.vector, &vector));
            best.offer(Near { distance, person: who.person, face: who.face });
        }
        let hit = |it: Near| Hit { person: it.person, face: it.face, distance: it.distance as f32 };
        Ok(Some(best.into_persons().into_iter().map(hit).collect()))
    }
}

/// All searches read a chunk, whose first row is slot `first`.
pub(crate) fn read(scans: &mut [Scan<'_>], rows: &Rows, first: usize) {
    let kernels = Kernels::best();
    for scan in scans.iter_mut() {
        let (read, left) = scan.sketched;
        // Then it costs more than it saves, and without it nothing can be missed.
        if left * DEAR > read * scan.query.near.len() {
            scan.query.sieve = None;
        }
    }
    for from in (0..rows.len()).step_by(TILE) {
        for scan in scans.iter_mut().filter(|it| it.most > 0) {
            match scan.query.sieve.take() {
                Some(sieve) => {
                    scan.read_sketches(kernels, &sieve, rows, from, first);
                    scan.query.sieve = Some(sieve);
                }
                None => scan.read_codes(kernels, rows, from, first),
            }
        }
    }
}

/// The Euclidean distance, summed up in double precision and rounded once.
fn distance(a: &[f32], b: &[f32]) -> f32 {
    let mut parts = [0.0_f64; 8];
    for (a, b) in a.chunks(8).zip(b.chunks(8)) {
        for ((part, a), b) in parts.iter_mut().zip(a).zip(b) {
            *part += (f64::from(*a) - f64::from(*b)).powi(2);
        }
    }
    parts.iter().sum::<f64>().sqrt() as f32
}
