//! The index: who is in it, and how it changes.

use crate::{
    FaceEntry, IndexError, IndexSpace, SearchHit, SearchQuery,
    code_chunk::{CodeChunk, FaceIds, ROWS_PER_CHUNK, padded_dimension},
    file::{IndexFile, PersistedSequence},
    hadamard_rotation::HadamardRotation,
    keys::RecordAad,
    load::{LiveCodes, MIN_VECTORS_FOR_CENTRE, SharedChunk, load_codes},
    scalar_quantisation::{VectorCode, centre_and_rotate},
    scan::{self, QueryScan},
};
use base::{Secret, Uuid};
use std::{
    collections::{HashMap, hash_map},
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
};
use zeroize::Zeroizing;

/// Numbers beyond this are refused: their squares would not leave single precision room.
const MAX_VECTOR_COMPONENT: f32 = 1e6;
/// Searches that find the index changed under them start again so often before they hold the writer off.
const OPTIMISTIC_ATTEMPTS: usize = 3;

/// An index of faces, open.
///
/// Searches run at the same time as each other and as one writer; further writers wait. A search that runs while faces
/// are put or removed finds each of them as it was before or after.
///
/// Changes survive the end of the process without further ado, and a power cut after [`FaceIndex::sync`]. After one without
/// it the file may lack changes or hold what was removed; then [`FaceIndex::seq`] is the number at the last sync, so that
/// whoever repeats the changes from there on is right again.
pub struct FaceIndex {
    space: IndexSpace,
    file: IndexFile,
    rotation: HadamardRotation,
    live: RwLock<Arc<LiveCodes>>,
    /// Held by whoever changes a record and its row, and by whoever needs the two to agree.
    consistency_lock: RwLock<()>,
    writer: Mutex<WriterState>,
    len: AtomicUsize,
    persons: AtomicUsize,
    seq: AtomicI64,
    dropped: usize,
}

/// What only the writer looks at.
#[derive(Default)]
struct WriterState {
    faces: HashMap<Uuid, u32>,
    /// How many faces each person has.
    persons: HashMap<Uuid, u32>,
    free: Vec<u32>,
    /// Slots in the file.
    slots: u32,
    sequence: PersistedSequence,
}

impl FaceIndex {
    /// Opens or creates the file at `path`.
    ///
    /// A file of another space or key is refused; whoever meets one may delete it and fill a new one. A torn tail and records that do not open are dropped, see
    /// [`FaceIndex::dropped`]. Takes some seconds for a million faces; it uses up to four threads.
    pub fn open(path: &Path, space: &IndexSpace, key: &Secret<[u8; 32]>) -> Result<Self, IndexError> {
        if !(8..=2048).contains(&space.dimension) {
            return Err(IndexError::UnsupportedDimension(space.dimension));
        }
        let store = IndexFile::open(path, space, key)?;
        let chance =
            Zeroizing::new(store.keys.derive(b"turn", HadamardRotation::seed_bytes(space.dimension)));
        let turn = HadamardRotation::new(space.dimension, &chance);
        let (slots, torn) = store.recover_slots()?;
        let loaded = load_codes(&store, &turn, space.dimension, slots)?;
        let mut writer = WriterState { slots, sequence: store.read_sequence()?, ..WriterState::default() };
        writer.faces.reserve(loaded.ids.len());
        let mut doubled = Vec::new();
        for (slot, who) in (0_u32..).zip(&loaded.ids) {
            match who {
                Some(who) if !writer.add(*who, slot) => doubled.push(slot),
                Some(_) => {}
                None => writer.free.push(slot),
            }
        }
        let index = Self {
            space: *space,
            file: store,
            rotation: turn,
            live: RwLock::new(Arc::new(loaded.live)),
            consistency_lock: RwLock::new(()),
            len: AtomicUsize::new(writer.faces.len()),
            persons: AtomicUsize::new(writer.persons.len()),
            seq: AtomicI64::new(writer.sequence.noted),
            writer: Mutex::new(writer),
            dropped: loaded.damaged + usize::from(torn) + doubled.len(),
        };
        // One face in two slots: a power cut took away that one was wiped. Which of them is newer cannot be known.
        if !doubled.is_empty() {
            index.drop_duplicates(&doubled)?;
        }
        Ok(index)
    }

    /// Faces.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Persons with at least one face.
    pub fn persons(&self) -> usize {
        self.persons.load(Ordering::Acquire)
    }

