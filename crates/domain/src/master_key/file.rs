//! A master key in a file.

use super::{
    KeyAdoption, KeyFingerprint, MasterKey, MasterKeyError, MasterKeyProvider, NextKeyRequest, SoftwareKey,
};
use crate::keyring::{KEY_BYTES, parse_key, take_secret};
use base::{Environment, Secret};
use std::{
    io::{ErrorKind, Read as _, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The most bytes of a key file that are read; a key has 64, and may have blanks around it.
const MAX_KEY_FILE_BYTES: usize = 256;

/// The master key is in a file: 64 hexadecimal digits, readable for its owner alone.
#[derive(Debug)]
pub struct FileProvider {
    path: PathBuf,
}

impl FileProvider {
    /// The key in this file.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where the new key waits until it takes the file's place.
    fn next_path(&self) -> PathBuf {
        self.sibling("new")
    }

    /// Fails if the file has neither the former key nor `next`, which could not take its place then.
    fn require_place(
        &self,
        former: &KeyFingerprint,
        next: Option<&KeyFingerprint>,
    ) -> Result<(), MasterKeyError> {
        let Some(present) = read_key_file(&self.path, true)? else { return Ok(()) };
        let found = present.fingerprint();
        if found == former || Some(found) == next {
            return Ok(());
        }
        Err(MasterKeyError::PlaceTaken { place: self.place(), found: found.clone() })
    }

    fn sibling(&self, ending: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".");
        name.push(ending);
        name.into()
    }
}

impl MasterKeyProvider for FileProvider {
    fn place(&self) -> String {
        format!("the file {}", self.path.display())
    }

    fn load(&self) -> Result<Vec<Arc<dyn MasterKey>>, MasterKeyError> {
        let key = read_key_file(&self.path, true)?;
        Ok(key.into_iter().map(|key| Arc::new(key) as Arc<dyn MasterKey>).collect())
    }

    fn create(&self, environment: &dyn Environment) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
        write_key_file(&self.path, &random_key(environment))?;
        Ok(Arc::new(require_key_file(&self.path)?))
    }

    fn prepare_next(
        &self,
        environment: &dyn Environment,
        request: &NextKeyRequest<'_>,
    ) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
        let path = self.next_path();
        let waiting = read_key_file(&path, true)?;
        if let Some(file) = request.file {
            let given = require_key_file(file)?;
            if request.known.contains(given.fingerprint()) {
                return require_new(given, &file.display().to_string(), request.known);
            }
            self.require_place(request.former, Some(given.fingerprint()))?;
            match waiting {
                Some(waiting) if waiting.fingerprint() != given.fingerprint() => {
                    let found = waiting.fingerprint().clone();
                    return Err(MasterKeyError::NextKeyInTheWay { path: path.display().to_string(), found });
                }
                Some(_) => {}
                None => write_key_file(&path, &given.bytes)?,
            }
            return Ok(Arc::new(given));
        }
        self.require_place(request.former, waiting.as_ref().map(MasterKey::fingerprint))?;
        if waiting.is_none() {
            write_key_file(&path, &random_key(environment))?;
        }
        let key = require_key_file(&path)?;
        require_new(key, &path.display().to_string(), request.known)
    }

    /// The former key stays beside the new one, under its fingerprint: backups from before need it. At each moment the file
    /// is the former key or the new one, as a whole; or none, if the key moves here from another place.
    fn adopt_next(
        &self,
        former: &KeyFingerprint,
        next: &KeyFingerprint,
    ) -> Result<KeyAdoption, MasterKeyError> {
        let failed = |cause| MasterKeyError::File { path: self.path.display().to_string(), cause };
        let former_path = self.sibling(former.as_str());
        let present = read_key_file(&self.path, true)?;
        let waiting = read_key_file(&self.next_path(), true)?;
        let is_waiting = waiting.is_some_and(|key| key.fingerprint() == next);
        if present.as_ref().is_some_and(|key| key.fingerprint() == next) {
            // What is left of a call that was interrupted between link and removal, or of a key that was copied here.
            if is_waiting {
                std::fs::remove_file(self.next_path()).map_err(failed)?;
            }
            return Ok(KeyAdoption::InPlace(Some(former_path).filter(|path| path.exists())));
        }
        if present.is_none() && is_waiting {
            // A link replaces no file that has appeared meanwhile, as a rename would.
            std::fs::hard_link(self.next_path(), &self.path).map_err(failed)?;
            sync_folder(&self.path).map_err(failed)?;
            std::fs::remove_file(self.next_path()).map_err(failed)?;
            return Ok(KeyAdoption::InPlace(None));
        }
        let is_former = present.is_some_and(|key| key.fingerprint() == former);
        if !is_former || !is_waiting {
            return Err(MasterKeyError::NotInPlace {
                place: self.place(),
                former: former.clone(),
                next: next.clone(),
            });
        }
        match std::fs::hard_link(&self.path, &former_path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => {}
        }
        std::fs::rename(self.next_path(), &self.path).map_err(failed)?;
        sync_folder(&self.path).map_err(failed)?;
        Ok(KeyAdoption::InPlace(Some(former_path)))
    }
}

