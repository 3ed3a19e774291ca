//! The files of an account's index. Each process of a machine has a file of its own, which it locks.

use crate::faces::FaceIndexError;
use base::{Secret, Uuid};
use search::{FaceIndex, IndexError};
use std::{path::Path, time::SystemTime};

/// How many processes may share a folder, each with a file of its own.
const MAX_PROCESSES_PER_FOLDER: usize = 16;
const INDEX_FILE_SUFFIX: &str = ".idx";
/// What the name of a file of codes has behind that of its index file.
const CODE_FILE_SUFFIX: &str = ".codes";

/// Opens the index file of a model. It is created if there is none, or replaced if it is damaged. Files of other models are
/// deleted.
pub(super) fn open_index_file(
    folder: &Path,
    space: &search::IndexSpace,
    key: &Secret<[u8; 32]>,
) -> Result<FaceIndex, FaceIndexError> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let prefix = hex::encode(&space.model[..8]);
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let same_model =
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(&prefix));
        if !same_model {
            std::fs::remove_file(path)?;
        }
    }
    for number in 0..MAX_PROCESSES_PER_FOLDER {
        let suffix = if number == 0 { String::new() } else { format!(".{number}") };
        let name = format!("{prefix}{suffix}{INDEX_FILE_SUFFIX}");
        let path = folder.join(name);
        match FaceIndex::open(&path, space, key) {
            // Another process of this machine has this file open.
            Err(IndexError::InUse) => {}
            Err(error @ (IndexError::NotAnIndex | IndexError::KeyMismatch | IndexError::SpaceMismatch)) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the file of a face index is replaced by an empty one"
                );
                std::fs::remove_file(&path)?;
                return Ok(FaceIndex::open(&path, space, key)?);
            }
            other => return Ok(other?),
        }
    }
    Err(IndexError::InUse.into())
}

/// Deletes the index files of a folder that no process has open, with their files of codes, unless `keep` says
/// otherwise. `keep` gets the name of a file and the time of its last change. Returns how many were deleted.
pub(super) fn delete_idle_files(
    folder: &Path,
    keep: impl Fn(&str, SystemTime) -> bool,
) -> Result<u64, FaceIndexError> {
    let mut deleted = 0;
    for name in file_names(folder)?.iter().filter(|name| name.ends_with(INDEX_FILE_SUFFIX)) {
        let path = folder.join(name);
        let file = match std::fs::File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            opened => opened?,
        };
        // While it is locked here, nobody opens it: they take the next number.
        if file.try_lock().is_err() || keep(name, file.metadata()?.modified()?) {
            continue;
        }
        std::fs::remove_file(&path)?;
        match std::fs::remove_file(folder.join(format!("{name}{CODE_FILE_SUFFIX}"))) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => deleted += 1,
        }
    }
    Ok(deleted)
}

/// The ids of the faces in all index files of a folder, whichever process has them open.
pub(super) fn read_face_ids(folder: &Path) -> Result<Vec<Uuid>, FaceIndexError> {
    let mut ids = Vec::new();
    for name in file_names(folder)?.iter().filter(|name| name.ends_with(INDEX_FILE_SUFFIX)) {
        match search::read_face_ids(&folder.join(name)) {
            // It was deleted, or is being written for the first time.
            Err(IndexError::NotAnIndex) => {}
            Err(IndexError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
            read => ids.extend(read?),
        }
    }
    Ok(ids)
}

/// Whether a file is the first of its model: the one that a process opens if no other has it.
pub(super) fn is_first_file(name: &str) -> bool {
    name.strip_suffix(INDEX_FILE_SUFFIX).is_some_and(|stem| !stem.contains('.'))
}

/// The names of the entries of a folder; none if there is no folder.
pub(super) fn file_names(folder: &Path) -> Result<Vec<String>, FaceIndexError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Does work that reads files or takes long on a thread of its own, so that it does not hold up requests.
pub(in crate::faces) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FaceIndexError> + Send + 'static,
) -> Result<T, FaceIndexError> {
    let span = tracing::Span::current();
    tokio::task::spawn_blocking(move || span.in_scope(work)).await.map_err(std::io::Error::from)?
}
