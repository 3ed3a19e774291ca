//! Document readers that are loaded already, for whoever reads next.

use documents::reading::DocumentReader;
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// Idle readers, each with its own nets. There are never more than there are workers of the models, as a reader is used
/// on a worker's thread; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct ReaderPool {
    /// The folder of the models.
    folder: PathBuf,
    idle: Arc<Mutex<Vec<DocumentReader>>>,
}

impl ReaderPool {
    pub(in crate::document_verification) fn new(folder: PathBuf) -> Self {
        Self { folder, idle: Arc::default() }
    }

    /// Runs work with an idle reader, or with one that is loaded for it; call this on a worker's thread.
    pub(super) fn with_reader<T>(&self, work: impl FnOnce(&mut DocumentReader) -> T) -> Result<T, String> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => DocumentReader::load(&self.folder).map_err(|error| error.to_string())?,
        };
        let result = work(&mut reader);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
        Ok(result)
    }
}
