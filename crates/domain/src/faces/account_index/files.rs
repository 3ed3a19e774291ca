//! The files of an account's index. Each process of a machine has a file of its own, which it locks.

use crate::faces::FaceIndexError;
use base::Secret;
use search::{FaceIndex, IndexError};
use std::path::Path;

/// How many processes may share a folder, each with a file of its own.
const MAX_PROCESSES_PER_FOLDER: usize = 16;

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
        let name = if number == 0 { format!("{prefix}.idx") } else { format!("{prefix}.{number}.idx") };
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
    tokio::task::spawn_blocking(move || span.in_scope(work)).await.map_err(std::io::Error::other)?
}
