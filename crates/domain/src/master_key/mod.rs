//! The master key, which wraps the data key: what it can do, and where it may be kept.

mod environment;
mod file;
mod token;

pub use environment::SuppliedKeyProvider;
pub use file::FileProvider;
pub use token::{TokenProvider, TokenSettings};

use crate::{
    keyring::{KEY_BYTES, Keyring, take_secret},
    vault::Vault,
};
use base::{Environment, Secret};
use std::{
    fmt::{Debug, Display, Formatter},
    path::{Path, PathBuf},
    sync::Arc,
};

/// How many hexadecimal digits a fingerprint has.
const FINGERPRINT_DIGITS: usize = 16;

/// Names a master key and reveals nothing of it: 16 hexadecimal digits that are derived from it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct KeyFingerprint(String);

impl KeyFingerprint {
    /// The fingerprint with the first digits of these bytes, of which there are at least eight.
    fn of(derived: &[u8]) -> Self {
        let mut digits = hex::encode(derived);
        digits.truncate(FINGERPRINT_DIGITS);
        Self(digits)
    }

    /// Its digits, as rows have them.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for KeyFingerprint {
    fn from(stored: String) -> Self {
        Self(stored)
    }
}

impl Display for KeyFingerprint {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A master key. It wraps data keys, and nothing else.
pub trait MasterKey: Debug + Send + Sync {
    fn fingerprint(&self) -> &KeyFingerprint;

    /// Wraps a data key (AES-256-GCM); `aad` names the row that it belongs to.
    fn wrap_key(
        &self,
        environment: &dyn Environment,
        aad: &[u8],
        data_key: &Secret<[u8; KEY_BYTES]>,
    ) -> Result<Vec<u8>, MasterKeyError>;

    /// Unwraps a data key that was wrapped with the same `aad`.
    fn unwrap_key(&self, aad: &[u8], wrapped: &[u8]) -> Result<Secret<[u8; KEY_BYTES]>, MasterKeyError>;

    /// The key's own bytes, which databases that are older than data keys are sealed with; `None` if they never leave a
    /// token.
    fn bytes(&self) -> Option<&Secret<[u8; KEY_BYTES]>>;
}

/// Where the master key of an installation is kept.
pub trait MasterKeyProvider: Debug + Send + Sync {
    /// The place, for messages: "the file /var/lib/assay/master.key".
    fn place(&self) -> String;

    /// The keys that are there now. Files and variables have one or none; a token may have several of the same label.
    fn load(&self) -> Result<Vec<Arc<dyn MasterKey>>, MasterKeyError>;

    /// Makes the first key, where there is none. If another process is faster, the key is its key.
    fn create(&self, environment: &dyn Environment) -> Result<Arc<dyn MasterKey>, MasterKeyError>;

    /// The key that is to replace the present one: made now, or the one that an interrupted call has left. It does not yet
    /// take the place of the present one. Fails if it could not: if another key is there than the present one.
    fn prepare_next(
        &self,
        environment: &dyn Environment,
        request: &NextKeyRequest<'_>,
    ) -> Result<Arc<dyn MasterKey>, MasterKeyError>;

    /// Puts the key that [`Self::prepare_next`] returned in the place of the present one, `former`, or where none is yet. Does
    /// nothing if it is there already.
    fn adopt_next(
        &self,
        former: &KeyFingerprint,
        next: &KeyFingerprint,
    ) -> Result<KeyAdoption, MasterKeyError>;
}

/// What a new master key must be.
#[derive(Clone, Copy, Debug)]
pub struct NextKeyRequest<'a> {
    /// The file that has it, if the operator made it.
    pub file: Option<&'a Path>,
    /// The present key.
    pub former: &'a KeyFingerprint,
    /// The keys that the database knows; the new one is none of them.
    pub known: &'a [KeyFingerprint],
}

/// What became of a new master key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyAdoption {
    /// It is in place. The former one is kept in this file, if it was in a file.
    InPlace(Option<PathBuf>),
    /// The operator has to put it in place; where.
    ByOperator(String),
}

