//! Blobs: bytes too large for the database, encrypted at rest, in a folder or in S3.
//!
//! A blob is there whole or not at all, and what is read is what was written or [`Error::Damaged`]. Its key starts with
//! its tenant, so that a tenant's blobs are deleted as one.

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

/// Why a blob cannot be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// There is no such blob.
    #[error("there is no such blob")]
    Missing,
    /// There is more to store than may be; nothing was stored.
    #[error("the blob has more than {limit} bytes")]
    TooLarge {
        /// The most bytes there may be.
        limit: u64,
    },
    /// What is stored is not what was written, or was written under another key.
    #[error("the blob is damaged, or was sealed with another key")]
    Damaged,
    /// There is no room left; nothing was stored.
    #[error("there is no room left for blobs")]
    Full,
    /// The reader that was to be stored broke off; nothing was stored.
    #[error("the bytes to store broke off: {0}")]
    BrokeOff(#[source] io::Error),
    /// The place does not answer, or refuses.
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

/// A blob that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobInfo {
    /// Its key.
    pub key: BlobKey,
    /// Bytes it takes, sealed.
    pub stored_bytes: u64,
    /// When it was written, by the clock of the place.
    pub written_at: Timestamp,
}

/// Blobs of one place under one data key; cheap to clone.
#[derive(Clone)]
pub struct BlobStore(Arc<BlobStoreInner>);

struct BlobStoreInner {
    backend: backend::OpenedBackend,
    data_key: Secret<[u8; 32]>,
    world: Arc<dyn Environment>,
}

// The store's own Debug knows the access key.
impl std::fmt::Debug for BlobStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Blobs({})", self.0.backend.store)
    }
}

impl BlobStore {
    /// Opens a place. `data_key` seals the blobs: without it they are noise, so it must outlive them.
    pub fn open(
        place: &BlobBackend,
        data_key: Secret<[u8; 32]>,
        world: Arc<dyn Environment>,
    ) -> Result<Self, BlobBackendError> {
        Ok(Self(Arc::new(BlobStoreInner { backend: backend::open(place)?, data_key, world })))
    }

    /// The same place under another data key: what is kept so is noise once that key is gone.
    #[must_use]
    pub fn with_data_key(&self, data_key: Secret<[u8; 32]>) -> Self {
        let BlobStoreInner { backend: place, world, .. } = &*self.0;
        Self(Arc::new(BlobStoreInner { backend: place.clone(), data_key, world: world.clone() }))
    }

    /// Keeps bytes under a key. A blob that was there is replaced.
    pub async fn put(&self, key: &BlobKey, bytes: &[u8]) -> Result<(), BlobError> {
        self.put_sealed(key, self.sealer(key).seal_all(bytes)).await
    }

    /// The bytes of a blob, all of them; large ones are better read in ranges.
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

    /// The bytes of a blob from `range.start` to before `range.end`; fewer, down to none, where the blob ends sooner.
    /// Reads and opens only the chunks of 64 KiB that it needs.
    pub async fn get_range(&self, key: &BlobKey, range: Range<u64>) -> Result<Vec<u8>, BlobError> {
        let path = self.path(key);
        // Three requests for one blob: each of the later asks for the same version. A blob that is replaced in between
        // is read anew, one that is replaced all the time is not read.
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

    /// How many bytes a blob has, as far as the place knows: only reading proves it.
    pub async fn size(&self, key: &BlobKey) -> Result<u64, BlobError> {
        let meta = self.store().head(&self.path(key)).await.map_err(BlobError::reading)?;
        Ok(ChunkLayout::of(meta.size)?.plain)
    }

    /// Whether there is such a blob.
    pub async fn exists(&self, key: &BlobKey) -> Result<bool, BlobError> {
        match self.store().head(&self.path(key)).await.map_err(BlobError::reading) {
            Ok(_) => Ok(true),
            Err(BlobError::Missing) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Deletes a blob. One that is not there is deleted already.
    pub async fn delete(&self, key: &BlobKey) -> Result<(), BlobError> {
        match self.store().delete(&self.path(key)).await.map_err(BlobError::reading) {
            Ok(()) | Err(BlobError::Missing) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Deletes every blob under a prefix, and what broken-off uploads left there in a folder; gives how many blobs
    /// there were.
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

    /// The blobs under a prefix, in no particular order. What is not named like a blob is not ours, and left out.
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

    /// Whose blobs there are: the first part of each key, as it stands there.
    pub async fn tenants(&self) -> Result<Vec<String>, BlobError> {
        let root = &self.0.backend.prefix;
        let found = self.store().list_with_delimiter(Some(root)).await.map_err(BlobError::reading)?;
        let name = |path: Path| path.parts().next_back().map(|part| part.as_ref().to_owned());
        Ok(found.common_prefixes.into_iter().filter_map(name).collect())
    }

    /// Removes what uploads that were begun before a moment, and never ended because the server died, left in a
    /// folder; gives how many. On S3 a rule of the bucket does this, see [`BlobBackend::S3Config`].
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
        BlobSealer::new(&self.0.data_key, &*self.0.world, key)
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

/// What the store says about a blob; nothing where it is not named like one.
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
