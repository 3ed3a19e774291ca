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

/// What is sealed. Part of the authenticated data, so that one kind cannot be passed off as another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SealedKind {
    /// A vector in the index file.
    Vector,
    /// A row of the code file.
    Code,
    /// The centre of the code file.
    Centre,
}

/// What is authenticated together with what is sealed, so that it cannot be moved to another slot, face or person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordAad {
    pub(crate) kind: SealedKind,
    pub(crate) slot: u32,
    pub(crate) face: Uuid,
    pub(crate) person: Uuid,
}

impl RecordAad {
    /// The bytes, of which the returned number counts. Vectors came first, and have no byte for their kind.
    fn bytes(&self) -> ([u8; 37], usize) {
        let mut bytes = [0; 37];
        bytes[..4].copy_from_slice(&self.slot.to_le_bytes());
        bytes[4..20].copy_from_slice(self.face.as_bytes());
        bytes[20..36].copy_from_slice(self.person.as_bytes());
        let (kind, length) = match self.kind {
            SealedKind::Vector => (0, 36),
            SealedKind::Code => (1, 37),
            SealedKind::Centre => (2, 37),
        };
        bytes[36] = kind;
        (bytes, length)
    }
}

/// Keys of an index that is open: of its file of vectors and its file of codes.
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

    /// The key that the header and the state of the code file are authenticated with.
    pub(crate) fn code_header_key(&self) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, &Zeroizing::new(self.derive(b"codes", 32)))
    }

    /// Encrypts in place. Returns the nonce and the tag.
    pub(crate) fn seal(&self, aad: &RecordAad, plain: &mut [u8]) -> (RecordNonce, [u8; TAG_BYTES]) {
        let number = self.next_counter.fetch_add(1, Ordering::Relaxed);
        let (aad, length) = aad.bytes();
        let tag = self
            .own_key
            .seal_in_place_separate_tag(nonce(number), Aad::from(&aad[..length]), plain)
            .expect("a vector is far below GCM's limit of 64 GiB");
        let mut bytes = [0; TAG_BYTES];
        bytes.copy_from_slice(tag.as_ref());
        (RecordNonce { session: self.session, counter: number }, bytes)
    }

    /// Decrypts many things, most of which were sealed in one session.
    pub(crate) fn unsealer(&self) -> Unsealer<'_> {
        Unsealer { keys: self, last: (self.session, Arc::clone(&self.own_key)) }
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

/// Decrypts, and keeps the key of the session that it met last.
pub(crate) struct Unsealer<'a> {
    keys: &'a FileKeys,
    last: ([u8; SALT_BYTES], Arc<LessSafeKey>),
}

impl Unsealer<'_> {
    /// Decrypts in place what was sealed, with its tag behind it. False if it was not sealed with this nonce and AAD.
    pub(crate) fn open(&mut self, record_nonce: &RecordNonce, aad: &RecordAad, sealed: &mut [u8]) -> bool {
        if self.last.0 != record_nonce.session {
            self.last = (record_nonce.session, self.keys.session_key_of(&record_nonce.session));
        }
        let (aad, length) = aad.bytes();
        self.last.1.open_in_place(nonce(record_nonce.counter), Aad::from(&aad[..length]), sealed).is_ok()
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
