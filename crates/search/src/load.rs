//! From the file to the codes in memory.

use crate::{
    IndexError,
    code::{Code, turned},
    file::{Slot, Store},
    rows::{ROWS, Rows, Who, padded},
    turn::Turn,
};
use std::sync::{
    Arc, Mutex, PoisonError, RwLock,
    atomic::{AtomicUsize, Ordering},
};
use zeroize::Zeroizing;

/// Records read at a time.
const AT_ONCE: usize = 256;
/// Vectors whose mean is the centre.
const SAMPLE: usize = 4096;
/// With fewer vectors the centre is the origin.
pub(crate) const CENTRED: usize = 1024;

/// A chunk, shared by searches and the writer.
pub(crate) type Chunk = Arc<RwLock<Rows>>;

/// All codes, around one centre.
pub(crate) struct Live {
    /// The nearer it is to the vectors, the finer are their codes; exactness does not depend on it.
    pub(crate) centre: Vec<f32>,
    pub(crate) centred: bool,
    pub(crate) chunks: RwLock<Vec<Chunk>>,
}

/// What a pass over the file found.
pub(crate) struct Loaded {
    pub(crate) live: Live,
    /// What lies in each slot; free ones and those that do not open are `None`.
    pub(crate) who: Vec<Option<Who>>,
    /// Records that do not open.
    pub(crate) damaged: usize,
}

/// Reads the whole file.
pub(crate) fn load(store: &Store, turn: &Turn, dimension: usize, slots: u32) -> Result<Loaded, IndexError> {
    let (centre, centred) = centre(store, dimension, slots)?;
    let count = (slots as usize).div_ceil(ROWS);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(count));
    let worker = || -> Result<(), IndexError> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return Ok(());
            }
            let (rows, damaged) = chunk(store, turn, &centre, at, slots)?;
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, rows, damaged));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(4).min(count);
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let own = worker();
        let panicked = || Err(IndexError::Io(std::io::Error::other("reading the index broke down")));
        let others = others.into_iter().map(|it| it.join().unwrap_or_else(|_| panicked()));
        others.fold(own, Result::and)
    })?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, ..)| *at);
    let damaged = done.iter().map(|(.., damaged)| damaged).sum();
    let who = done.iter().flat_map(|(_, rows, _)| (0..rows.len()).map(|row| rows.who(row))).collect();
    let chunks = RwLock::new(done.into_iter().map(|(_, rows, _)| Arc::new(RwLock::new(rows))).collect());
    Ok(Loaded { live: Live { centre, centred, chunks }, who, damaged })
}

/// The mean of the first vectors.
fn centre(store: &Store, dimension: usize, slots: u32) -> Result<(Vec<f32>, bool), IndexError> {
    let mut sums = vec![0.0_f64; dimension];
    let mut count = 0_usize;
    let first = (slots as usize).min(SAMPLE);
    each(store, 0, first as u32, |_, slot, vector| {
        if let Slot::Taken(_) = slot {
            count += 1;
            for (sum, it) in sums.iter_mut().zip(vector) {
                *sum += f64::from(*it);
            }
        }
    })?;
    let centred = count >= CENTRED;
    let mean = |sum: &f64| if centred { (sum / count as f64) as f32 } else { 0.0 };
    Ok((sums.iter().map(mean).collect(), centred))
}

/// Codes one chunk; with it comes how many of its records do not open.
fn chunk(
    store: &Store,
    turn: &Turn,
    centre: &[f32],
    at: usize,
    slots: u32,
) -> Result<(Rows, usize), IndexError> {
    let padded = padded(centre.len());
    let mut rows = Rows::new(padded, Rows::large(slots as usize))?;
    let mut damaged = 0;
    let mut code = Code::default();
    let mut y = Zeroizing::new(Vec::with_capacity(padded));
    let first = at * ROWS;
    let end = (first + ROWS).min(slots as usize);
    each(store, first as u32, end as u32, |slot, found, vector| {
        let row = slot as usize - first;
        match found {
            Slot::Taken(record) => {
                turned(turn, centre, vector, padded, &mut y);
                code.set(&y);
                rows.set(row, Some((&code, Who { face: record.face, person: record.person })));
            }
            Slot::Free => rows.set(row, None),
            Slot::Damaged => {
                damaged += 1;
                rows.set(row, None);
            }
        }
    })?;
    Ok((rows, damaged))
}

/// Opens the records of slots from `first` to before `end`.
fn each(
    store: &Store,
    first: u32,
    end: u32,
    mut take: impl FnMut(u32, Slot, &[f32]),
) -> Result<(), IndexError> {
    let size = store.size();
    let mut bytes = Zeroizing::new(vec![0; AT_ONCE.min((end - first) as usize) * size]);
    let mut vector = Zeroizing::new(Vec::new());
    for from in (first..end).step_by(AT_ONCE) {
        let bytes = &mut bytes[..AT_ONCE.min((end - from) as usize) * size];
        store.read(from, bytes)?;
        for (slot, record) in (from..end).zip(bytes.chunks_exact_mut(size)) {
            let found = store.unseal(slot, record, &mut vector);
            take(slot, found, &vector);
        }
    }
    Ok(())
}
