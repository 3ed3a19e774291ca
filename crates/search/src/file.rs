//! The file: a header of 512 bytes, then records of one size.
//!
//! | Header at | Bytes | What |
//! |---|---|---|
//! | 0 | 8 | `assayfx1` |
//! | 8 | 4 | dimension, little-endian, as all numbers here |
//! | 16 | 32 | the model's digest |
//! | 48 | 16 | salt |
//! | 64 | 32 | HMAC-SHA256 over the first 64 bytes |
//! | 256, 384 | 72 each | sequence: count, number, number at the last sync, boot id, HMAC-SHA256 over these 40 |
//!
//! The sequence is written to its two places alternately, so that a torn write leaves the other intact. A record
//! consists of the face's id, the person's id, the salt of the session that wrote it, its counter in that session, and
//! the sealed vector with its tag: `72 + 4 * dimension` bytes. A record of zeros is a free slot.
//!
//! Records are read and written with positioned I/O rather than through a mapping of the file: what is read is then a
//! copy that nobody changes meanwhile, a truncated file is an error and not a signal, and as rescoring reads only a few
//! records per query, a mapping would save nothing measurable. The pages are in the page cache either way.

use crate::{
    IndexError, IndexSpace,
    keys::{FileKeys, RecordAad, RecordNonce, SALT_BYTES, SealedKind, TAG_BYTES, Unsealer},
};
use aws_lc_rs::hmac;
use base::{Secret, Uuid};
use std::{
    fs::{File, OpenOptions, Permissions, TryLockError},
    io::{ErrorKind, Write as _},
    os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
};

const MAGIC: &[u8; 8] = b"assayfx1";
const HEADER_BYTES: usize = 512;
const SEQUENCE_OFFSETS: [u64; 2] = [256, 384];
const SEQUENCE_BYTES: usize = 72;
pub(crate) const FILE_MODE: u32 = 0o600;
/// Bytes of a record before its sealed vector.
const RECORD_HEAD_BYTES: usize = 32 + SALT_BYTES + 8;

/// The open and locked file of an index.
pub(crate) struct IndexFile {
    file: File,
    pub(crate) keys: FileKeys,
    /// The random bytes that tell this file from every other.
    pub(crate) salt: [u8; SALT_BYTES],
    dimension: usize,
}

/// The ids of a record that was decrypted.
#[derive(Debug)]
pub(crate) struct RecordIds {
    pub(crate) face: Uuid,
    pub(crate) person: Uuid,
}

/// The content of a slot.
#[derive(Debug)]
pub(crate) enum RecordSlot {
    Taken(RecordIds),
    Free,
    /// The record does not decrypt.
    Damaged,
}

/// Up to which change the index is current, as persisted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PersistedSequence {
    /// Grows with each write, so that the newer of the two places is known.
    count: u64,
    /// Holds as long as the machine has not restarted since.
    pub(crate) noted: i64,
    /// Holds in any case.
    synced: i64,
}

impl IndexFile {
    /// Opens the file, or creates it. The header must match this space and key.
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
        // Another process created or deleted the file at the same moment, and ours is no longer the one at this path.
        if path.metadata().ok().is_none_or(|at_path| at_path.ino() != metadata.ino()) {
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
        let (prefix, rest) = header.split_at(64);
        if !prefix.starts_with(MAGIC) {
            return Err(IndexError::NotAnIndex);
        }
        let mut salt = [0; SALT_BYTES];
        salt.copy_from_slice(&prefix[48..64]);
        if prefix != header_prefix(space, &salt) {
            return Err(IndexError::SpaceMismatch);
        }
        let keys = FileKeys::new(key, &salt)?;
        hmac::verify(&keys.header_key(), prefix, &rest[..32]).map_err(|_| IndexError::KeyMismatch)?;
        Ok(Self { file, keys, salt, dimension: space.dimension })
    }

    /// Size of a record.
    pub(crate) fn record_bytes(&self) -> usize {
        RECORD_HEAD_BYTES + 4 * self.dimension + TAG_BYTES
    }

