//! Blobs: bytes that are too large for the database, encrypted at rest, in a folder or in S3.
//!
//! A blob exists either whole or not at all, and reading returns what was written or [`BlobError::Damaged`]. Its key
//! starts with its tenant, so that all blobs of a tenant can be deleted together.

mod abandoned_uploads;
mod backend;
mod encryption;
mod key;
mod upload;

pub use backend::{BlobBackend, BlobBackendError};
pub use key::{BlobKey, BlobKeyError, BlobKeySegment, BlobPrefix};

use base::{Environment, Secret, Timestamp};
use encryption::{BlobCipher, BlobSealer, ChunkLayout, HEADER_BYTES};
use futures_util::{StreamExt as _, TryStreamExt as _, future::ready, stream::BoxStream};
use object_store::{
    GetOptions, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutPayload,
    path::{Path, PathPart},
};
use std::{io, ops::Range, sync::Arc};

/// Why a blob cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    #[error("there is no such blob")]
    Missing,
    /// There are more bytes than the limit allows; nothing was stored.
    #[error("the blob has more than {limit} bytes")]
    TooLarge {
        /// The limit, bytes.
        limit: u64,
    },
    /// The stored bytes are not those that were written, or were written under another key.
    #[error("the blob is damaged, or was sealed with another key")]
    Damaged,
    /// The disk or quota is full; nothing was stored.
    #[error("there is no room left for blobs")]
    Full,
    /// The reader that supplies the bytes failed; nothing was stored.
    #[error("the bytes to store broke off: {0}")]
    BrokeOff(#[source] io::Error),
    /// The backend does not respond, or refuses the request.
    #[error("the place where blobs are kept is unavailable: {0}")]
    Unavailable(#[source] object_store::Error),
}

impl BlobError {
    fn reading(error: object_store::Error) -> Self {
        match error {
            object_store::Error::NotFound { .. } => Self::Missing,
            other => Self::Unavailable(other),
        }
    }

    fn writing(error: object_store::Error) -> Self {
        let first: &(dyn std::error::Error + 'static) = &error;
        let full = std::iter::successors(Some(first), |error| error.source())
            .filter_map(|error| error.downcast_ref::<io::Error>())
            .any(|error| matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded));
        if full { Self::Full } else { Self::Unavailable(error) }
    }
}

/// A stored blob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobInfo {
    pub key: BlobKey,
    /// Size of its ciphertext, bytes.
    pub stored_bytes: u64,
    /// When it was written, by the backend's clock.
    pub written_at: Timestamp,
}

/// The blobs of one backend under one data key; cheap to clone.
#[derive(Clone)]
pub struct BlobStore(Arc<BlobStoreInner>);

struct BlobStoreInner {
    backend: backend::OpenedBackend,
    data_key: Secret<[u8; 32]>,
    environment: Arc<dyn Environment>,
}

// The derived `Debug` of the store would print the access key.
impl std::fmt::Debug for BlobStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Blobs({})", self.0.backend.store)
    }
}

impl BlobStore {
    /// Opens a backend. `data_key` encrypts the blobs: without it they cannot be decrypted, so it must be kept as long
    /// as they are.
    pub fn open(
        place: &BlobBackend,
        data_key: Secret<[u8; 32]>,
        environment: Arc<dyn Environment>,
    ) -> Result<Self, BlobBackendError> {
        Ok(Self(Arc::new(BlobStoreInner { backend: backend::open(place)?, data_key, environment })))
    }

    /// The same backend with another data key: what is stored through it cannot be decrypted once that key is gone.
    #[must_use]
    pub fn with_data_key(&self, data_key: Secret<[u8; 32]>) -> Self {
        let BlobStoreInner { backend: place, environment, .. } = &*self.0;
        Self(Arc::new(BlobStoreInner { backend: place.clone(), data_key, environment: environment.clone() }))
    }

    /// Stores bytes under a key, replacing any blob that is there.
    pub async fn put(&self, key: &BlobKey, bytes: &[u8]) -> Result<(), BlobError> {
        self.put_sealed(key, self.sealer(key).seal_all(bytes)).await
    }

