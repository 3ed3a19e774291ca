//! One master key, from which every other key of the server is derived.

use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use base::{Secret, World};
use std::{io::Write as _, path::Path};

/// Derives purpose-bound keys (HKDF-SHA256, RFC 5869) from 32 random bytes that never touch the database, so that a
/// stolen database opens nothing.
#[derive(Clone, Debug)]
pub struct Keyring(Secret<[u8; 32]>);

/// Why there is no master key.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    /// The file cannot be read or written.
    #[error("the master key {path} cannot be used: {cause}")]
    File {
        /// Which file.
        path: String,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The file holds something else.
    #[error(
        "the master key {0} is not 64 hexadecimal digits; restore it from your backup: without it, encrypted data is lost"
    )]
    Malformed(String),
}

struct ThirtyTwo;
impl KeyType for ThirtyTwo {
    fn len(&self) -> usize {
        32
    }
}

impl Keyring {
    /// Reads the key file, or makes one (mode 0600) where there is none.
    pub fn open(path: &Path, world: &dyn World) -> Result<Self, KeyringError> {
        let failed = |cause| KeyringError::File { path: path.display().to_string(), cause };
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text).ok_or_else(|| KeyringError::Malformed(path.display().to_string())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let mut key = [0; 32];
                world.fill(&mut key);
                private_file(path)
                    .and_then(|mut file| {
                        file.write_all(hex::encode(key).as_bytes())?;
                        file.sync_all()
                    })
                    .map_err(failed)?;
                Ok(Self(Secret::new(key)))
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// 64 hexadecimal digits, as a secret store hands them over.
    pub fn parse(text: &str) -> Option<Self> {
        let mut key = [0; 32];
        hex::decode_to_slice(text.trim(), &mut key).ok()?;
        Some(Self(Secret::new(key)))
    }

    /// The key for one purpose; the same purpose always gives the same key.
    pub fn derive(&self, purpose: &'static str) -> Secret<[u8; 32]> {
        let mut key = [0; 32];
        Salt::new(HKDF_SHA256, b"assay/1")
            .extract(self.0.expose())
            .expand(&[purpose.as_bytes()], ThirtyTwo)
            .and_then(|okm| okm.fill(&mut key))
            .expect("32 bytes are far below HKDF's limit of 8160");
        Secret::new(key)
    }
}

/// Creates a file that only its owner can read, and fails where one already is.
pub fn private_file(path: &Path) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purposes_get_keys_of_their_own_that_stay_the_same() {
        let ring = Keyring::parse(&"ab".repeat(32)).unwrap();
        assert_eq!(ring.derive("a"), ring.derive("a"));
        assert_ne!(ring.derive("a"), ring.derive("b"));
        assert!(Keyring::parse("short").is_none());
    }
}
