//! Loading: from the two files to the codes in memory.

use crate::{
    IndexError,
    code_chunk::{CodeChunk, FaceIds, ROWS_PER_CHUNK, padded_dimension},
    code_file::{Centre, CodeFile, CodeRow, PendingSlots},
    file::{IndexFile, RecordIds, RecordSlot},
    hadamard_rotation::HadamardRotation,
    keys::Unsealer,
    scalar_quantisation::{VectorCode, centre_and_rotate},
};
use std::sync::{
    Arc, Mutex, PoisonError, RwLock,
    atomic::{AtomicUsize, Ordering},
};
use zeroize::Zeroizing;

/// Records or rows per read of a file.
const ROWS_PER_READ: usize = 256;
/// The centre is the mean of this many vectors at most.
const CENTRE_SAMPLE_VECTORS: usize = 4096;
/// With fewer vectors than this, the centre is the origin.
pub(crate) const MIN_VECTORS_FOR_CENTRE: usize = 1024;
/// Threads that read at most.
const MAX_LOADING_THREADS: usize = 4;

/// A chunk, shared by searches and the writer.
pub(crate) type SharedChunk = Arc<RwLock<CodeChunk>>;

/// All codes, around one centre.
pub(crate) struct LiveCodes {
    pub(crate) centre: Centre,
    pub(crate) chunks: RwLock<Vec<SharedChunk>>,
}

/// What a pass over the files found.
pub(crate) struct LoadedCodes {
    pub(crate) live: LiveCodes,
    /// The face and person of each slot; `None` if it is free or does not decrypt.
    pub(crate) ids: Vec<Option<FaceIds>>,
    /// Records that do not decrypt, of those that were read.
    pub(crate) damaged: usize,
}

/// The files of an index, and how its vectors are encoded.
pub(crate) struct Loader<'a> {
    pub(crate) file: &'a IndexFile,
    pub(crate) codes: &'a CodeFile,
    pub(crate) rotation: &'a HadamardRotation,
    pub(crate) dimension: usize,
    /// Slots of the index file.
    pub(crate) slots: u32,
}

/// Where rows come from.
#[derive(Clone, Copy)]
enum RowSource {
    /// The code file, except for a slot that may differ between the files.
    Codes {
        pending: Option<u32>,
    },
    Records,
}

