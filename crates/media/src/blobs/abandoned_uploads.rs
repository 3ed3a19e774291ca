//! Cleans up unfinished uploads in a folder, which remain when the server dies during them: files named like their
//! blob, with `#` and a number appended.

use super::BlobError;
use base::Timestamp;
use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

/// Removes a folder with everything in it. A folder that does not exist counts as removed.
pub(super) async fn remove_folder(folder: PathBuf) -> Result<(), BlobError> {
    blocking(move || fs::remove_dir_all(folder).or_else(ignore_not_found)).await
}

/// Removes unfinished uploads that were last written to before a moment; returns how many.
pub(super) async fn remove_abandoned(folder: PathBuf, before: Timestamp) -> Result<u64, BlobError> {
    blocking(move || remove_abandoned_in_folder(&folder, before)).await
}

fn remove_abandoned_in_folder(folder: &Path, before: Timestamp) -> io::Result<u64> {
    let mut removed = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // A file that vanishes meanwhile was removed or renamed by another process.
        removed += remove_abandoned_entry(&entry, before).or_else(ignore_not_found)?;
    }
    Ok(removed)
}

fn remove_abandoned_entry(entry: &fs::DirEntry, before: Timestamp) -> io::Result<u64> {
    if entry.file_type()?.is_dir() {
        return remove_abandoned_in_folder(&entry.path(), before);
    }
    let touched = Timestamp::try_from(entry.metadata()?.modified()?).unwrap_or(Timestamp::MAX);
    if !is_unfinished(&entry.file_name()) || touched >= before {
        return Ok(0);
    }
    fs::remove_file(entry.path())?;
    Ok(1)
}

fn is_unfinished(name: &OsStr) -> bool {
    let number = name.to_str().and_then(|name| name.rsplit_once('#'));
    number.is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

fn ignore_not_found<T: Default>(error: io::Error) -> io::Result<T> {
    if error.kind() == io::ErrorKind::NotFound { Ok(T::default()) } else { Err(error) }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, BlobError> {
    let done = tokio::task::spawn_blocking(work).await.map_err(io::Error::from).flatten();
    done.map_err(|error| {
        BlobError::Unavailable(object_store::Error::Generic { store: "folder", source: Box::new(error) })
    })
}
