//! Loading: from the records of the file to the codes in memory.

use crate::{
    IndexError,
    code_chunk::{CodeChunk, FaceIds, ROWS_PER_CHUNK, padded_dimension},
    file::{IndexFile, RecordSlot},
    hadamard_rotation::HadamardRotation,
    scalar_quantisation::{VectorCode, centre_and_rotate},
};
use std::sync::{
    Arc, Mutex, PoisonError, RwLock,
    atomic::{AtomicUsize, Ordering},
};
use zeroize::Zeroizing;

/// Records per read of the file.
const RECORDS_PER_READ: usize = 256;
/// The centre is the mean of this many vectors at most.
const CENTRE_SAMPLE_VECTORS: usize = 4096;
/// With fewer vectors than this, the centre is the origin.
pub(crate) const MIN_VECTORS_FOR_CENTRE: usize = 1024;

/// A chunk, shared by searches and the writer.
pub(crate) type SharedChunk = Arc<RwLock<CodeChunk>>;

/// All codes, around one centre.
pub(crate) struct LiveCodes {
    /// Subtracted from every vector. The nearer it is to them, the finer their codes; exactness does not depend on it.
    pub(crate) centre: Vec<f32>,
    /// Whether the centre is a mean, not the origin.
    pub(crate) centred: bool,
    pub(crate) chunks: RwLock<Vec<SharedChunk>>,
}

/// What a pass over the file found.
pub(crate) struct LoadedCodes {
    pub(crate) live: LiveCodes,
    /// The face and person of each slot; `None` if it is free or does not decrypt.
    pub(crate) ids: Vec<Option<FaceIds>>,
    /// Records that do not decrypt.
    pub(crate) damaged: usize,
}

/// Reads the whole file, on up to four threads.
pub(crate) fn load_codes(
    file: &IndexFile,
    rotation: &HadamardRotation,
    dimension: usize,
    slots: u32,
) -> Result<LoadedCodes, IndexError> {
    let (centre, centred) = compute_centre(file, dimension, slots)?;
    let count = (slots as usize).div_ceil(ROWS_PER_CHUNK);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(count));
    let worker = || -> Result<(), IndexError> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return Ok(());
            }
            let (rows, damaged) = load_chunk(file, rotation, &centre, at, slots)?;
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, rows, damaged));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(4).min(count);
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
        let own = worker();
        let panicked = || Err(IndexError::Io(std::io::Error::other("a thread that read the index panicked")));
        let others = others.into_iter().map(|it| it.join().unwrap_or_else(|_| panicked()));
        others.fold(own, Result::and)
    })?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, ..)| *at);
    let damaged = done.iter().map(|(.., damaged)| damaged).sum();
    let ids = done.iter().flat_map(|(_, rows, _)| (0..rows.len()).map(|row| rows.ids(row))).collect();
    let chunks = RwLock::new(done.into_iter().map(|(_, rows, _)| Arc::new(RwLock::new(rows))).collect());
    Ok(LoadedCodes { live: LiveCodes { centre, centred, chunks }, ids, damaged })
}

/// The mean of the first vectors, or the origin if there are few; and which of the two it is.
fn compute_centre(file: &IndexFile, dimension: usize, slots: u32) -> Result<(Vec<f32>, bool), IndexError> {
    let mut sums = vec![0.0_f64; dimension];
    let mut count = 0_usize;
    let first = (slots as usize).min(CENTRE_SAMPLE_VECTORS);
    for_each_record(file, 0, first as u32, |_, slot, vector| {
        if let RecordSlot::Taken(_) = slot {
            count += 1;
            for (sum, it) in sums.iter_mut().zip(vector) {
                *sum += f64::from(*it);
            }
        }
    })?;
    let centred = count >= MIN_VECTORS_FOR_CENTRE;
    let mean = |sum: &f64| if centred { (sum / count as f64) as f32 } else { 0.0 };
    Ok((sums.iter().map(mean).collect(), centred))
}

/// Computes the codes of one chunk. Also returns how many of its records do not decrypt.
fn load_chunk(
    file: &IndexFile,
    rotation: &HadamardRotation,
    centre: &[f32],
    at: usize,
    slots: u32,
) -> Result<(CodeChunk, usize), IndexError> {
    let padded = padded_dimension(centre.len());
    let mut rows = CodeChunk::new(padded, CodeChunk::wants_large_pages(slots as usize))?;
    let mut damaged = 0;
    let mut code = VectorCode::default();
    let mut y = Zeroizing::new(Vec::with_capacity(padded));
    let first = at * ROWS_PER_CHUNK;
    let end = (first + ROWS_PER_CHUNK).min(slots as usize);
    for_each_record(file, first as u32, end as u32, |slot, found, vector| {
        let row = slot as usize - first;
        match found {
            RecordSlot::Taken(record) => {
                centre_and_rotate(rotation, centre, vector, padded, &mut y);
                code.encode(&y);
                rows.set(row, Some((&code, FaceIds { face: record.face, person: record.person })));
            }
            RecordSlot::Free => rows.set(row, None),
            RecordSlot::Damaged => {
                damaged += 1;
                rows.set(row, None);
            }
        }
    })?;
    Ok((rows, damaged))
}

/// Decrypts the records of the slots from `first` up to but without `end`.
fn for_each_record(
    file: &IndexFile,
    first: u32,
    end: u32,
    mut visit: impl FnMut(u32, RecordSlot, &[f32]),
) -> Result<(), IndexError> {
    let size = file.record_bytes();
    let mut bytes = Zeroizing::new(vec![0; RECORDS_PER_READ.min((end - first) as usize) * size]);
    let mut vector = Zeroizing::new(Vec::new());
    for from in (first..end).step_by(RECORDS_PER_READ) {
        let bytes = &mut bytes[..RECORDS_PER_READ.min((end - from) as usize) * size];
        file.read_slots(from, bytes)?;
        for (slot, record) in (from..end).zip(bytes.chunks_exact_mut(size)) {
            let found = file.unseal(slot, record, &mut vector);
            visit(slot, found, &vector);
        }
    }
    Ok(())
}
