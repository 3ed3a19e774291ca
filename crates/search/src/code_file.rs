//! The file of codes: what searches read, sealed, so that an index opens without decrypting and encoding every vector.
//!
//! It lies beside the index file, has that file's name with `.codes` behind it, and holds nothing that cannot be
//! computed from it: if it is missing, of another index, or not known to be complete, it is written anew.
//!
//! | At | Bytes | What |
//! |---|---|---|
//! | 0 | 8 | `assayfc1` |
//! | 8 | 4 | dimension, little-endian, as all numbers here |
//! | 16 | 16 | salt of the index file |
//! | 32 | 32 | HMAC-SHA256 over the first 32 bytes |
//! | 256 | 57 | state: clean or not, boot id, pending slots, HMAC-SHA256 over these 25 |
//! | 512 | | centre, sealed: a session's salt, a counter, whether it is a mean, the numbers, the tag |
//! | after it | | rows, one per slot of the index file |
//!
//! A row consists of the face's id, the person's id, the salt of the session that wrote it, its counter in that
//! session, and the sealed code with its tag. Every row is sealed by itself, so the row of a face that is removed is
//! overwritten in place, with a sealed row for nobody. A row that does not decrypt, zeros among them, says nothing: its
//! slot is read from the index file.
//!
//! # Crashes
//! A change names its slot in the state before it touches either file; who opens the file reads that slot from the
//! index file. That is enough while the machine runs. After a power cut the order of writes is unknown: then the file
//! counts only if its state is clean, which is written after all else has reached the disk, and taken back, on the disk
//! as well, before the next change.
//!
//! As in the index file, I/O is positioned: a file that somebody truncates is an error and not a signal.

use crate::{
    IndexError,
    code_chunk::{FaceIds, padded_dimension},
    file::{FILE_MODE, IndexFile, boot_id},
    keys::{FileKeys, RecordAad, RecordNonce, SALT_BYTES, SealedKind, TAG_BYTES, Unsealer},
    scalar_quantisation::{CodeScales, VectorCode},
};
use aws_lc_rs::hmac;
use base::Uuid;
use std::{
    fs::{File, OpenOptions},
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};
use zeroize::Zeroizing;

const MAGIC: &[u8; 8] = b"assayfc1";
const PREFIX_BYTES: usize = 32;
const STATE_OFFSET: u64 = 256;
const STATE_FIELD_BYTES: usize = 25;
const STATE_BYTES: usize = STATE_FIELD_BYTES + 32;
const CENTRE_OFFSET: u64 = 512;
/// Bytes of a sealed thing before what is sealed: salt and counter.
const NONCE_BYTES: usize = SALT_BYTES + 8;
/// Bytes of a row before its sealed code.
const ROW_HEAD_BYTES: usize = 32 + NONCE_BYTES;
const SCALES_BYTES: usize = 28;

/// What the vectors of an index are encoded around.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Centre {
    /// Subtracted from every vector. The nearer it is to them, the finer their codes; exactness does not depend on it.
    pub(crate) vector: Vec<f32>,
    /// Whether it is a mean, not the origin.
    pub(crate) is_mean: bool,
}

/// Slots that may differ between the two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PendingSlots {
    None,
    One(u32),
    All,
}

impl PendingSlots {
    fn to_number(self) -> u64 {
        match self {
            Self::None => 0,
            Self::One(slot) => u64::from(slot) + 1,
            Self::All => u64::MAX,
        }
    }

    fn from_number(number: u64) -> Self {
        match number {
            0 => Self::None,
            number => u32::try_from(number - 1).map_or(Self::All, Self::One),
        }
    }
}

/// What a row says about its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeRow {
    Taken(FaceIds),
    Free,
    /// The row was never written, or does not decrypt.
    Unknown,
}

/// The open file of codes of an index. The lock on the index file protects it, too.
pub(crate) struct CodeFile {
    file: File,
    prefix: [u8; PREFIX_BYTES],
    mac_key: hmac::Key,
    dimension: usize,
    /// `None` if the system does not tell; then only a clean file counts.
    boot: Option<[u8; 16]>,
    state: Mutex<FileState>,
}