/// Reads a key file; `None` if there is none. With `private`, a file that others can read or change is refused.
pub(super) fn read_key_file(path: &Path, private: bool) -> Result<Option<SoftwareKey>, MasterKeyError> {
    let Some(text) = read_private_file(path, private)? else { return Ok(None) };
    let key = parse_key(text.trimmed())
        .ok_or_else(|| MasterKeyError::Malformed(format!("the file {}", path.display())))?;
    Ok(Some(SoftwareKey::new(key)))
}

/// What a short file contains.
pub(super) struct PrivateText {
    bytes: Secret<Vec<u8>>,
    length: usize,
}

impl PrivateText {
    /// The text, without blanks around it.
    pub(super) fn trimmed(&self) -> &[u8] {
        self.bytes.expose()[..self.length].trim_ascii()
    }
}

/// The first bytes of a file; `None` if there is none. They are read into memory that does not grow, because growing would
/// leave copies behind.
pub(super) fn read_private_file(path: &Path, private: bool) -> Result<Option<PrivateText>, MasterKeyError> {
    let failed = |cause| MasterKeyError::File { path: path.display().to_string(), cause };
    let mut file = match std::fs::File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o777;
    if private && mode & 0o077 != 0 {
        return Err(MasterKeyError::Exposed { path: path.display().to_string(), mode });
    }
    let mut bytes = Secret::new(vec![0; MAX_KEY_FILE_BYTES]);
    let mut length = 0;
    loop {
        match file.read(&mut bytes.expose_mut()[length..]).map_err(failed)? {
            0 => return Ok(Some(PrivateText { bytes, length })),
            read => length += read,
        }
    }
}

fn require_key_file(path: &Path) -> Result<SoftwareKey, MasterKeyError> {
    let gone =
        || MasterKeyError::File { path: path.display().to_string(), cause: ErrorKind::NotFound.into() };
    read_key_file(path, true)?.ok_or_else(gone)
}

/// The key, unless the database knows it already.
pub(super) fn require_new(
    key: SoftwareKey,
    place: &str,
    known: &[KeyFingerprint],
) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
    if known.contains(key.fingerprint()) {
        let fingerprint = key.fingerprint().clone();
        return Err(MasterKeyError::NextKeyKnown { place: place.to_owned(), fingerprint });
    }
    Ok(Arc::new(key))
}

fn random_key(environment: &dyn Environment) -> Secret<[u8; KEY_BYTES]> {
    let mut key = [0; KEY_BYTES];
    environment.fill_random(&mut key);
    take_secret(&mut key)
}

