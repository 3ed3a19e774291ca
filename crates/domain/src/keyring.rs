//! The master key, from which every other key of the server is derived.

use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use base::{Environment, Secret};
use std::{io::Write as _, path::Path};

/// Derives a key for each purpose (HKDF-SHA256, RFC 5869) from 32 random bytes that are never stored in the database,
/// so that a stolen database alone reveals nothing.
#[derive(Clone, Debug)]
pub struct Keyring(Secret<[u8; 32]>);

/// Why the master key could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    /// The file cannot be read or written.
    #[error("the master key {path} cannot be used: {cause}")]
    File { path: String, cause: std::io::Error },
    /// The file at this path is not 64 hexadecimal digits.
    #[error(
        "the master key {0} is not 64 hexadecimal digits; restore it from your backup: without it, encrypted data is lost"
    )]
    Malformed(String),
}

struct OkmLength;
impl KeyType for OkmLength {
    fn len(&self) -> usize {
        32
    }
}

impl Keyring {
    /// Reads the key file, or creates it (mode 0600) if there is none. Processes that start at the same moment agree on
    /// one key, and one that dies here leaves a complete file or none.
    pub fn open(path: &Path, env: &dyn Environment) -> Result<Self, KeyringError> {
        let failed = |cause| KeyringError::File { path: path.display().to_string(), cause };
        match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Self::create(path, env).map_err(failed)?;
                Self::parse_file(path, &std::fs::read_to_string(path).map_err(failed)?)
            }
            read => Self::parse_file(path, &read.map_err(failed)?),
        }
    }

    /// Writes a new key to a temporary file, and renames that to `path` unless another process was first.
    fn create(path: &Path, env: &dyn Environment) -> std::io::Result<()> {
        let mut key = [0; 32];
        env.fill_random(&mut key);
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // A named temporary file is readable by its owner alone.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(hex::encode(key).as_bytes())?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(path) {
            // The directory entry must be on disk, too, before anything is encrypted.
            Ok(_) => std::fs::File::open(folder)?.sync_all(),
            Err(failed) if failed.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            Err(failed) => Err(failed.error),
        }
    }

    fn parse_file(path: &Path, text: &str) -> Result<Self, KeyringError> {
        Self::parse(text).ok_or_else(|| KeyringError::Malformed(path.display().to_string()))
    }

    /// Parses 64 hexadecimal digits, for example from a secret store.
    pub fn parse(text: &str) -> Option<Self> {
        let mut key = [0; 32];
        hex::decode_to_slice(text.trim(), &mut key).ok()?;
        Some(Self(Secret::new(key)))
    }

    /// The key for a purpose. The same purpose always gives the same key.
    pub fn derive(&self, purpose: &'static str) -> Secret<[u8; 32]> {
        let mut key = [0; 32];
        Salt::new(HKDF_SHA256, b"assay/1")
            .extract(self.0.expose())
            .expand(&[purpose.as_bytes()], OkmLength)
            .and_then(|okm| okm.fill(&mut key))
            .expect("32 bytes are far below HKDF's limit of 8160");
        Secret::new(key)
    }
}

/// Creates a file that only its owner can read. Fails if the file exists.
pub fn create_private_file(path: &Path) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn each_purpose_has_its_own_constant_key() {
        let ring = Keyring::parse(&"ab".repeat(32)).unwrap();
        assert_eq!(ring.derive("a"), ring.derive("a"));
        assert_ne!(ring.derive("a"), ring.derive("b"));
        assert!(Keyring::parse("short").is_none());
    }

    #[test]
    fn processes_that_start_at_the_same_moment_get_the_same_key() {
        for _ in 0..50 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("master.key");
            let start = std::sync::Barrier::new(8);
            let open = || {
                start.wait();
                Keyring::open(&path, &base::SystemEnvironment).unwrap().derive("a")
            };
            let keys: Vec<_> = std::thread::scope(|scope| {
                let opened: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
                opened.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(keys.iter().all(|key| *key == keys[0]));
            let left: Vec<_> =
                std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            assert_eq!(left, std::slice::from_ref(&path), "nothing else is left");
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
