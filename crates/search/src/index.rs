//! The index: which faces are in it, how they change, and searches over them.

use crate::{
    FaceEntry, IndexError, IndexSpace, SearchHit, SearchQuery,
    code_chunk::{CodeChunk, FaceIds, ROWS_PER_CHUNK, padded_dimension},
    code_file::CodeFile,
    file::{IndexFile, PersistedSequence, RecordSlot},
    hadamard_rotation::HadamardRotation,
    id_hash::IdMap,
    keys::{RecordAad, SealedKind},
    load::{LiveCodes, Loader, MIN_VECTORS_FOR_CENTRE, SharedChunk},
    scalar_quantisation::{VectorCode, centre_and_rotate},
    scan::{self, PreparedQuery},
    shared_scan::{ScanRequest, SharedScan},
};
use base::{Secret, Uuid};
use std::{
    collections::hash_map,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
};
use zeroize::Zeroizing;

/// Larger components are refused: sums of their squares could exceed single precision.
const MAX_VECTOR_COMPONENT: f32 = 1e6;
/// How often a search that found the index changed under it starts again before it locks the writer out.
const OPTIMISTIC_ATTEMPTS: usize = 3;

/// An open index of faces.
///
/// Searches run concurrently with each other and with one writer; further writers wait. A search that runs while faces
/// are put or removed sees each of them either as it was before or as it is after.
///
/// Changes survive the end of the process at once, and a power cut after [`FaceIndex::sync`]. After a power cut without
/// a sync the file may lack changes or still hold what was removed; [`FaceIndex::seq`] is then the number at the last
/// sync, and repeating the changes from there on restores the index.
pub struct FaceIndex {
    space: IndexSpace,
    file: IndexFile,
    codes: CodeFile,
    rotation: HadamardRotation,
    scans: SharedScan,
    live: RwLock<Arc<LiveCodes>>,
    /// Held for writing while a record and its row change, and for reading where the two must agree.
    consistency_lock: RwLock<()>,
    writer: Mutex<WriterState>,
    len: AtomicUsize,
    persons: AtomicUsize,
    seq: AtomicI64,
    dropped: usize,
}

/// State that only the writer uses.
#[derive(Default)]
struct WriterState {
    faces: IdMap<u32>,
    /// The number of faces of each person.
    persons: IdMap<u32>,
    free: Vec<u32>,
    /// Slots in the file, taken or free.
    slots: u32,
    sequence: PersistedSequence,
}

impl FaceIndex {
    /// Opens or creates the file at `path`.
    ///
    /// A file of another space or key is refused; the caller may delete it and fill a new one. A torn tail is dropped,
    /// and so are records that are read here and do not decrypt, see [`FaceIndex::dropped`].
    ///
    /// A file of codes lies beside it, named `path` with `.codes` behind it. With it, a million faces of 512 dimensions
    /// open within a second, and records are read when a search comes to them or by [`FaceIndex::verify`]. If it is
    /// missing, damaged as a whole, or possibly incomplete after a power cut, every record is read, which takes some
    /// seconds for a million faces on up to four threads, and the file of codes is written anew.
    pub fn open(path: &Path, space: &IndexSpace, key: &Secret<[u8; 32]>) -> Result<Self, IndexError> {
        if !(8..=2048).contains(&space.dimension) {
            return Err(IndexError::UnsupportedDimension(space.dimension));
        }
        let file = IndexFile::open(path, space, key)?;
        let seed = Zeroizing::new(file.keys.derive(b"turn", HadamardRotation::seed_bytes(space.dimension)));
        let rotation = HadamardRotation::new(space.dimension, &seed);
        let (slots, torn) = file.recover_slots()?;
        let codes = CodeFile::open(path, &file, space.dimension)?;
        let dimension = space.dimension;
        let loaded = Loader { file: &file, codes: &codes, rotation: &rotation, dimension, slots }.load()?;
        let mut writer = WriterState { slots, sequence: file.read_sequence()?, ..WriterState::default() };
        writer.faces.reserve(loaded.ids.len());
        let mut duplicates = Vec::new();
        for (slot, ids) in (0_u32..).zip(&loaded.ids) {
            match ids {
                Some(ids) if !writer.add(*ids, slot) => duplicates.push(slot),
                Some(_) => {}
                None => writer.free.push(slot),
            }
        }
        let index = Self {
            space: *space,
            file,
            codes,
            rotation,
            scans: SharedScan::new(),
            live: RwLock::new(Arc::new(loaded.live)),
            consistency_lock: RwLock::new(()),
            len: AtomicUsize::new(writer.faces.len()),
            persons: AtomicUsize::new(writer.persons.len()),
            seq: AtomicI64::new(writer.sequence.noted),
            writer: Mutex::new(writer),
            dropped: loaded.damaged + usize::from(torn) + duplicates.len(),
        };
        // One face in two slots: a power cut undid the wiping of one. Which is newer cannot be known.
        if !duplicates.is_empty() {
            index.drop_duplicates(&duplicates)?;
        }
        Ok(index)
    }

