//! The file: a header of 512 bytes, then records of one size.
//!
//! | Header at | Bytes | What |
//! |---|---|---|
//! | 0 | 8 | `assayfx1` |
//! | 8 | 4 | dimension, little-endian, as all numbers here |
//! | 16 | 32 | the model's digest |
//! | 48 | 16 | salt |
//! | 64 | 32 | HMAC-SHA256 over the 64 bytes before |
//! | 256, 384 | 72 each | sequence: count, number, number when last synced, boot, HMAC-SHA256 over these 40 |
//!
//! The sequence is written to its two places in turn, so that a torn write leaves the other. A record is the face's
//! and the person's id, the salt of the session that wrote it, its number in that session, and the sealed vector with
//! its tag: `72 + 4 * dimension` bytes. A record of zeros is a free slot.
//!
//! Records are read and written at their place rather than through a mapping of the file: what is read is then a copy
//! that nobody changes meanwhile, a file that somebody cuts short is an error and not a signal, and as rescoring reads
//! a few records a query, a mapping would save nothing that can be measured. The pages are the kernel's either way.

use crate::{
    IndexError, IndexSpace,
    keys::{FileKeys, RecordAad, RecordNonce, SALT_BYTES, TAG_BYTES},
};
use aws_lc_rs::hmac;
use base::{Secret, Uuid};
use std::{
    fs::{File, OpenOptions, Permissions, TryLockError},
    io::Write as _,
    os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
};

const MAGIC: &[u8; 8] = b"assayfx1";
const HEADER_BYTES: usize = 512;
const SEQUENCE_OFFSETS: [u64; 2] = [256, 384];
const SEQUENCE_BYTES: usize = 72;
const FILE_MODE: u32 = 0o600;
/// Bytes of a record before its sealed vector.
const RECORD_HEAD_BYTES: usize = 32 + SALT_BYTES + 8;

/// The file of an index, open and locked.
pub(crate) struct IndexFile {
    file: File,
    pub(crate) keys: FileKeys,
    dimension: usize,
}

/// A record that opened.
#[derive(Debug)]
pub(crate) struct RecordIds {
    pub(crate) face: Uuid,
    pub(crate) person: Uuid,
}

/// What lies in a slot.
#[derive(Debug)]
pub(crate) enum RecordSlot {
    Taken(RecordIds),
    Free,
    /// It does not open.
    Damaged,
}

/// The last change that was noted, as persisted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PersistedSequence {
    count: u64,
    /// What is true as long as the machine has not stopped since.
    pub(crate) noted: i64,
    /// What is true whatever happened.
    synced: i64,
}

