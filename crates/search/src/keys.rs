//! The keys of one file, all derived from the caller's key and the file's own salt (HKDF-SHA256, RFC 5869).

use crate::IndexError;
use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hkdf::{HKDF_SHA256, KeyType, Prk, Salt},
    hmac, rand,
};
use base::{Secret, Uuid};
use std::{
    collections::HashMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};
use zeroize::Zeroizing;

/// Bytes of the file's salt, and of a session's.
pub(crate) const SALT_BYTES: usize = 16;
/// Bytes of the authentication tag behind a sealed vector.
pub(crate) const TAG_BYTES: usize = 16;
/// Derived keys of other sessions that are cached at most.
const MAX_CACHED_KEYS: usize = 256;

/// How a record was sealed: the salt of the session (one per opening of the file), and a number used once in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordNonce {
    pub(crate) session: [u8; SALT_BYTES],
    pub(crate) counter: u64,
}

/// What is authenticated together with the vector, so that a record cannot be moved to another slot, face or person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordAad {
    pub(crate) slot: u32,
    pub(crate) face: Uuid,
    pub(crate) person: Uuid,
}

impl RecordAad {
    fn bytes(&self) -> [u8; 36] {
        let mut bytes = [0; 36];
        bytes[..4].copy_from_slice(&self.slot.to_le_bytes());
        bytes[4..20].copy_from_slice(self.face.as_bytes());
        bytes[20..].copy_from_slice(self.person.as_bytes());
        bytes
    }
}

/// Keys of a file that is open.
///
/// No nonce is used twice with one key: each opening of a file draws a random salt, which gives it a key of its own,
/// and under that key records are numbered as they are written, whatever slot they go to. This also holds for slots
/// that are reused, for writes that are repeated after a crash, and for a file that was restored from a copy.
pub(crate) struct FileKeys {
    root: Prk,
    session: [u8; SALT_BYTES],
    own_key: Arc<LessSafeKey>,
    next_counter: AtomicU64,
    other_keys: RwLock<HashMap<[u8; SALT_BYTES], Arc<LessSafeKey>>>,
}

struct HkdfLength(usize);

impl KeyType for HkdfLength {
    fn len(&self) -> usize {
        self.0
    }
}

impl FileKeys {
    pub(crate) fn new(key: &Secret<[u8; 32]>, salt: &[u8; SALT_BYTES]) -> Result<Self, IndexError> {
        let root = Salt::new(HKDF_SHA256, salt).extract(key.expose());
        let session = random_salt()?;
        let own_key = Arc::new(session_key(&root, &session));
        Ok(Self { root, session, own_key, next_counter: AtomicU64::new(0), other_keys: RwLock::default() })
    }

    /// Derives `length` bytes, at most 8160, for a purpose.
    pub(crate) fn derive(&self, purpose: &[u8], length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.root
            .expand(&[b"assay/search/1/", purpose], HkdfLength(length))
            .and_then(|derived| derived.fill(&mut bytes))
            .expect("2048 dimensions need 1024 bytes, far below HKDF's limit of 8160");
        bytes
    }

    /// The key that headers are authenticated with.
    pub(crate) fn header_key(&self) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, &Zeroizing::new(self.derive(b"header", 32)))
    }

    /// Encrypts in place. Returns the nonce and the tag.
    pub(crate) fn seal(&self, aad: &RecordAad, plain: &mut [u8]) -> (RecordNonce, [u8; TAG_BYTES]) {
        let number = self.next_counter.fetch_add(1, Ordering::Relaxed);
        let tag = self
            .own_key
            .seal_in_place_separate_tag(nonce(number), Aad::from(aad.bytes()), plain)
            .expect("a vector is far below GCM's limit of 64 GiB");
        let mut bytes = [0; TAG_BYTES];
        bytes.copy_from_slice(tag.as_ref());
        (RecordNonce { session: self.session, counter: number }, bytes)
    }

    /// Decrypts in place a vector with its tag behind it. False if it was not sealed with this nonce and AAD.
    pub(crate) fn open(&self, record_nonce: &RecordNonce, aad: &RecordAad, sealed: &mut [u8]) -> bool {
        let key = self.session_key_of(&record_nonce.session);
        key.open_in_place(nonce(record_nonce.counter), Aad::from(aad.bytes()), sealed).is_ok()
    }

    fn session_key_of(&self, session: &[u8; SALT_BYTES]) -> Arc<LessSafeKey> {
        if *session == self.session {
            return Arc::clone(&self.own_key);
        }
        if let Some(key) = self.other_keys.read().unwrap_or_else(PoisonError::into_inner).get(session) {
            return Arc::clone(key);
        }
        let key = Arc::new(session_key(&self.root, session));
        let mut others = self.other_keys.write().unwrap_or_else(PoisonError::into_inner);
        if others.len() >= MAX_CACHED_KEYS {
            others.clear();
        }
        others.insert(*session, Arc::clone(&key));
        key
    }
}

/// A new random salt.
pub(crate) fn random_salt() -> Result<[u8; SALT_BYTES], IndexError> {
    let mut bytes = [0; SALT_BYTES];
    rand::fill(&mut bytes).map_err(|_| IndexError::NoRandomness)?;
    Ok(bytes)
}

fn session_key(root: &Prk, session: &[u8; SALT_BYTES]) -> LessSafeKey {
    let derived = root
        .expand(&[b"assay/search/1/records/", session], &AES_256_GCM)
        .map(UnboundKey::from)
        .expect("32 bytes are far below HKDF's limit of 8160");
    LessSafeKey::new(derived)
}

fn nonce(number: u64) -> Nonce {
    let mut bytes = [0; NONCE_LEN];
    bytes[NONCE_LEN - 8..].copy_from_slice(&number.to_be_bytes());
    Nonce::assume_unique_for_key(bytes)
}