struct FileState {
    /// Whether the file on disk says that it is clean.
    clean: bool,
    /// Whether a row could not be written. Then nothing in the file counts until it is written anew.
    distrusted: bool,
}

impl CodeFile {
    /// Opens the file that belongs to the index file at `path`, or creates it. It counts only if
    /// [`CodeFile::read_trusted`] says so.
    pub(crate) fn open(path: &Path, index_file: &IndexFile, dimension: usize) -> Result<Self, IndexError> {
        let mut name = path.as_os_str().to_owned();
        name.push(".codes");
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(FILE_MODE)
            .open(name)?;
        let mut prefix = [0; PREFIX_BYTES];
        prefix[..8].copy_from_slice(MAGIC);
        prefix[8..12].copy_from_slice(&(dimension as u32).to_le_bytes());
        prefix[16..].copy_from_slice(&index_file.salt);
        let mac_key = index_file.keys.code_header_key();
        let state = Mutex::new(FileState { clean: false, distrusted: false });
        Ok(Self { file, prefix, mac_key, dimension, boot: boot_id(), state })
    }

    /// The centre and the slots to read from the index file, if what the rows say about all other slots is true.
    pub(crate) fn read_trusted(&self, keys: &FileKeys) -> Result<Option<(Centre, PendingSlots)>, IndexError> {
        let mut header = vec![0; CENTRE_OFFSET as usize];
        if !self.read_whole(&mut header, 0)? || !self.is_authentic(&header[..PREFIX_BYTES + 32], PREFIX_BYTES)
        {
            return Ok(None);
        }
        let state = &header[STATE_OFFSET as usize..][..STATE_BYTES];
        if header[..PREFIX_BYTES] != self.prefix || !self.is_authentic(state, STATE_FIELD_BYTES) {
            return Ok(None);
        }
        let clean = state[0] == 1;
        let same_boot = self.boot.is_some_and(|boot| state[1..17] == boot);
        let pending = state[17..]
            .first_chunk()
            .map_or(PendingSlots::All, |number| PendingSlots::from_number(u64::from_le_bytes(*number)));
        if !(clean || same_boot) || pending == PendingSlots::All {
            return Ok(None);
        }
        self.lock_state().clean = clean;
        let mut bytes = Zeroizing::new(vec![0; self.centre_bytes()]);
        if !self.read_whole(&mut bytes, CENTRE_OFFSET)? {
            return Ok(None);
        }
        let (head, sealed) = bytes.split_at_mut(NONCE_BYTES);
        if !keys.unsealer().open(&read_nonce(head), &CENTRE_AAD, sealed) {
            return Ok(None);
        }
        let (is_mean, numbers) = (sealed[0] == 1, &sealed[1..=4 * self.dimension]);
        let vector = numbers.as_chunks::<4>().0.iter().map(|it| f32::from_le_bytes(*it)).collect();
        Ok(Some((Centre { vector, is_mean }, pending)))
    }

    /// Empties the file, which then counts no more until [`CodeFile::finish_rewrite`].
    pub(crate) fn begin_rewrite(&self, keys: &FileKeys, centre: &Centre) -> Result<(), IndexError> {
        let mut state = self.lock_state();
        *state = FileState { clean: false, distrusted: false };
        self.write_state(false, PendingSlots::All)?;
        // If not even this is on disk, rows of two centres could be taken for rows of one.
        self.file.sync_data()?;
        self.file.set_len(STATE_OFFSET + STATE_BYTES as u64)?;
        let mac = hmac::sign(&self.mac_key, &self.prefix);
        self.file.write_all_at(&[&self.prefix, mac.as_ref()].concat(), 0)?;
        let mut bytes = Zeroizing::new(vec![u8::from(centre.is_mean)]);
        bytes.extend(centre.vector.iter().flat_map(|it| it.to_le_bytes()));
        let (nonce, tag) = keys.seal(&CENTRE_AAD, &mut bytes);
        self.file.write_all_at(&[&nonce_bytes(&nonce), &bytes[..], &tag].concat(), CENTRE_OFFSET)?;
        Ok(())
    }