/// Why a master key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MasterKeyError {
    /// The file cannot be read or written.
    #[error("the master key {path} cannot be used: {cause}")]
    File { path: String, cause: std::io::Error },
    /// What is at this place is not 64 hexadecimal digits.
    #[error(
        "the master key in {0} is not 64 hexadecimal digits; restore it from your backup: without it, encrypted data is lost"
    )]
    Malformed(String),
    /// Others than its owner can read the file.
    #[error(
        "{path}, which has a secret, has mode {mode:04o}: others than its owner can use it; run `chmod 600 {path}`, and \
         `assay keys rotate` if somebody else may have read it"
    )]
    Exposed { path: String, mode: u32 },
    /// A wrapped data key does not open with this key.
    #[error("a data key does not open with master key {0}: it was damaged or moved")]
    Damaged(KeyFingerprint),
    /// Keys cannot be made at this place.
    #[error(
        "there is no master key in {0}, and none can be made there: make one with `openssl rand -hex 32` and put it there"
    )]
    NotMade(String),
    /// The new key has to come from a file.
    #[error(
        "{0} cannot be changed from here: name a file with the new key, `--new-key-file FILE` (`openssl rand -hex 32`)"
    )]
    NextKeyNeeded(String),
    /// The new key cannot come from a file.
    #[error("a token makes its keys itself: leave --new-key-file out")]
    NextKeyRefused,
    /// The new key is one that the database knows already.
    #[error("{place} has master key {fingerprint}, which this database knows already: a new key is needed")]
    NextKeyKnown { place: String, fingerprint: KeyFingerprint },
    /// Another new key is waiting at this place.
    #[error(
        "{path} has another new master key, {found}, of a rotation that did not begin: delete the file if nothing needs it"
    )]
    NextKeyInTheWay { path: String, found: KeyFingerprint },
    /// The new key is to be where another key is.
    #[error(
        "{place} has another master key, {found}, which would be overwritten: move it elsewhere, or name another place for the \
         new key"
    )]
    PlaceTaken { place: String, found: KeyFingerprint },
    /// What is in the place is neither the former key nor the new one.
    #[error("{place} should have master key {former} or {next}, and has neither")]
    NotInPlace { place: String, former: KeyFingerprint, next: KeyFingerprint },
    /// The token, or its library, fails.
    #[error("the token with the master key cannot be used ({what}): {cause}")]
    Token { what: &'static str, cause: String },
}

/// A master key whose bytes this process has.
#[derive(Debug)]
pub struct SoftwareKey {
    fingerprint: KeyFingerprint,
    bytes: Secret<[u8; KEY_BYTES]>,
    vault: Vault,
}

impl SoftwareKey {
    /// A key of these bytes.
    pub fn new(bytes: Secret<[u8; KEY_BYTES]>) -> Self {
        let keyring = Keyring::new(bytes.clone());
        Self {
            fingerprint: KeyFingerprint::of(keyring.derive("fingerprint of a master key").expose()),
            vault: Vault::with_key(keyring.derive("wrapping of data keys")),
            bytes,
        }
    }
}

impl MasterKey for SoftwareKey {
    fn fingerprint(&self) -> &KeyFingerprint {
        &self.fingerprint
    }

    fn wrap_key(
        &self,
        environment: &dyn Environment,
        aad: &[u8],
        data_key: &Secret<[u8; KEY_BYTES]>,
    ) -> Result<Vec<u8>, MasterKeyError> {
        Ok(self.vault.seal(environment, aad, data_key.expose()))
    }

    fn unwrap_key(&self, aad: &[u8], wrapped: &[u8]) -> Result<Secret<[u8; KEY_BYTES]>, MasterKeyError> {
        let opened = self.vault.open(aad, wrapped).ok().map(Secret::new);
        secret_key(opened).ok_or_else(|| MasterKeyError::Damaged(self.fingerprint.clone()))
    }

    fn bytes(&self) -> Option<&Secret<[u8; KEY_BYTES]>> {
        Some(&self.bytes)
    }
}

/// A key of what was unwrapped, if it has the length of one.
fn secret_key(opened: Option<Secret<Vec<u8>>>) -> Option<Secret<[u8; KEY_BYTES]>> {
    let mut key: [u8; KEY_BYTES] = opened?.expose().as_slice().try_into().ok()?;
    Some(take_secret(&mut key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::TestEnvironment;

    #[test]
    fn a_data_key_opens_with_its_own_master_key_and_row_alone() {
        let environment = TestEnvironment::at("2026-01-16T14:40:00Z");
        let [key, other] = [1, 2].map(|byte| SoftwareKey::new(Secret::new([byte; KEY_BYTES])));
        assert_ne!(key.fingerprint(), other.fingerprint());
        assert_eq!(key.fingerprint().as_str().len(), FINGERPRINT_DIGITS);
        let data_key = Secret::new([7; KEY_BYTES]);
        let wrapped = key.wrap_key(&environment, b"row 1", &data_key).unwrap();
        assert_eq!(key.unwrap_key(b"row 1", &wrapped).unwrap(), data_key);
        assert!(key.unwrap_key(b"row 2", &wrapped).is_err());
        assert!(other.unwrap_key(b"row 1", &wrapped).is_err());
        assert!(!format!("{key:?}").contains("1, 1"), "{key:?}");
    }
}