    /// Reads a whole blob; large ones are better read in ranges.
    pub async fn get(&self, key: &BlobKey) -> Result<Vec<u8>, BlobError> {
        let found = self.store().get(&self.path(key)).await.map_err(BlobError::reading)?;
        let layout = ChunkLayout::of(found.meta.size)?;
        let mut bytes = read_object(found).await?;
        let header = bytes.get(..HEADER_BYTES).ok_or(BlobError::Damaged)?;
        let cipher = BlobCipher::of(&self.0.data_key, header, key)?;
        bytes.drain(..HEADER_BYTES);
        cipher.open(&mut bytes, layout.all(), &layout)?;
        Ok(bytes)
    }

    /// Reads a blob from `range.start` up to, but not including, `range.end`. Returns fewer bytes, or none, if the blob
    /// ends sooner. Fetches and decrypts only the chunks of 64 KiB that it needs.
    pub async fn get_range(&self, key: &BlobKey, range: Range<u64>) -> Result<Vec<u8>, BlobError> {
        let path = self.path(key);
        // A range takes three requests; the second and third require the version that the first one saw. If the blob is
        // replaced in between, reading starts again, up to three times in all.
        let mut tries = 0;
        loop {
            tries += 1;
            match self.read_range(key, &path, &range).await {
                Err(BlobError::Unavailable(object_store::Error::Precondition { .. })) if tries < 3 => {}
                done => return done,
            }
        }
    }

    async fn read_range(&self, key: &BlobKey, path: &Path, range: &Range<u64>) -> Result<Vec<u8>, BlobError> {
        let meta = self.store().head(path).await.map_err(BlobError::reading)?;
        let layout = ChunkLayout::of(meta.size)?;
        let part = async |range: Range<u64>| {
            let options = GetOptions::new().with_range(Some(range)).with_if_match(meta.e_tag.clone());
            read_object(self.store().get_opts(path, options).await.map_err(BlobError::reading)?).await
        };
        let header = part(0..HEADER_BYTES as u64).await?;
        let cipher = BlobCipher::of(&self.0.data_key, &header, key)?;
        let chunks = layout.covering(range);
        let stored = encryption::stored_range(&chunks);
        let mut bytes = part(stored.start..stored.end.min(meta.size)).await?;
        let first = encryption::plain_start(*chunks.start());
        cipher.open(&mut bytes, chunks, &layout)?;

        let within = |at: u64| at.saturating_sub(first).min(bytes.len() as u64) as usize;
        let (start, end) = (within(range.start), within(range.end));
        bytes.truncate(end);
        bytes.drain(..start.min(end));
        Ok(bytes)
    }

    /// The number of plaintext bytes, as far as the backend tells; only reading the blob proves it.
    pub async fn size(&self, key: &BlobKey) -> Result<u64, BlobError> {
        let meta = self.store().head(&self.path(key)).await.map_err(BlobError::reading)?;
        Ok(ChunkLayout::of(meta.size)?.plain)
    }