impl IndexFile {
    /// Opens the file, or creates it. The header must be of this space and key.
    pub(crate) fn open(path: &Path, space: &IndexSpace, key: &Secret<[u8; 32]>) -> Result<Self, IndexError> {
        if !path.try_exists()? {
            create(path, space, key)?;
        }
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => IndexError::InUse,
            TryLockError::Error(error) => IndexError::Io(error),
        })?;
        let metadata = file.metadata()?;
        // Somebody else created it at the same moment, and ours has lost its name.
        if path.metadata()?.ino() != metadata.ino() {
            return Err(IndexError::InUse);
        }
        if metadata.permissions().mode() & 0o777 != FILE_MODE {
            file.set_permissions(Permissions::from_mode(FILE_MODE))?;
        }
        let mut header = [0; HEADER_BYTES];
        if metadata.len() < HEADER_BYTES as u64 {
            return Err(IndexError::NotAnIndex);
        }
        file.read_exact_at(&mut header, 0)?;
        let (said, rest) = header.split_at(64);
        if !said.starts_with(MAGIC) {
            return Err(IndexError::NotAnIndex);
        }
        let mut salt = [0; SALT_BYTES];
        salt.copy_from_slice(&said[48..64]);
        if said != header_prefix(space, &salt) {
            return Err(IndexError::SpaceMismatch);
        }
        let keys = FileKeys::new(key, &salt)?;
        hmac::verify(&keys.header_key(), said, &rest[..32]).map_err(|_| IndexError::KeyMismatch)?;
        Ok(Self { file, keys, dimension: space.dimension })
    }

    /// Bytes of a record.
    pub(crate) fn record_bytes(&self) -> usize {
        RECORD_HEAD_BYTES + 4 * self.dimension + TAG_BYTES
    }

    /// Whole records in the file. What is left of a torn one is cut off; true where there was one.
    pub(crate) fn recover_slots(&self) -> Result<(u32, bool), IndexError> {
        let bytes = self.file.metadata()?.len().saturating_sub(HEADER_BYTES as u64);
        let (slots, torn) = (bytes / self.record_bytes() as u64, bytes % self.record_bytes() as u64);
        let slots = u32::try_from(slots).map_err(|_| IndexError::Full)?;
        if torn > 0 {
            self.file.set_len(self.offset_of(slots))?;
        }
        Ok((slots, torn > 0))
    }

    fn offset_of(&self, slot: u32) -> u64 {
        HEADER_BYTES as u64 + u64::from(slot) * self.record_bytes() as u64
    }

    /// Reads the bytes of consecutive slots.
    pub(crate) fn read_slots(&self, first: u32, into: &mut [u8]) -> Result<(), IndexError> {
        Ok(self.file.read_exact_at(into, self.offset_of(first))?)
    }

    /// Opens a record's bytes in place and puts its vector into `vector`.
    pub(crate) fn unseal(&self, slot: u32, bytes: &mut [u8], vector: &mut Vec<f32>) -> RecordSlot {
        let Some((head, sealed)) = bytes.split_first_chunk_mut::<RECORD_HEAD_BYTES>() else {
            return RecordSlot::Damaged;
        };
        if head.iter().all(|it| *it == 0) && sealed.iter().all(|it| *it == 0) {
            return RecordSlot::Free;
        }
        let [mut face, mut person, mut session] = [[0; 16]; 3];
        let mut number = [0; 8];
        face.copy_from_slice(&head[..16]);
        person.copy_from_slice(&head[16..32]);
        session.copy_from_slice(&head[32..48]);
        number.copy_from_slice(&head[48..]);
        let stamp = RecordNonce { session, counter: u64::from_le_bytes(number) };
        let (face, person) = (Uuid::from_bytes(face), Uuid::from_bytes(person));
        if !self.keys.open(&stamp, &RecordAad { slot, face, person }, sealed) {
            return RecordSlot::Damaged;
        }
        vector.clear();
        let (numbers, _) = sealed[..4 * self.dimension].as_chunks::<4>();
        vector.extend(numbers.iter().map(|it| f32::from_le_bytes(*it)));
        RecordSlot::Taken(RecordIds { face, person })
    }

    /// Reads one record; `None` where it does not open or is free.
    pub(crate) fn read_record(
        &self,
        slot: u32,
        bytes: &mut Vec<u8>,
        vector: &mut Vec<f32>,
    ) -> Result<Option<RecordIds>, IndexError> {
        bytes.resize(self.record_bytes(), 0);
        self.read_slots(slot, bytes)?;
        match self.unseal(slot, bytes, vector) {
            RecordSlot::Taken(record) => Ok(Some(record)),
            RecordSlot::Free | RecordSlot::Damaged => Ok(None),
        }
    }

    /// A record as it is written.
    pub(crate) fn seal(&self, place: &RecordAad, vector: &[f32]) -> (RecordNonce, Vec<u8>) {
        let mut bytes = Vec::with_capacity(self.record_bytes());
        bytes.extend_from_slice(place.face.as_bytes());
        bytes.extend_from_slice(place.person.as_bytes());
        bytes.resize(RECORD_HEAD_BYTES, 0);
        bytes.extend(vector.iter().flat_map(|it| it.to_le_bytes()));
        let (stamp, tag) = self.keys.seal(place, &mut bytes[RECORD_HEAD_BYTES..]);
        bytes[32..48].copy_from_slice(&stamp.session);
        bytes[48..RECORD_HEAD_BYTES].copy_from_slice(&stamp.counter.to_le_bytes());
        bytes.extend_from_slice(&tag);
        (stamp, bytes)
    }

    /// Writes a record.
    pub(crate) fn write(&self, slot: u32, record: &[u8]) -> Result<(), IndexError> {
        Ok(self.file.write_all_at(record, self.offset_of(slot))?)
    }

    /// Overwrites a record with zeros.
    pub(crate) fn wipe(&self, slot: u32) -> Result<(), IndexError> {
        self.write(slot, &vec![0; self.record_bytes()])
    }

    /// What was noted last, and whether the machine has run on since.
    pub(crate) fn read_sequence(&self) -> Result<PersistedSequence, IndexError> {
        let key = self.keys.header_key();
        let boot = boot_id();
        let mut last = PersistedSequence::default();
        for at in SEQUENCE_OFFSETS {
            let mut bytes = [0; SEQUENCE_BYTES];
            self.file.read_exact_at(&mut bytes, at)?;
            let (said, mac) = bytes.split_at(40);
            if hmac::verify(&key, said, mac).is_err() {
                continue;
            }
            let number = |at: usize| said[at..].first_chunk().map_or(0, |it| i64::from_le_bytes(*it));
            let (count, noted, synced) = (number(0) as u64, number(8), number(16));
            // After a power cut, records that were written before the number may be missing.
            let noted = if boot.is_some_and(|boot| said[24..] == boot) { noted } else { synced };
            if count > last.count {
                last = PersistedSequence { count, noted, synced };
            }
        }
        Ok(last)
    }

    /// Writes down what was noted.
    pub(crate) fn write_sequence(
        &self,
        last: &mut PersistedSequence,
        noted: i64,
        synced: bool,
    ) -> Result<(), IndexError> {
        self.write_sequence_for_boot(last, noted, synced, boot_id().unwrap_or_default())
    }

    fn write_sequence_for_boot(
        &self,
        last: &mut PersistedSequence,
        noted: i64,
        synced: bool,
        boot: [u8; 16],
    ) -> Result<(), IndexError> {
        let next = PersistedSequence {
            count: last.count + 1,
            noted,
            synced: if synced { noted } else { last.synced },
        };
        let mut bytes = Vec::with_capacity(SEQUENCE_BYTES);
        bytes.extend_from_slice(&next.count.to_le_bytes());
        bytes.extend_from_slice(&next.noted.to_le_bytes());
        bytes.extend_from_slice(&next.synced.to_le_bytes());
        bytes.extend_from_slice(&boot);
        let mac = hmac::sign(&self.keys.header_key(), &bytes);
        bytes.extend_from_slice(mac.as_ref());
        self.file.write_all_at(&bytes, SEQUENCE_OFFSETS[(next.count % 2) as usize])?;
        *last = next;
        Ok(())
    }

    /// Waits until everything is on the disk.
    pub(crate) fn sync(&self) -> Result<(), IndexError> {
        Ok(self.file.sync_data()?)
    }
}