impl Loader<'_> {
    /// Reads the codes if they can be trusted, and the index file where they say nothing.
    pub(crate) fn load(&self) -> Result<LoadedCodes, IndexError> {
        let Some((centre, pending)) = self.codes.read_trusted(&self.file.keys)? else {
            return self.encode_all();
        };
        self.codes.cut_rows(self.slots)?;
        let pending = if let PendingSlots::One(slot) = pending { Some(slot) } else { None };
        self.load_chunks(&centre, RowSource::Codes { pending })
    }

    /// Reads the whole index file, and writes the codes anew.
    pub(crate) fn encode_all(&self) -> Result<LoadedCodes, IndexError> {
        let centre = self.compute_centre()?;
        self.codes.begin_rewrite(&self.file.keys, &centre)?;
        let loaded = self.load_chunks(&centre, RowSource::Records)?;
        self.codes.finish_rewrite()?;
        Ok(loaded)
    }

    /// Fills every chunk, on a few threads.
    fn load_chunks(&self, centre: &Centre, source: RowSource) -> Result<LoadedCodes, IndexError> {
        let slots = self.slots as usize;
        let count = slots.div_ceil(ROWS_PER_CHUNK);
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(count));
        let worker = || -> Result<(), IndexError> {
            let mut encoder = RowEncoder::new(self, centre);
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= count {
                    return Ok(());
                }
                let (first, end) = (at * ROWS_PER_CHUNK, ((at + 1) * ROWS_PER_CHUNK).min(slots));
                let large = CodeChunk::wants_large_pages(slots);
                let mut rows = CodeChunk::new(padded_dimension(self.dimension), end - first, large)?;
                let (first, end) = (first as u32, end as u32);
                let damaged = match source {
                    RowSource::Codes { pending } => encoder.load_rows(first, end, pending, &mut rows)?,
                    RowSource::Records => encoder.encode_records(first, end, &mut rows)?,
                };
                done.lock().unwrap_or_else(PoisonError::into_inner).push((at, rows, damaged));
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.min(MAX_LOADING_THREADS).min(count);
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(worker)).collect();
            let own = worker();
            let panicked =
                || Err(IndexError::Io(std::io::Error::other("a thread that read the index panicked")));
            let others = others.into_iter().map(|it| it.join().unwrap_or_else(|_| panicked()));
            others.fold(own, Result::and)
        })?;
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|(at, ..)| *at);
        let damaged = done.iter().map(|(.., damaged)| damaged).sum();
        let ids = done.iter().flat_map(|(_, rows, _)| (0..rows.len()).map(|row| rows.ids(row))).collect();
        let chunks = RwLock::new(done.into_iter().map(|(_, rows, _)| Arc::new(RwLock::new(rows))).collect());
        Ok(LoadedCodes { live: LiveCodes { centre: centre.clone(), chunks }, ids, damaged })
    }

    /// The mean of the first vectors, however many free slots are between them, or the origin if there are few.
    fn compute_centre(&self) -> Result<Centre, IndexError> {
        let mut sums = vec![0.0_f64; self.dimension];
        let mut count = 0_usize;
        let mut unsealer = self.file.keys.unsealer();
        let slots = self.slots as usize;
        for first in (0..slots).step_by(CENTRE_SAMPLE_VECTORS) {
            if count >= CENTRE_SAMPLE_VECTORS {
                break;
            }
            let end = (first + CENTRE_SAMPLE_VECTORS).min(slots);
            for_each_record(self.file, &mut unsealer, first as u32, end as u32, |_, slot, vector| {
                if let RecordSlot::Taken(_) = slot
                    && count < CENTRE_SAMPLE_VECTORS
                {
                    count += 1;
                    for (sum, it) in sums.iter_mut().zip(vector) {
                        *sum += f64::from(*it);
                    }
                }
                Ok(())
            })?;
        }
        let is_mean = count >= MIN_VECTORS_FOR_CENTRE;
        let mean = |sum: &f64| if is_mean { (sum / count as f64) as f32 } else { 0.0 };
        Ok(Centre { vector: sums.iter().map(mean).collect(), is_mean })
    }
}

/// Fills chunks, one after another, with buffers of its own. What fills one returns how many records do not decrypt.
struct RowEncoder<'a> {
    loader: &'a Loader<'a>,
    centre: &'a Centre,
    unsealer: Unsealer<'a>,
    code: VectorCode,
    y: Zeroizing<Vec<f32>>,
    rows: Zeroizing<Vec<u8>>,
    record: Zeroizing<Vec<u8>>,
    vector: Zeroizing<Vec<f32>>,
}

impl<'a> RowEncoder<'a> {
    fn new(loader: &'a Loader<'a>, centre: &'a Centre) -> Self {
        Self {
            loader,
            centre,
            unsealer: loader.file.keys.unsealer(),
            code: VectorCode::default(),
            y: Zeroizing::default(),
            rows: Zeroizing::default(),
            record: Zeroizing::default(),
            vector: Zeroizing::default(),
        }
    }

    /// Computes the codes of the records in these slots, and writes them to the code file. A record that does not
    /// decrypt is wiped: nothing would ever read it, and it may be what is left of a face that was to be removed.
    fn encode_records(&mut self, first: u32, end: u32, chunk: &mut CodeChunk) -> Result<usize, IndexError> {
        let Self { loader: Loader { file, codes, rotation, .. }, centre, unsealer, code, y, rows, .. } = self;
        let mut damaged = 0;
        rows.clear();
        for_each_record(file, unsealer, first, end, |slot, found, vector| {
            if matches!(found, RecordSlot::Damaged) {
                damaged += 1;
                file.wipe(slot)?;
            }
            let row = encode_record(rotation, centre, &found, vector, y, code);
            chunk.set((slot - first) as usize, row);
            codes.seal_row(&file.keys, slot, row, rows);
            if (slot + 1 - first).is_multiple_of(ROWS_PER_READ as u32) || slot + 1 == end {
                codes.write_rows(slot + 1 - (rows.len() / codes.row_bytes()) as u32, rows)?;
                rows.clear();
            }
            Ok(())
        })?;
        Ok(damaged)
    }