    /// Declares that every slot has its row.
    pub(crate) fn finish_rewrite(&self) -> Result<(), IndexError> {
        let _guard = self.lock_state();
        self.write_state(false, PendingSlots::None)
    }

    /// Announces a change of a slot. Called before the slot is touched in either file.
    pub(crate) fn announce_change(&self, slot: u32) -> Result<(), IndexError> {
        let mut state = self.lock_state();
        let pending = if state.distrusted { PendingSlots::All } else { PendingSlots::One(slot) };
        self.write_state(false, pending)?;
        if state.clean {
            self.file.sync_data()?;
            state.clean = false;
        }
        Ok(())
    }

    /// Writes the row of a slot; `None` says that it is free.
    pub(crate) fn write_row(
        &self,
        keys: &FileKeys,
        slot: u32,
        row: Option<(&VectorCode, FaceIds)>,
    ) -> Result<(), IndexError> {
        let mut bytes = Vec::with_capacity(self.row_bytes());
        self.seal_row(keys, slot, row, &mut bytes);
        let written = self.write_rows(slot, &bytes);
        if written.is_err() {
            self.lock_state().distrusted = true;
        }
        written
    }

    /// Appends the bytes of a slot's row.
    pub(crate) fn seal_row(
        &self,
        keys: &FileKeys,
        slot: u32,
        row: Option<(&VectorCode, FaceIds)>,
        into: &mut Vec<u8>,
    ) {
        let start = into.len();
        let nobody = FaceIds { face: Uuid::nil(), person: Uuid::nil() };
        let FaceIds { face, person } = row.map_or(nobody, |(_, ids)| ids);
        into.extend_from_slice(face.as_bytes());
        into.extend_from_slice(person.as_bytes());
        into.resize(start + ROW_HEAD_BYTES, 0);
        into.push(u8::from(row.is_some()));
        if let Some((code, _)) = row {
            into.extend_from_slice(&scales_bytes(&code.scales));
            into.extend_from_slice(&code.high);
            into.extend_from_slice(&code.low);
            into.extend_from_slice(&code.signs);
        }
        into.resize(start + self.row_bytes() - TAG_BYTES, 0);
        let aad = RecordAad { kind: SealedKind::Code, slot, face, person };
        let (nonce, tag) = keys.seal(&aad, &mut into[start + ROW_HEAD_BYTES..]);
        into[start + 32..start + ROW_HEAD_BYTES].copy_from_slice(&nonce_bytes(&nonce));
        into.extend_from_slice(&tag);
    }

    /// Writes the bytes of consecutive slots.
    pub(crate) fn write_rows(&self, first: u32, bytes: &[u8]) -> Result<(), IndexError> {
        Ok(self.file.write_all_at(bytes, self.offset_of(first))?)
    }

    /// Reads the bytes of consecutive slots. Beyond the end of the file there are zeros.
    pub(crate) fn read_rows(&self, first: u32, into: &mut [u8]) -> Result<(), IndexError> {
        if !self.read_whole(into, self.offset_of(first))? {
            into.fill(0);
            let available = self.file.metadata()?.len().saturating_sub(self.offset_of(first));
            let available = usize::try_from(available).map_or(into.len(), |it| it.min(into.len()));
            self.file.read_exact_at(&mut into[..available], self.offset_of(first))?;
        }
        Ok(())
    }

    /// Decrypts a row in place, and its code into `code`.
    pub(crate) fn unseal_row(
        &self,
        unsealer: &mut Unsealer<'_>,
        slot: u32,
        bytes: &mut [u8],
        code: &mut VectorCode,
    ) -> CodeRow {
        let (head, sealed) = bytes.split_at_mut(ROW_HEAD_BYTES);
        let [mut face, mut person] = [[0; 16]; 2];
        face.copy_from_slice(&head[..16]);
        person.copy_from_slice(&head[16..32]);
        let (face, person) = (Uuid::from_bytes(face), Uuid::from_bytes(person));
        let aad = RecordAad { kind: SealedKind::Code, slot, face, person };
        if !unsealer.open(&read_nonce(&head[32..]), &aad, sealed) {
            return CodeRow::Unknown;
        }
        if sealed[0] == 0 {
            return CodeRow::Free;
        }
        let padded = padded_dimension(self.dimension);
        let (scales, planes) = sealed[1..].split_at(SCALES_BYTES);
        let (high, planes) = planes.split_at(padded / 2);
        let (low, signs) = planes.split_at(padded / 2);
        code.scales = read_scales(scales);
        for (into, from) in
            [(&mut code.high, high), (&mut code.low, low), (&mut code.signs, &signs[..padded / 8])]
        {
            into.clear();
            into.extend_from_slice(from);
        }
        CodeRow::Taken(FaceIds { face, person })
    }