    /// The number of whole records in the file. A torn record at the end is cut off; the flag says whether there was
    /// one.
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

    /// Decrypts a record in place and writes its vector to `vector`.
    pub(crate) fn unseal(
        &self,
        unsealer: &mut Unsealer<'_>,
        slot: u32,
        bytes: &mut [u8],
        vector: &mut Vec<f32>,
    ) -> RecordSlot {
        let Some((head, sealed)) = bytes.split_first_chunk_mut::<RECORD_HEAD_BYTES>() else {
            return RecordSlot::Damaged;
        };
        if head.iter().all(|it| *it == 0) && sealed.iter().all(|it| *it == 0) {
            return RecordSlot::Free;
        }
        let [mut face, mut person, mut session] = [[0; 16]; 3];
        let mut counter = [0; 8];
        face.copy_from_slice(&head[..16]);
        person.copy_from_slice(&head[16..32]);
        session.copy_from_slice(&head[32..48]);
        counter.copy_from_slice(&head[48..]);
        let nonce = RecordNonce { session, counter: u64::from_le_bytes(counter) };
        let (face, person) = (Uuid::from_bytes(face), Uuid::from_bytes(person));
        let aad = RecordAad { kind: SealedKind::Vector, slot, face, person };
        if !unsealer.open(&nonce, &aad, sealed) {
            return RecordSlot::Damaged;
        }
        vector.clear();
        let (components, _) = sealed[..4 * self.dimension].as_chunks::<4>();
        vector.extend(components.iter().map(|it| f32::from_le_bytes(*it)));
        RecordSlot::Taken(RecordIds { face, person })
    }

    /// Reads one record; one that the file ends before is damaged. `bytes` is scratch space.
    pub(crate) fn read_record(
        &self,
        unsealer: &mut Unsealer<'_>,
        slot: u32,
        bytes: &mut Vec<u8>,
        vector: &mut Vec<f32>,
    ) -> Result<RecordSlot, IndexError> {
        bytes.resize(self.record_bytes(), 0);
        match self.read_slots(slot, bytes) {
            Ok(()) => Ok(self.unseal(unsealer, slot, bytes, vector)),
            Err(IndexError::Io(error)) if error.kind() == ErrorKind::UnexpectedEof => Ok(RecordSlot::Damaged),
            Err(error) => Err(error),
        }
    }

    /// The bytes of a record with its vector encrypted.
    pub(crate) fn seal(&self, aad: &RecordAad, vector: &[f32]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.record_bytes());
        bytes.extend_from_slice(aad.face.as_bytes());
        bytes.extend_from_slice(aad.person.as_bytes());
        bytes.resize(RECORD_HEAD_BYTES, 0);
        bytes.extend(vector.iter().flat_map(|it| it.to_le_bytes()));
        let (nonce, tag) = self.keys.seal(aad, &mut bytes[RECORD_HEAD_BYTES..]);
        bytes[32..48].copy_from_slice(&nonce.session);
        bytes[48..RECORD_HEAD_BYTES].copy_from_slice(&nonce.counter.to_le_bytes());
        bytes.extend_from_slice(&tag);
        bytes
    }

    pub(crate) fn write(&self, slot: u32, record: &[u8]) -> Result<(), IndexError> {
        Ok(self.file.write_all_at(record, self.offset_of(slot))?)
    }

    /// Overwrites a record with zeros.
    pub(crate) fn wipe(&self, slot: u32) -> Result<(), IndexError> {
        self.write(slot, &vec![0; self.record_bytes()])
    }

    /// The sequence as last written. If the machine has restarted since, `noted` is what was synced.
    pub(crate) fn read_sequence(&self) -> Result<PersistedSequence, IndexError> {
        let key = self.keys.header_key();
        let boot = boot_id();
        let mut last = PersistedSequence::default();
        for at in SEQUENCE_OFFSETS {
            let mut bytes = [0; SEQUENCE_BYTES];
            self.file.read_exact_at(&mut bytes, at)?;
            let (fields, mac) = bytes.split_at(40);
            if hmac::verify(&key, fields, mac).is_err() {
                continue;
            }
            let number = |at: usize| fields[at..].first_chunk().map_or(0, |it| i64::from_le_bytes(*it));
            let (count, noted, synced) = (number(0) as u64, number(8), number(16));
            // After a power cut, records that were written before the sequence may be missing.
            let noted = if boot.is_some_and(|boot| fields[24..] == boot) { noted } else { synced };
            if count > last.count {
                last = PersistedSequence { count, noted, synced };
            }
        }
        Ok(last)
    }

    /// Persists that the index is current up to `noted`.
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

    /// Waits until everything is on disk.
    pub(crate) fn sync(&self) -> Result<(), IndexError> {
        Ok(self.file.sync_data()?)
    }
}