    /// Number of faces.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    /// Whether the index has no faces.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of persons with at least one face.
    pub fn persons(&self) -> usize {
        self.persons.load(Ordering::Acquire)
    }

    /// Number of records that were dropped when the file was opened, because they were torn, damaged, or duplicates.
    /// Their faces are not in the index.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The kernels that searches use on this processor: `avx512`, `avx2`, `neon` or `scalar`.
    pub fn kernel_name() -> &'static str {
        scan::kernel_name()
    }

    /// The number that [`FaceIndex::record_seq`] recorded last, initially 0; see [`FaceIndex`] for the effect of a
    /// power cut.
    pub fn seq(&self) -> i64 {
        self.seq.load(Ordering::Acquire)
    }

    /// Records up to which number of a log of changes the index is current.
    pub fn record_seq(&self, seq: i64) -> Result<(), IndexError> {
        let mut writer = self.lock_writer();
        self.file.write_sequence(&mut writer.sequence, seq, false)?;
        self.seq.store(seq, Ordering::Release);
        Ok(())
    }

    /// Waits until all changes are on disk.
    pub fn sync(&self) -> Result<(), IndexError> {
        let mut writer = self.lock_writer();
        self.file.sync()?;
        self.codes.sync()?;
        let noted = writer.sequence.noted;
        self.file.write_sequence(&mut writer.sequence, noted, true)?;
        self.file.sync()
    }

    /// Reads every record and removes those that do not decrypt, or are not of the face that they should be. Returns
    /// how many were removed. Searches go on meanwhile; changes wait.
    pub fn verify(&self) -> Result<usize, IndexError> {
        let mut writer = self.lock_writer();
        let live = self.live();
        let mut unsealer = self.file.keys.unsealer();
        let (mut bytes, mut vector) = (Zeroizing::new(Vec::new()), Zeroizing::new(Vec::new()));
        let slots: Vec<_> = writer.faces.iter().map(|(face, slot)| (*slot, *face)).collect();
        let mut removed = 0;
        for (slot, face) in slots {
            let record = self.file.read_record(&mut unsealer, slot, &mut bytes, &mut vector)?;
            if !matches!(record, RecordSlot::Taken(ids) if ids.face == face) {
                self.clear_slot(&mut writer, &live, slot)?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// The id of every face, sorted.
    pub fn face_ids(&self) -> Vec<Uuid> {
        let mut faces: Vec<_> = self.lock_writer().faces.keys().copied().collect();
        faces.sort_unstable();
        faces
    }

    /// Adds faces, or replaces those of the same id. Searches that begin after this returns see them.
    ///
    /// If a vector is refused, nothing was changed. If the file fails, some of the faces may have been added, and one
    /// that was to be replaced may be gone.
    pub fn put(&self, faces: &[FaceEntry<'_>]) -> Result<(), IndexError> {
        for entry in faces {
            self.validate_vector(entry.vector)?;
        }
        let mut writer = self.lock_writer();
        let mut y = Zeroizing::new(Vec::new());
        let mut code = VectorCode::default();
        for FaceEntry { face, person, vector } in faces {
            let live = self.live();
            let slot = match writer.faces.get(face) {
                Some(slot) => *slot,
                None => writer.allocate_slot()?,
            };
            centre_and_rotate(
                &self.rotation,
                &live.centre.vector,
                vector,
                padded_dimension(self.space.dimension),
                &mut y,
            );
            code.encode(&y);
            let aad = RecordAad { kind: SealedKind::Vector, slot, face: *face, person: *person };
            let record = self.file.seal(&aad, vector);
            let ids = FaceIds { face: *face, person: *person };
            let (before, written) =
                self.change_row(&live, slot, Some((&code, ids)), || self.file.write(slot, &record));
            writer.remove_face(before);
            // A failed write leaves a free slot and no such face.
            if written.is_ok() {
                writer.add(ids, slot);
            } else {
                writer.free.push(slot);
            }
            self.publish_counts(&writer);
            written?;
            if !live.centre.is_mean && writer.faces.len() >= MIN_VECTORS_FOR_CENTRE {
                self.recentre()?;
            }
        }
        Ok(())
    }

    /// Removes faces: what the files have of them is overwritten, and their slots are reused. Returns how many were
    /// removed; ids that are not in the index are skipped.
    pub fn remove(&self, faces: &[Uuid]) -> Result<usize, IndexError> {
        let mut writer = self.lock_writer();
        let live = self.live();
        let mut count = 0;
        for face in faces {
            let Some(slot) = writer.faces.get(face).copied() else { continue };
            self.clear_slot(&mut writer, &live, slot)?;
            count += 1;
        }
        Ok(count)
    }

    /// Removes the face in a slot, and overwrites what both files have of it.
    fn clear_slot(&self, writer: &mut WriterState, live: &LiveCodes, slot: u32) -> Result<(), IndexError> {
        let (before, wiped) = self.change_row(live, slot, None, || self.file.wipe(slot));
        writer.remove_face(before);
        writer.free.push(slot);
        self.publish_counts(writer);
        wiped
    }

    /// The nearest persons, nearest first, ties by the lower id. `vector` is the embedding to search for.
    pub fn search(&self, vector: &[f32], query: &SearchQuery) -> Result<Vec<SearchHit>, IndexError> {
        Ok(self.search_many(&[vector], query)?.pop().unwrap_or_default())
    }

    /// Searches for several embeddings in one pass over memory. Returns one result per embedding, in their order.
    pub fn search_many(
        &self,
        vectors: &[&[f32]],
        query: &SearchQuery,
    ) -> Result<Vec<Vec<SearchHit>>, IndexError> {
        for vector in vectors {
            self.validate_vector(vector)?;
        }
        if query.max_distance.is_some_and(|distance| distance.is_nan() || distance < 0.0) {
            return Err(IndexError::InvalidDistance);
        }
        if query.top_k == 0 || vectors.is_empty() {
            return Ok(vec![Vec::new(); vectors.len()]);
        }
        for _ in 0..OPTIMISTIC_ATTEMPTS {
            if let Some(hits) = self.try_search(vectors, query)? {
                return Ok(hits);
            }
        }
        // With this many writes, a search now and then makes the writer wait.
        let _no_writes = self.lock_writer();
        self.try_search(vectors, query)?.ok_or(IndexError::Inconsistent)
    }

    /// One pass. `None` if a candidate was changed before it was measured.
    fn try_search(
        &self,
        vectors: &[&[f32]],
        query: &SearchQuery,
    ) -> Result<Option<Vec<Vec<SearchHit>>>, IndexError> {
        let live = self.live();
        let prepare = |vector: &&[f32]| PreparedQuery::new(&self.rotation, &live, vector, query);
        let prepared = vectors.iter().map(prepare).collect();
        let chunks = live.chunks.read().unwrap_or_else(PoisonError::into_inner).clone();
        let found = self.scans.run(ScanRequest::new(Arc::clone(&live), chunks.clone(), prepared))?;
        let _consistent = self.consistency_lock.read().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&live, &self.live()) {
            return Ok(None);
        }
        let rescored = found.into_iter().zip(vectors);
        rescored.map(|(found, vector)| found.rescore(vector, query, &self.file, &chunks)).collect()
    }

    fn validate_vector(&self, vector: &[f32]) -> Result<(), IndexError> {
        let (expected, got) = (self.space.dimension, vector.len());
        if expected != got {
            return Err(IndexError::DimensionMismatch { expected, got });
        }
        // NaN fails the comparison, too.
        if vector.iter().all(|it| it.abs() <= MAX_VECTOR_COMPONENT) {
            Ok(())
        } else {
            Err(IndexError::InvalidVector)
        }
    }

    fn lock_writer(&self) -> MutexGuard<'_, WriterState> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn live(&self) -> Arc<LiveCodes> {
        Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn publish_counts(&self, writer: &WriterState) {
        self.len.store(writer.faces.len(), Ordering::Release);
        self.persons.store(writer.persons.len(), Ordering::Release);
    }

    /// Changes a record and its rows in the code file and in memory together, and returns what was there before. If a
    /// file cannot be written, the row in memory is cleared.
    fn change_row(
        &self,
        live: &LiveCodes,
        slot: u32,
        row: Option<(&VectorCode, FaceIds)>,
        write: impl FnOnce() -> Result<(), IndexError>,
    ) -> (Option<FaceIds>, Result<(), IndexError>) {
        let (chunk, at) = match self.chunk_of(live, slot) {
            Ok(located) => located,
            Err(error) => return (None, Err(error)),
        };
        let _consistent = self.consistency_lock.write().unwrap_or_else(PoisonError::into_inner);
        let written = self.codes.announce_change(slot).and_then(|()| {
            // Both are tried, so that what is to be erased is, as far as possible.
            write().and(self.codes.write_row(&self.file.keys, slot, row))
        });
        let mut rows = chunk.write().unwrap_or_else(PoisonError::into_inner);
        let before = rows.ids(at);
        rows.set(at, row.filter(|_| written.is_ok()));
        (before, written)
    }

    /// The chunk of a slot, created if necessary, and the row in it.
    fn chunk_of(&self, live: &LiveCodes, slot: u32) -> Result<(SharedChunk, usize), IndexError> {
        let (chunk, at) = (slot as usize / ROWS_PER_CHUNK, slot as usize % ROWS_PER_CHUNK);
        let mut chunks = live.chunks.write().unwrap_or_else(PoisonError::into_inner);
        while chunks.len() <= chunk {
            let rows = CodeChunk::new(
                padded_dimension(self.space.dimension),
                0,
                CodeChunk::wants_large_pages(slot as usize),
            )?;
            chunks.push(Arc::new(RwLock::new(rows)));
        }
        Ok((Arc::clone(&chunks[chunk]), at))
    }

    /// Recomputes all codes around the mean of the vectors. The writer calls it once there are enough vectors for a
    /// mean.
    fn recentre(&self) -> Result<(), IndexError> {
        let (slots, _) = self.file.recover_slots()?;
        let loader = Loader {
            file: &self.file,
            codes: &self.codes,
            rotation: &self.rotation,
            dimension: self.space.dimension,
            slots,
        };
        let loaded = loader.encode_all()?;
        let _consistent = self.consistency_lock.write().unwrap_or_else(PoisonError::into_inner);
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(loaded.live);
        Ok(())
    }

    /// Removes the faces in these slots, and the other records of the same faces.
    fn drop_duplicates(&self, slots: &[u32]) -> Result<(), IndexError> {
        let mut writer = self.lock_writer();
        let live = self.live();
        for slot in slots {
            let (ids, wiped) = self.change_row(&live, *slot, None, || self.file.wipe(*slot));
            wiped?;
            writer.free.push(*slot);
            let Some(other) = ids.and_then(|ids| writer.faces.get(&ids.face).copied()) else { continue };
            self.clear_slot(&mut writer, &live, other)?;
        }
        Ok(())
    }
}

impl WriterState {
    /// A free slot, or a new one at the end.
    fn allocate_slot(&mut self) -> Result<u32, IndexError> {
        if let Some(slot) = self.free.pop() {
            return Ok(slot);
        }
        let slot = self.slots;
        self.slots = slot.checked_add(1).ok_or(IndexError::Full)?;
        Ok(slot)
    }

    /// Records the face in a slot. False, and nothing recorded, if the face is in another slot already.
    fn add(&mut self, ids: FaceIds, slot: u32) -> bool {
        match self.faces.entry(ids.face) {
            hash_map::Entry::Occupied(_) => return false,
            hash_map::Entry::Vacant(free) => free.insert(slot),
        };
        *self.persons.entry(ids.person).or_default() += 1;
        true
    }

    /// Forgets a face that was in a slot.
    fn remove_face(&mut self, ids: Option<FaceIds>) {
        let Some(FaceIds { face, person }) = ids else { return };
        self.faces.remove(&face);
        if let hash_map::Entry::Occupied(mut count) = self.persons.entry(person) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}
