//! How a blob is encrypted at rest.
//!
//! A header of 20 bytes (4 bytes that name the format, 16 bytes of salt) is followed by chunks of 64 KiB, each
//! encrypted with AES-256-GCM and followed by its tag of 16 bytes; only the last chunk is shorter. The key of a blob is
//! derived from the data key with HKDF-SHA256 (RFC 5869), with the blob's salt, and with the key that names the blob in
//! `info`, so that a blob that is moved to another name does not decrypt. The nonce holds the chunk's number and
//! whether it is the last, so that chunks cannot be left out, swapped or cut off (the STREAM construction of Hoang,
//! Reyhanitabar, Rogaway and Vizár, 2015).

use super::{BlobError, BlobKey};
use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, MAX_TAG_LEN, Nonce, UnboundKey},
    hkdf::{HKDF_SHA256, Salt},
};
use base::{Environment, Secret};
use std::ops::{Range, RangeInclusive};

/// Plaintext bytes of a chunk.
pub(super) const CHUNK_BYTES: usize = 64 << 10;
/// Bytes of a chunk as stored.
const SEALED_CHUNK_BYTES: usize = CHUNK_BYTES + MAX_TAG_LEN;
/// Bytes before the first chunk.
pub(super) const HEADER_BYTES: usize = FORMAT_MAGIC.len() + SALT_BYTES;
const FORMAT_MAGIC: &[u8; 4] = b"asb1";
const SALT_BYTES: usize = 16;
/// Separates the keys of blobs from other keys that are derived from the data key.
const KEY_PURPOSE: &[u8] = b"assay/blob/1/";

pub(super) struct BlobCipher(LessSafeKey);

impl BlobCipher {
    fn new(data_key: &Secret<[u8; 32]>, salt: &[u8], key: &BlobKey) -> Self {
        let info = key.to_string();
        let derived = Salt::new(HKDF_SHA256, salt)
            .extract(data_key.expose())
            .expand(&[KEY_PURPOSE, info.as_bytes()], &AES_256_GCM)
            .map(UnboundKey::from)
            .expect("32 bytes are far below HKDF's limit of 8160");
        Self(LessSafeKey::new(derived))
    }

    /// Derives the cipher of a stored blob from its first [`HEADER_BYTES`] bytes.
    pub(super) fn of(data_key: &Secret<[u8; 32]>, header: &[u8], key: &BlobKey) -> Result<Self, BlobError> {
        match header.strip_prefix(FORMAT_MAGIC) {
            Some(salt) if salt.len() == SALT_BYTES => Ok(Self::new(data_key, salt, key)),
            _ => Err(BlobError::Damaged),
        }
    }

    fn nonce(number: u64, last: bool) -> Nonce {
        let mut nonce = [0; 12];
        nonce[3..11].copy_from_slice(&number.to_be_bytes());
        nonce[11] = u8::from(last);
        Nonce::assume_unique_for_key(nonce)
    }

    /// Decrypts chunks in place. `bytes` holds exactly the stored chunks `numbers`, and afterwards their plaintext.
    pub(super) fn open(
        &self,
        bytes: &mut Vec<u8>,
        numbers: RangeInclusive<u64>,
        layout: &ChunkLayout,
    ) -> Result<(), BlobError> {
        let (mut read, mut written) = (0, 0);
        for number in numbers {
            let end = bytes.len().min(read + SEALED_CHUNK_BYTES);
            let chunk = bytes.get_mut(read..end).ok_or(BlobError::Damaged)?;
            let nonce = Self::nonce(number, number == layout.last());
            let plain =
                self.0.open_in_place(nonce, Aad::empty(), chunk).map_err(|_| BlobError::Damaged)?.len();
            bytes.copy_within(read..read + plain, written);
            (read, written) = (end, written + plain);
        }
        if read != bytes.len() {
            return Err(BlobError::Damaged);
        }
        bytes.truncate(written);
        Ok(())
    }
}

/// Encrypts a blob chunk by chunk.
pub(super) struct BlobSealer {
    cipher: BlobCipher,
    number: u64,
    /// Ciphertext that the caller has not taken yet.
    pub(super) sealed: Vec<u8>,
}

impl BlobSealer {
    /// Starts a blob with a fresh salt.
    pub(super) fn new(data_key: &Secret<[u8; 32]>, environment: &dyn Environment, key: &BlobKey) -> Self {
        let mut salt = [0; SALT_BYTES];
        environment.fill_random(&mut salt);
        let mut sealed = FORMAT_MAGIC.to_vec();
        sealed.extend_from_slice(&salt);
        Self { cipher: BlobCipher::new(data_key, &salt, key), number: 0, sealed }
    }