/// The first 64 bytes of a header: everything but its MAC.
/// The ids of the faces whose records a file holds, whoever has it open. Nothing is decrypted or changed. For audits: a
/// record that is being written meanwhile may be missing.
pub fn read_face_ids(path: &Path) -> Result<Vec<Uuid>, IndexError> {
    let file = File::open(path)?;
    let mut header = [0; 12];
    file.read_exact_at(&mut header, 0).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => IndexError::NotAnIndex,
        _ => error.into(),
    })?;
    let (magic, dimension) = header.split_at(8);
    if magic != MAGIC {
        return Err(IndexError::NotAnIndex);
    }
    let dimension = u32::from_le_bytes(dimension.try_into().map_err(|_| IndexError::NotAnIndex)?);
    let record_bytes = RECORD_HEAD_BYTES as u64 + 4 * u64::from(dimension) + TAG_BYTES as u64;
    let records = file.metadata()?.len().saturating_sub(HEADER_BYTES as u64) / record_bytes;
    let mut ids = Vec::new();
    for record in 0..records {
        let mut face = [0; 16];
        file.read_exact_at(&mut face, HEADER_BYTES as u64 + record * record_bytes)?;
        if face != [0; 16] {
            ids.push(Uuid::from_bytes(face));
        }
    }
    Ok(ids)
}

fn header_prefix(space: &IndexSpace, salt: &[u8; SALT_BYTES]) -> [u8; 64] {
    let mut prefix = [0; 64];
    prefix[..8].copy_from_slice(MAGIC);
    prefix[8..12].copy_from_slice(&(space.dimension as u32).to_le_bytes());
    prefix[16..48].copy_from_slice(&space.model);
    prefix[48..].copy_from_slice(salt);
    prefix
}

/// Creates an empty file. It is written under a temporary name and renamed, so that no half-written header is ever
/// seen.
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

/// Identifies this boot of the machine. `None` if the system does not tell; then nothing unsynced is trusted.
pub(crate) fn boot_id() -> Option<[u8; 16]> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Uuid::try_parse(text.trim()).ok().map(Uuid::into_bytes).filter(|it| *it != [0; 16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_power_cut_only_what_was_synced_counts() {
        let folder = tempfile::tempdir().unwrap();
        let space = IndexSpace { model: [1; 32], dimension: 8 };
        let file = IndexFile::open(&folder.path().join("index"), &space, &Secret::new([2; 32])).unwrap();
        let mut last = file.read_sequence().unwrap();
        file.write_sequence_for_boot(&mut last, 5, false, [9; 16]).unwrap();
        assert_eq!(file.read_sequence().unwrap().noted, 0, "nothing was ever synced");
        file.write_sequence_for_boot(&mut last, 6, true, [9; 16]).unwrap();
        file.write_sequence_for_boot(&mut last, 8, false, [9; 16]).unwrap();
        assert_eq!(file.read_sequence().unwrap().noted, 6);
        // From here on with the real boot id, if there is one.
        let mut last = file.read_sequence().unwrap();
        file.write_sequence(&mut last, 9, false).unwrap();
        assert_eq!(file.read_sequence().unwrap().noted, if boot_id().is_some() { 9 } else { 6 });
    }
}