    pub async fn exists(&self, key: &BlobKey) -> Result<bool, BlobError> {
        match self.store().head(&self.path(key)).await.map_err(BlobError::reading) {
            Ok(_) => Ok(true),
            Err(BlobError::Missing) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Deletes a blob. One that does not exist counts as deleted.
    pub async fn delete(&self, key: &BlobKey) -> Result<(), BlobError> {
        match self.store().delete(&self.path(key)).await.map_err(BlobError::reading) {
            Ok(()) | Err(BlobError::Missing) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Deletes every blob under a prefix and, in a folder, the unfinished uploads there; returns the number of blobs.
    pub async fn delete_prefix(&self, prefix: &BlobPrefix) -> Result<u64, BlobError> {
        let under = self.prefix(prefix);
        let found = self.store().list(Some(&under)).map_ok(|meta| meta.location).boxed();
        let deleted = self
            .store()
            .delete_stream(found)
            .map(|deleted| match deleted.map_err(BlobError::reading) {
                Ok(_) => Ok(1),
                Err(BlobError::Missing) => Ok(0),
                Err(error) => Err(error),
            })
            .try_fold(0, |sum: u64, one| ready(Ok(sum + one)))
            .await?;
        if let Some(folder) = &self.0.backend.folder {
            let folder = prefix.parts().fold(folder.clone(), |folder, part| folder.join(part));
            abandoned_uploads::remove_folder(folder).await?;
        }
        Ok(deleted)
    }

    /// Lists the blobs under a prefix, in no particular order. Objects whose names are not keys of blobs are left out.
    pub fn list(&self, prefix: &BlobPrefix) -> BoxStream<'static, Result<BlobInfo, BlobError>> {
        let root = self.0.backend.prefix.clone();
        self.store()
            .list(Some(&self.prefix(prefix)))
            .filter_map(move |found| {
                ready(match found {
                    Ok(meta) => blob_info(&root, &meta).map(Ok),
                    Err(error) => Some(Err(BlobError::reading(error))),
                })
            })
            .boxed()
    }

    /// Lists the tenants that have blobs: the first segment of each key, unparsed.
    pub async fn tenants(&self) -> Result<Vec<String>, BlobError> {
        let root = &self.0.backend.prefix;
        let found = self.store().list_with_delimiter(Some(root)).await.map_err(BlobError::reading)?;
        let name = |path: Path| path.parts().next_back().map(|part| part.as_ref().to_owned());
        Ok(found.common_prefixes.into_iter().filter_map(name).collect())
    }

    /// Removes unfinished uploads from a folder that were started before a moment and never ended because the server
    /// died; returns how many. On S3 a lifecycle rule of the bucket does this, see [`BlobBackend::S3`].
    pub async fn remove_abandoned_uploads(&self, begun_before: Timestamp) -> Result<u64, BlobError> {
        match &self.0.backend.folder {
            Some(folder) => abandoned_uploads::remove_abandoned(folder.clone(), begun_before).await,
            None => Ok(0),
        }
    }

    fn store(&self) -> &dyn ObjectStore {
        &*self.0.backend.store
    }

    fn sealer(&self, key: &BlobKey) -> BlobSealer {
        BlobSealer::new(&self.0.data_key, &*self.0.environment, key)
    }

    async fn put_sealed(&self, key: &BlobKey, sealed: Vec<u8>) -> Result<(), BlobError> {
        self.store().put(&self.path(key), PutPayload::from(sealed)).await.map_err(BlobError::writing)?;
        Ok(())
    }

    fn path(&self, key: &BlobKey) -> Path {
        key.parts().into_iter().fold(self.0.backend.prefix.clone(), Path::join)
    }

    fn prefix(&self, prefix: &BlobPrefix) -> Path {
        prefix.parts().fold(self.0.backend.prefix.clone(), Path::join)
    }
}

/// Converts the store's metadata; `None` if the name is not the key of a blob.
fn blob_info(root: &Path, meta: &ObjectMeta) -> Option<BlobInfo> {
    let name: Vec<_> = meta.location.prefix_match(root)?.collect();
    let key = name.iter().map(PathPart::as_ref).collect::<Vec<_>>().join("/").parse().ok()?;
    let written = Timestamp::from_microsecond(meta.last_modified.timestamp_micros()).ok()?;
    Some(BlobInfo { key, stored_bytes: meta.size, written_at: written })
}

async fn read_object(found: GetResult) -> Result<Vec<u8>, BlobError> {
    Ok(found.bytes().await.map_err(BlobError::reading)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store_said(error: io::Error) -> BlobError {
        BlobError::writing(object_store::Error::Generic { store: "folder", source: Box::new(error) })
    }

    #[test]
    fn a_full_disk_is_told_from_a_broken_one() {
        assert!(matches!(store_said(io::ErrorKind::StorageFull.into()), BlobError::Full));
        assert!(matches!(store_said(io::ErrorKind::QuotaExceeded.into()), BlobError::Full));
        assert!(matches!(store_said(io::ErrorKind::PermissionDenied.into()), BlobError::Unavailable(_)));
    }
}