    /// Records that were dropped when the file was opened, because they were torn, damaged, or two of one face. Their
    /// faces are not in the index.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The loops that searches use on this processor: `avx512`, `avx2`, `neon` or `scalar`.
    pub fn kernel_name() -> &'static str {
        scan::kernel_name()
    }

    /// The number that [`FaceIndex::record_seq`] recorded last, 0 at first; see [`FaceIndex`] for what a power cut does to it.
    pub fn seq(&self) -> i64 {
        self.seq.load(Ordering::Acquire)
    }

    /// Records how far the changes of a log were put into the index.
    pub fn record_seq(&self, seq: i64) -> Result<(), IndexError> {
        let mut writer = self.lock_writer();
        self.file.write_sequence(&mut writer.sequence, seq, false)?;
        self.seq.store(seq, Ordering::Release);
        Ok(())
    }

    /// Waits until all changes are on the disk.
    pub fn sync(&self) -> Result<(), IndexError> {
        let mut writer = self.lock_writer();
        self.file.sync()?;
        let noted = writer.sequence.noted;
        self.file.write_sequence(&mut writer.sequence, noted, true)?;
        self.file.sync()
    }

    /// The id of every face, sorted.
    pub fn face_ids(&self) -> Vec<Uuid> {
        let mut faces: Vec<_> = self.lock_writer().faces.keys().copied().collect();
        faces.sort_unstable();
        faces
    }

    /// Puts faces in, each in place of one of the same id. Searches that begin after this returns see them.
    ///
    /// When it fails for a vector, nothing was changed. When it fails for the file, some of the faces may have been put
    /// in, and one that was to be replaced may be gone.
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
                &live.centre,
                vector,
                padded_dimension(self.space.dimension),
                &mut y,
            );
            code.encode(&y);
            let (_, record) = self.file.seal(&RecordAad { slot, face: *face, person: *person }, vector);
            let who = FaceIds { face: *face, person: *person };
            let (before, written) =
                self.change_row(&live, slot, Some((&code, who)), || self.file.write(slot, &record));
            writer.remove_face(before);
            // A write that fails leaves a slot that is free and a face that is not there.
            if written.is_ok() {
                writer.add(who, slot);
            } else {
                writer.free.push(slot);
            }
            self.publish_counts(&writer);
            written?;
            if !live.centred && writer.faces.len() >= MIN_VECTORS_FOR_CENTRE {
                self.recentre()?;
            }
        }
        Ok(())
    }

    /// Takes faces out: their records are overwritten with zeros, and their slots used again. Says how many there were;
    /// ids that are not in the index are passed over.
    pub fn remove(&self, faces: &[Uuid]) -> Result<usize, IndexError> {
        let mut writer = self.lock_writer();
        let live = self.live();
        let mut count = 0;
        for face in faces {
            let Some(slot) = writer.faces.get(face).copied() else { continue };
            let (before, wiped) = self.change_row(&live, slot, None, || self.file.wipe(slot));
            writer.remove_face(before);
            writer.free.push(slot);
            self.publish_counts(&writer);
            wiped?;
            count += 1;
        }
        Ok(count)
    }

    /// The nearest persons, the nearest first; of those equally near, the one with the lower id.
    pub fn search(&self, query: &[f32], ask: &SearchQuery<'_>) -> Result<Vec<SearchHit>, IndexError> {
        Ok(self.search_many(&[query], ask)?.pop().unwrap_or_default())
    }

    /// The same for several queries, in one pass over the memory. An answer for each query, in their order.
    pub fn search_many(
        &self,
        queries: &[&[f32]],
        ask: &SearchQuery<'_>,
    ) -> Result<Vec<Vec<SearchHit>>, IndexError> {
        for query in queries {
            self.validate_vector(query)?;
        }
        if ask.max_distance.is_some_and(|within| within.is_nan() || within < 0.0) {
            return Err(IndexError::InvalidDistance);
        }
        for _ in 0..OPTIMISTIC_ATTEMPTS {
            if let Some(hits) = self.try_search(queries, ask)? {
                return Ok(hits);
            }
        }
        // Whoever writes this much waits for one search now and then.
        let _none_writes = self.lock_writer();
        self.try_search(queries, ask)?.ok_or(IndexError::Damaged)
    }

    /// One pass; `None` where a candidate was changed before it was measured.
    fn try_search(
        &self,
        queries: &[&[f32]],
        ask: &SearchQuery<'_>,
    ) -> Result<Option<Vec<Vec<SearchHit>>>, IndexError> {
        let live = self.live();
        let mut scans: Vec<_> =
            queries.iter().map(|query| QueryScan::new(&self.rotation, &live, query, ask)).collect();
        let chunks = live.chunks.read().unwrap_or_else(PoisonError::into_inner).clone();
        for (at, chunk) in chunks.iter().enumerate() {
            scan::scan_chunk(
                &mut scans,
                &chunk.read().unwrap_or_else(PoisonError::into_inner),
                at * ROWS_PER_CHUNK,
            );
        }
        let _agreed = self.consistency_lock.read().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&live, &self.live()) {
            return Ok(None);
        }
        scans.into_iter().map(|scan| scan.rescore(&self.file, &chunks)).collect()
    }

    fn validate_vector(&self, vector: &[f32]) -> Result<(), IndexError> {
        let (expected, got) = (self.space.dimension, vector.len());
        if expected != got {
            return Err(IndexError::DimensionMismatch { expected, got });
        }
        // Whatever is not a number is not within, either.
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

    /// Changes a record and its row together; says who was there. Where the record cannot be written, the row goes.
    fn change_row(
        &self,
        live: &LiveCodes,
        slot: u32,
        row: Option<(&VectorCode, FaceIds)>,
        write: impl FnOnce() -> Result<(), IndexError>,
    ) -> (Option<FaceIds>, Result<(), IndexError>) {
        let (chunk, at) = match self.chunk_of(live, slot) {
            Ok(found) => found,
            Err(error) => return (None, Err(error)),
        };
        let _agreed = self.consistency_lock.write().unwrap_or_else(PoisonError::into_inner);
        let written = write();
        let mut rows = chunk.write().unwrap_or_else(PoisonError::into_inner);
        let before = rows.ids(at);
        rows.set(at, row.filter(|_| written.is_ok()));
        (before, written)
    }

    /// The chunk of a slot, which comes into being if need be, and the row there.
    fn chunk_of(&self, live: &LiveCodes, slot: u32) -> Result<(SharedChunk, usize), IndexError> {
        let (chunk, at) = (slot as usize / ROWS_PER_CHUNK, slot as usize % ROWS_PER_CHUNK);
        let mut chunks = live.chunks.write().unwrap_or_else(PoisonError::into_inner);
        while chunks.len() <= chunk {
            let rows = CodeChunk::new(
                padded_dimension(self.space.dimension),
                CodeChunk::wants_large_pages(slot as usize),
            )?;
            chunks.push(Arc::new(RwLock::new(rows)));
        }
        Ok((Arc::clone(&chunks[chunk]), at))
    }

    /// Makes all codes anew, called by the writer now that there are vectors enough to know their middle.
    fn recentre(&self) -> Result<(), IndexError> {
        let (slots, _) = self.file.recover_slots()?;
        let loaded = load_codes(&self.file, &self.rotation, self.space.dimension, slots)?;
        let _agreed = self.consistency_lock.write().unwrap_or_else(PoisonError::into_inner);
        *self.live.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(loaded.live);
        Ok(())
    }

    /// Takes out faces that lie in these slots and in others too.
    fn drop_duplicates(&self, slots: &[u32]) -> Result<(), IndexError> {
        let mut writer = self.lock_writer();
        let live = self.live();
        for slot in slots {
            let (doubled, wiped) = self.change_row(&live, *slot, None, || self.file.wipe(*slot));
            wiped?;
            writer.free.push(*slot);
            let Some(other) = doubled.and_then(|who| writer.faces.get(&who.face).copied()) else { continue };
            let (before, wiped) = self.change_row(&live, other, None, || self.file.wipe(other));
            wiped?;
            writer.remove_face(before);
            writer.free.push(other);
        }
        self.publish_counts(&writer);
        Ok(())
    }
}

impl WriterState {
    /// A slot for one more record.
    fn allocate_slot(&mut self) -> Result<u32, IndexError> {
        if let Some(slot) = self.free.pop() {
            return Ok(slot);
        }
        let slot = self.slots;
        self.slots = slot.checked_add(1).ok_or(IndexError::Full)?;
        Ok(slot)
    }

    /// Notes who is in a slot; false where the face is in another already.
    fn add(&mut self, who: FaceIds, slot: u32) -> bool {
        match self.faces.entry(who.face) {
            hash_map::Entry::Occupied(_) => return false,
            hash_map::Entry::Vacant(free) => free.insert(slot),
        };
        *self.persons.entry(who.person).or_default() += 1;
        true
    }

    /// Notes that somebody is gone.
    fn remove_face(&mut self, who: Option<FaceIds>) {
        let Some(FaceIds { face, person }) = who else { return };
        self.faces.remove(&face);
        if let hash_map::Entry::Occupied(mut count) = self.persons.entry(person) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}