/// The first 64 bytes of a header.
fn header_prefix(space: &IndexSpace, salt: &[u8; SALT_BYTES]) -> [u8; 64] {
    let mut said = [0; 64];
    said[..8].copy_from_slice(MAGIC);
    said[8..12].copy_from_slice(&(space.dimension as u32).to_le_bytes());
    said[16..48].copy_from_slice(&space.model);
    said[48..].copy_from_slice(salt);
    said
}

/// Creates an empty file: under another name first, so that half a header never bears this one.
fn create(path: &Path, space: &IndexSpace, key: &Secret<[u8; 32]>) -> Result<(), IndexError> {
    let salt = crate::keys::random_salt()?;
    let mut header = header_prefix(space, &salt).to_vec();
    let mac = hmac::sign(&FileKeys::new(key, &salt)?.header_key(), &header);
    header.extend_from_slice(mac.as_ref());
    header.resize(HEADER_BYTES, 0);
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(FILE_MODE).open(&name)?;
    file.write_all(&header)?;
    file.sync_data()?;
    Ok(std::fs::rename(&name, path)?)
}

/// Names this run of the machine; `None` where it has no name, and then nothing unsynced is believed.
fn boot_id() -> Option<[u8; 16]> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Uuid::try_parse(text.trim()).ok().map(Uuid::into_bytes).filter(|it| *it != [0; 16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_power_cut_only_what_was_synced_is_believed() {
        let folder = tempfile::tempdir().unwrap();
        let space = IndexSpace { model: [1; 32], dimension: 8 };
        let store = IndexFile::open(&folder.path().join("index"), &space, &Secret::new([2; 32])).unwrap();
        let mut last = store.read_sequence().unwrap();
        store.write_sequence_for_boot(&mut last, 5, false, [9; 16]).unwrap();
        assert_eq!(store.read_sequence().unwrap().noted, 0, "nothing was ever synced");
        store.write_sequence_for_boot(&mut last, 6, true, [9; 16]).unwrap();
        store.write_sequence_for_boot(&mut last, 8, false, [9; 16]).unwrap();
        assert_eq!(store.read_sequence().unwrap().noted, 6);
        // From here on it is this run of the machine, as far as it can be told.
        let mut last = store.read_sequence().unwrap();
        store.write_sequence(&mut last, 9, false).unwrap();
        assert_eq!(store.read_sequence().unwrap().noted, if boot_id().is_some() { 9 } else { 6 });
    }
}