    /// Encrypts the next chunk: [`CHUNK_BYTES`] bytes, or fewer if it is the last.
    pub(super) fn seal(&mut self, plain: &[u8], last: bool) {
        let from = self.sealed.len();
        self.sealed.reserve(plain.len() + MAX_TAG_LEN);
        self.sealed.extend_from_slice(plain);
        let nonce = BlobCipher::nonce(self.number, last);
        self.number += 1;
        let tag = self
            .cipher
            .0
            .seal_in_place_separate_tag(nonce, Aad::empty(), &mut self.sealed[from..])
            .expect("a chunk is far below GCM's limit of 64 GiB");
        self.sealed.extend_from_slice(tag.as_ref());
    }

    /// Encrypts a whole blob.
    pub(super) fn seal_all(mut self, plain: &[u8]) -> Vec<u8> {
        self.sealed.reserve(plain.len() + (plain.len() / CHUNK_BYTES + 1) * MAX_TAG_LEN);
        let last = plain.len().div_ceil(CHUNK_BYTES).saturating_sub(1);
        for number in 0..=last {
            let chunk = &plain[number * CHUNK_BYTES..plain.len().min((number + 1) * CHUNK_BYTES)];
            self.seal(chunk, number == last);
        }
        self.sealed
    }
}

/// The chunks of a stored blob, computed from its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChunkLayout {
    /// Plaintext bytes.
    pub(super) plain: u64,
    /// Number of chunks, at least one.
    chunks: u64,
}

impl ChunkLayout {
    /// Computes the layout from a stored length. A length that encryption never produces means that the blob is
    /// damaged.
    pub(super) fn of(stored: u64) -> Result<Self, BlobError> {
        let body = stored.checked_sub(HEADER_BYTES as u64).ok_or(BlobError::Damaged)?;
        let chunks = body.div_ceil(SEALED_CHUNK_BYTES as u64);
        let plain = body.checked_sub(chunks * MAX_TAG_LEN as u64).ok_or(BlobError::Damaged)?;
        // There are exactly as many chunks as the plaintext fills; only an empty blob has an empty chunk.
        if chunks == plain.div_ceil(CHUNK_BYTES as u64).max(1) {
            Ok(Self { plain, chunks })
        } else {
            Err(BlobError::Damaged)
        }
    }

    fn last(&self) -> u64 {
        self.chunks - 1
    }

    pub(super) fn all(&self) -> RangeInclusive<u64> {
        0..=self.last()
    }

    /// The chunks to decrypt for a range of plaintext. If the range reaches the end, the last chunk is among them,
    /// because only that chunk proves that the blob ends there.
    pub(super) fn covering(&self, range: &Range<u64>) -> RangeInclusive<u64> {
        let chunk = |at: u64| (at / CHUNK_BYTES as u64).min(self.last());
        if range.end >= self.plain {
            chunk(range.start)..=self.last()
        } else {
            chunk(range.start)..=chunk(range.end.saturating_sub(1).max(range.start))
        }
    }
}

/// The offset of a chunk's first byte in the plaintext.
pub(super) fn plain_start(chunk: u64) -> u64 {
    chunk * CHUNK_BYTES as u64
}

/// The byte range of chunks in the stored blob; the last chunk may end sooner.
pub(super) fn stored_range(chunks: &RangeInclusive<u64>) -> Range<u64> {
    // A store may claim any length, up to the largest number; the arithmetic must not overflow.
    let at = |chunk: u64| chunk.saturating_mul(SEALED_CHUNK_BYTES as u64).saturating_add(HEADER_BYTES as u64);
    at(*chunks.start())..at(chunks.end() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_layout_tells_the_plain_length_of_every_stored_length(plain in 0_u64..400_000) {
            let chunks = plain.div_ceil(CHUNK_BYTES as u64).max(1);
            let stored = HEADER_BYTES as u64 + plain + chunks * 16;
            prop_assert_eq!(ChunkLayout::of(stored).unwrap(), ChunkLayout { plain, chunks });
        }

        #[test]
        fn any_length_has_a_layout_or_none(stored: u64) {
            if let Ok(layout) = ChunkLayout::of(stored) {
                prop_assert_eq!(HEADER_BYTES as u64 + layout.plain + layout.chunks * 16, stored);
                prop_assert!(stored_range(&layout.covering(&(0..u64::MAX))).end >= stored);
            }
        }

        #[test]
        fn the_chunks_of_a_range_hold_it(plain in 0_u64..400_000, a in 0_u64..500_000, b in 0_u64..500_000) {
            let layout = ChunkLayout { plain, chunks: plain.div_ceil(CHUNK_BYTES as u64).max(1) };
            let range = a.min(b)..a.max(b);
            let chunks = layout.covering(&range);
            prop_assert!(chunks.start() <= chunks.end() && *chunks.end() <= layout.last());
            let end = range.end.min(plain);
            if range.start < end {
                prop_assert!(plain_start(*chunks.start()) <= range.start);
                prop_assert!(end <= plain_start(chunks.end() + 1));
            }
        }
    }
}