/// Writes a key to a temporary file, and renames that to `path` unless another process was first: processes that start at
/// the same moment agree on one key, and one that dies here leaves a complete file or none.
fn write_key_file(path: &Path, key: &Secret<[u8; KEY_BYTES]>) -> Result<(), MasterKeyError> {
    let failed = |cause| MasterKeyError::File { path: path.display().to_string(), cause };
    let mut digits = Secret::new(vec![0; 2 * KEY_BYTES]);
    hex::encode_to_slice(key.expose(), digits.expose_mut()).expect("two digits for each byte");
    let write = || {
        // A named temporary file is readable by its owner alone.
        let mut file = tempfile::NamedTempFile::new_in(folder_of(path))?;
        file.write_all(digits.expose())?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(path) {
            // The directory entry must be on disk, too, before anything is encrypted.
            Ok(_) => sync_folder(path),
            Err(failed) if failed.error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(failed) => Err(failed.error),
        }
    };
    write().map_err(failed)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn sync_folder(path: &Path) -> std::io::Result<()> {
    std::fs::File::open(folder_of(path))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{SystemEnvironment, TestEnvironment};

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn processes_that_start_at_the_same_moment_get_the_same_key() {
        for _ in 0..50 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("master.key");
            let start = std::sync::Barrier::new(8);
            let open = || {
                start.wait();
                FileProvider::new(path.clone()).create(&SystemEnvironment).unwrap().fingerprint().clone()
            };
            let keys: Vec<_> = std::thread::scope(|scope| {
                let opened: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
                opened.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(keys.iter().all(|key| *key == keys[0]));
            let left: Vec<_> =
                std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            assert_eq!(left, std::slice::from_ref(&path), "nothing else is left");
            assert_eq!(mode(&path), 0o600);
        }
    }

    #[test]
    fn a_file_that_others_can_read_is_refused_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        let provider = FileProvider::new(path.clone());
        assert!(provider.load().unwrap().is_empty());
        let key = provider.create(&SystemEnvironment).unwrap();
        for exposed in [0o640, 0o604, 0o660, 0o644] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(exposed)).unwrap();
            let refused = provider.load().unwrap_err().to_string();
            assert!(refused.contains(&format!("chmod 600 {}", path.display())), "{refused}");
            assert!(refused.contains(&format!("{exposed:04o}")), "{refused}");
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o400)).unwrap();
        assert_eq!(provider.load().unwrap()[0].fingerprint(), key.fingerprint());

        for text in ["", "ab", &"zz".repeat(32), &"ab".repeat(33), &"ab".repeat(500)] {
            std::fs::remove_file(&path).unwrap();
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
            assert!(matches!(provider.load(), Err(MasterKeyError::Malformed(_))), "{text}");
        }
        std::fs::write(&path, format!(" {}\n", "ab".repeat(32))).unwrap();
        assert_eq!(provider.load().unwrap().len(), 1, "an editor's line end does not matter");
    }

    #[test]
    fn a_new_key_takes_the_place_however_often_it_is_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("master.key");
        let environment = TestEnvironment::at("2026-01-16T14:40:00Z");
        let provider = FileProvider::new(path.clone());
        let former = provider.create(&environment).unwrap();
        let known = [former.fingerprint().clone()];
        let request = NextKeyRequest { file: None, former: former.fingerprint(), known: &known };
        let next = provider.prepare_next(&environment, &request).unwrap();
        assert_eq!(
            provider.prepare_next(&environment, &request).unwrap().fingerprint(),
            next.fingerprint(),
            "a second call finds what the first has made"
        );
        assert_eq!(provider.load().unwrap()[0].fingerprint(), former.fingerprint());

        // A call that was interrupted after the link, before the rename.
        let kept = folder.path().join(format!("master.key.{}", former.fingerprint()));
        std::fs::hard_link(&path, &kept).unwrap();
        let adopted = KeyAdoption::InPlace(Some(kept.clone()));
        assert_eq!(provider.adopt_next(former.fingerprint(), next.fingerprint()).unwrap(), adopted);
        assert_eq!(provider.load().unwrap()[0].fingerprint(), next.fingerprint());
        assert_eq!(read_key_file(&kept, true).unwrap().unwrap().fingerprint(), former.fingerprint());
        assert!(!path.with_extension("key.new").exists());
        assert_eq!(provider.adopt_next(former.fingerprint(), next.fingerprint()).unwrap(), adopted);
        assert_eq!(mode(&path), 0o600);
    }

    #[test]
    fn a_new_key_can_be_brought_and_must_be_new() {
        let folder = tempfile::tempdir().unwrap();
        let environment = TestEnvironment::at("2026-01-16T14:40:00Z");
        let provider = FileProvider::new(folder.path().join("master.key"));
        let former = provider.create(&environment).unwrap();
        let known = [former.fingerprint().clone()];
        let given = folder.path().join("given");
        let request = NextKeyRequest { file: Some(&given), former: former.fingerprint(), known: &known };
        assert!(matches!(provider.prepare_next(&environment, &request), Err(MasterKeyError::File { .. })));
        std::fs::copy(folder.path().join("master.key"), &given).unwrap();
        let refused = provider.prepare_next(&environment, &request);
        assert!(matches!(refused, Err(MasterKeyError::NextKeyKnown { .. })), "{refused:?}");
    }
}