    /// Reads the rows of these slots. Where a row says nothing, and in the slot that is pending, the record counts.
    fn load_rows(
        &mut self,
        first: u32,
        end: u32,
        pending: Option<u32>,
        chunk: &mut CodeChunk,
    ) -> Result<usize, IndexError> {
        let Loader { codes, .. } = *self.loader;
        let mut rows = std::mem::take(&mut *self.rows);
        let mut damaged = 0;
        for from in (first..end).step_by(ROWS_PER_READ) {
            let until = end.min(from + ROWS_PER_READ as u32);
            rows.resize((until - from) as usize * codes.row_bytes(), 0);
            codes.read_rows(from, &mut rows)?;
            for (slot, bytes) in (from..until).zip(rows.chunks_exact_mut(codes.row_bytes())) {
                let row = codes.unseal_row(&mut self.unsealer, slot, bytes, &mut self.code);
                match row {
                    _ if pending == Some(slot) => damaged += self.repair_row(slot, first, chunk)?,
                    CodeRow::Unknown => damaged += self.repair_row(slot, first, chunk)?,
                    CodeRow::Taken(ids) => chunk.set((slot - first) as usize, Some((&self.code, ids))),
                    CodeRow::Free => chunk.set((slot - first) as usize, None),
                }
            }
        }
        *self.rows = rows;
        Ok(damaged)
    }

    /// Makes the row of a slot again from its record, which is wiped if it does not decrypt.
    fn repair_row(&mut self, slot: u32, first: u32, chunk: &mut CodeChunk) -> Result<usize, IndexError> {
        let Self {
            loader: Loader { file, codes, rotation, .. },
            centre,
            unsealer,
            code,
            y,
            record,
            vector,
            ..
        } = self;
        let found = file.read_record(unsealer, slot, record, vector)?;
        codes.announce_change(slot)?;
        let damaged = matches!(found, RecordSlot::Damaged);
        if damaged {
            file.wipe(slot)?;
        }
        let row = encode_record(rotation, centre, &found, vector, y, code);
        codes.write_row(&file.keys, slot, row)?;
        chunk.set((slot - first) as usize, row);
        Ok(usize::from(damaged))
    }
}

/// The code of what was found in a slot; `None` if there is no vector.
fn encode_record<'a>(
    rotation: &HadamardRotation,
    centre: &Centre,
    found: &RecordSlot,
    vector: &[f32],
    y: &mut Vec<f32>,
    code: &'a mut VectorCode,
) -> Option<(&'a VectorCode, FaceIds)> {
    let RecordSlot::Taken(RecordIds { face, person }) = *found else { return None };
    centre_and_rotate(rotation, &centre.vector, vector, padded_dimension(vector.len()), y);
    code.encode(y);
    Some((code, FaceIds { face, person }))
}

/// Decrypts the records of the slots from `first` up to but without `end`.
fn for_each_record(
    file: &IndexFile,
    unsealer: &mut Unsealer<'_>,
    first: u32,
    end: u32,
    mut visit: impl FnMut(u32, RecordSlot, &[f32]) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    let size = file.record_bytes();
    let mut bytes = Zeroizing::new(vec![0; ROWS_PER_READ.min((end - first) as usize) * size]);
    let mut vector = Zeroizing::new(Vec::new());
    for from in (first..end).step_by(ROWS_PER_READ) {
        let bytes = &mut bytes[..ROWS_PER_READ.min((end - from) as usize) * size];
        file.read_slots(from, bytes)?;
        for (slot, record) in (from..end).zip(bytes.chunks_exact_mut(size)) {
            let found = file.unseal(unsealer, slot, record, &mut vector);
            visit(slot, found, &vector)?;
        }
    }
    Ok(())
}