    /// Size of a row.
    pub(crate) fn row_bytes(&self) -> usize {
        ROW_HEAD_BYTES + 1 + SCALES_BYTES + padded_dimension(self.dimension) * 9 / 8 + TAG_BYTES
    }

    /// Cuts off what lies behind the rows of this many slots.
    pub(crate) fn cut_rows(&self, slots: u32) -> Result<(), IndexError> {
        if self.file.metadata()?.len() > self.offset_of(slots) {
            self.file.set_len(self.offset_of(slots))?;
        }
        Ok(())
    }

    /// Waits until everything is on disk, and declares the file clean. The index file must be on disk already.
    pub(crate) fn sync(&self) -> Result<(), IndexError> {
        let mut state = self.lock_state();
        if state.clean {
            return Ok(());
        }
        self.file.sync_data()?;
        let pending = if state.distrusted { PendingSlots::All } else { PendingSlots::None };
        self.write_state(true, pending)?;
        self.file.sync_data()?;
        state.clean = true;
        Ok(())
    }

    fn lock_state(&self) -> MutexGuard<'_, FileState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_state(&self, clean: bool, pending: PendingSlots) -> Result<(), IndexError> {
        let mut bytes = Vec::with_capacity(STATE_BYTES);
        bytes.push(u8::from(clean));
        bytes.extend_from_slice(&self.boot.unwrap_or_default());
        bytes.extend_from_slice(&pending.to_number().to_le_bytes());
        let mac = hmac::sign(&self.mac_key, &bytes);
        bytes.extend_from_slice(mac.as_ref());
        Ok(self.file.write_all_at(&bytes, STATE_OFFSET)?)
    }

    fn is_authentic(&self, bytes: &[u8], fields: usize) -> bool {
        let (fields, mac) = bytes.split_at(fields);
        hmac::verify(&self.mac_key, fields, mac).is_ok()
    }

    fn centre_bytes(&self) -> usize {
        NONCE_BYTES + 1 + 4 * self.dimension + TAG_BYTES
    }

    fn offset_of(&self, slot: u32) -> u64 {
        CENTRE_OFFSET + self.centre_bytes() as u64 + u64::from(slot) * self.row_bytes() as u64
    }

    /// Reads all of it; false if the file ends before.
    fn read_whole(&self, into: &mut [u8], offset: u64) -> Result<bool, IndexError> {
        match self.file.read_exact_at(into, offset) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

const CENTRE_AAD: RecordAad =
    RecordAad { kind: SealedKind::Centre, slot: 0, face: Uuid::nil(), person: Uuid::nil() };

fn nonce_bytes(nonce: &RecordNonce) -> [u8; NONCE_BYTES] {
    let mut bytes = [0; NONCE_BYTES];
    bytes[..SALT_BYTES].copy_from_slice(&nonce.session);
    bytes[SALT_BYTES..].copy_from_slice(&nonce.counter.to_le_bytes());
    bytes
}

/// The nonce in the first [`NONCE_BYTES`].
fn read_nonce(bytes: &[u8]) -> RecordNonce {
    let (mut session, mut counter) = ([0; SALT_BYTES], [0; 8]);
    session.copy_from_slice(&bytes[..SALT_BYTES]);
    counter.copy_from_slice(&bytes[SALT_BYTES..NONCE_BYTES]);
    RecordNonce { session, counter: u64::from_le_bytes(counter) }
}

fn scales_bytes(scales: &CodeScales) -> [u8; SCALES_BYTES] {
    let CodeScales { near_step, near_error, square, flatness, step, full_square, full_error } = *scales;
    let numbers = [near_step, near_error, square, flatness, step, f32::from_bits(full_square), full_error];
    let mut bytes = [0; SCALES_BYTES];
    for (into, number) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(numbers) {
        *into = number.to_bits().to_le_bytes();
    }
    bytes
}

fn read_scales(bytes: &[u8]) -> CodeScales {
    let mut numbers = [0_u32; SCALES_BYTES / 4];
    for (into, from) in numbers.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *into = u32::from_le_bytes(*from);
    }
    let [near_step, near_error, square, flatness, step, full_square, full_error] = numbers;
    let [near_step, near_error, square, flatness, step, full_error] =
        [near_step, near_error, square, flatness, step, full_error].map(f32::from_bits);
    CodeScales { near_step, near_error, square, flatness, step, full_square, full_error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IndexSpace;
    use base::Secret;

    const CENTRE: [f32; 8] = [0.5; 8];

    struct Files {
        folder: tempfile::TempDir,
        index_file: IndexFile,
    }

    impl Files {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let space = IndexSpace { model: [1; 32], dimension: 8 };
            let index_file =
                IndexFile::open(&folder.path().join("index"), &space, &Secret::new([2; 32])).unwrap();
            Self { folder, index_file }
        }

        /// The file as a machine with this boot id opens it.
        fn open(&self, boot: Option<[u8; 16]>) -> CodeFile {
            let file = CodeFile::open(&self.folder.path().join("index"), &self.index_file, 8).unwrap();
            CodeFile { boot, ..file }
        }

        fn pending(&self, boot: Option<[u8; 16]>) -> Option<PendingSlots> {
            let trusted = self.open(boot).read_trusted(&self.index_file.keys).unwrap()?;
            assert_eq!(trusted.0, Centre { vector: CENTRE.to_vec(), is_mean: true });
            Some(trusted.1)
        }
    }

    #[test]
    fn after_a_power_cut_only_a_clean_file_counts() {
        let files = Files::new();
        let (before, after) = (Some([9; 16]), Some([8; 16]));
        let file = files.open(before);
        assert_eq!(files.pending(before), None, "nothing was written yet");
        let centre = Centre { vector: CENTRE.to_vec(), is_mean: true };
        file.begin_rewrite(&files.index_file.keys, &centre).unwrap();
        assert_eq!(files.pending(before), None, "it is being written");
        file.finish_rewrite().unwrap();
        assert_eq!(
            [before, after, None].map(|boot| files.pending(boot)),
            [Some(PendingSlots::None), None, None]
        );
        file.sync().unwrap();
        assert_eq!([before, after, None].map(|boot| files.pending(boot)), [Some(PendingSlots::None); 3]);
        file.announce_change(5).unwrap();
        assert_eq!(
            [before, after, None].map(|boot| files.pending(boot)),
            [Some(PendingSlots::One(5)), None, None]
        );
        file.sync().unwrap();
        assert_eq!(files.pending(after), Some(PendingSlots::None));
    }

    #[test]
    fn a_file_that_missed_a_row_counts_no_more_until_it_is_written_anew() {
        let files = Files::new();
        let boot = Some([9; 16]);
        let mut file = files.open(boot);
        let centre = Centre { vector: CENTRE.to_vec(), is_mean: true };
        file.begin_rewrite(&files.index_file.keys, &centre).unwrap();
        file.finish_rewrite().unwrap();
        let writable = file.file;
        file.file = File::open(files.folder.path().join("index.codes")).unwrap();
        assert!(file.write_row(&files.index_file.keys, 0, None).is_err(), "it is open for reading only");
        file.file = writable;
        file.announce_change(3).unwrap();
        assert_eq!(files.pending(boot), None);
        file.sync().unwrap();
        assert_eq!(files.pending(boot), None);
        file.begin_rewrite(&files.index_file.keys, &centre).unwrap();
        file.finish_rewrite().unwrap();
        file.announce_change(u32::MAX).unwrap();
        assert_eq!(files.pending(boot), Some(PendingSlots::One(u32::MAX)));
    }
}
