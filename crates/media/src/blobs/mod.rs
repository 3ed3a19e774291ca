//! Blobs: bytes too large for the database, encrypted at rest, in a folder or in S3.
//!
//! A blob is there whole or not at all, and what is read is what was written or [`Error::Damaged`]. Its key starts with
//! its tenant, so that a tenant's blobs are deleted as one.

mod key;
mod place;
mod seal;
mod sweep;
mod upload;

pub use key::{BadSegment, BlobKey, BlobPrefix, Segment};
pub use place::{BadPlace, Place};

use base::{Secret, Timestamp, World};
use futures_util::{StreamExt as _, TryStreamExt as _, future::ready, stream::BoxStream};
use object_store::{
    GetOptions, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutPayload,
    path::{Path, PathPart},
};
use seal::{Cipher, HEADER, Layout, Sealer};
use std::{io, ops::Range, sync::Arc};

/// Why a blob cannot be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
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

impl Error {
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
pub struct Listed {
    /// Its key.
    pub key: BlobKey,
    /// Bytes it takes, sealed.
    pub stored: u64,
    /// When it was written, by the clock of the place.
    pub written: Timestamp,
}

/// Blobs of one place under one data key; cheap to clone.
#[derive(Clone)]
pub struct Blobs(Arc<Inner>);

struct Inner {
    place: place::Opened,
    data_key: Secret<[u8; 32]>,
    world: Arc<dyn World>,
}

// The store's own Debug knows the access key.
impl std::fmt::Debug for Blobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Blobs({})", self.0.place.store)
    }
}

impl Blobs {
    /// Opens a place. `data_key` seals the blobs: without it they are noise, so it must outlive them.
    pub fn open(place: &Place, data_key: Secret<[u8; 32]>, world: Arc<dyn World>) -> Result<Self, BadPlace> {
        Ok(Self(Arc::new(Inner { place: place::open(place)?, data_key, world })))
    }

    /// The same place under another data key: what is kept so is noise once that key is gone.
    #[must_use]
    pub fn under(&self, data_key: Secret<[u8; 32]>) -> Self {
        let Inner { place, world, .. } = &*self.0;
        Self(Arc::new(Inner { place: place.clone(), data_key, world: world.clone() }))
    }

    /// Keeps bytes under a key. A blob that was there is replaced.
    pub async fn put(&self, key: &BlobKey, bytes: &[u8]) -> Result<(), Error> {
        self.put_sealed(key, self.sealer(key).seal_all(bytes)).await
    }

    /// The bytes of a blob, all of them; large ones are better read in ranges.
    pub async fn get(&self, key: &BlobKey) -> Result<Vec<u8>, Error> {
        let found = self.store().get(&self.path(key)).await.map_err(Error::reading)?;
        let layout = Layout::of(found.meta.size)?;
        let mut bytes = take(found).await?;
        let header = bytes.get(..HEADER).ok_or(Error::Damaged)?;
        let cipher = Cipher::of(&self.0.data_key, header, key)?;
        bytes.drain(..HEADER);
        cipher.open(&mut bytes, layout.all(), &layout)?;
        Ok(bytes)
    }

    /// The bytes of a blob from `range.start` to before `range.end`; fewer, down to none, where the blob ends sooner.
    /// Reads and opens only the chunks of 64 KiB that it needs.
    pub async fn get_range(&self, key: &BlobKey, range: Range<u64>) -> Result<Vec<u8>, Error> {
        let path = self.path(key);
        // Three requests for one blob: each of the later asks for the same version. A blob that is replaced in between
        // is read anew, one that is replaced all the time is not read.
        let mut tries = 0;
        loop {
            tries += 1;
            match self.read_range(key, &path, &range).await {
                Err(Error::Unavailable(object_store::Error::Precondition { .. })) if tries < 3 => {}
                done => return done,
            }
        }
    }

    async fn read_range(&self, key: &BlobKey, path: &Path, range: &Range<u64>) -> Result<Vec<u8>, Error> {
        let meta = self.store().head(path).await.map_err(Error::reading)?;
        let layout = Layout::of(meta.size)?;
        let part = async |range: Range<u64>| {
            let options = GetOptions::new().with_range(Some(range)).with_if_match(meta.e_tag.clone());
            take(self.store().get_opts(path, options).await.map_err(Error::reading)?).await
        };
        let header = part(0..HEADER as u64).await?;
        let cipher = Cipher::of(&self.0.data_key, &header, key)?;
        let chunks = layout.covering(range);
        let stored = seal::stored(&chunks);
        let mut bytes = part(stored.start..stored.end.min(meta.size)).await?;
        let first = seal::plain_start(*chunks.start());
        cipher.open(&mut bytes, chunks, &layout)?;

        let within = |at: u64| at.saturating_sub(first).min(bytes.len() as u64) as usize;
        let (start, end) = (within(range.start), within(range.end));
        bytes.truncate(end);
        bytes.drain(..start.min(end));
        Ok(bytes)
    }

    /// How many bytes a blob has, as far as the place knows: only reading proves it.
    pub async fn size(&self, key: &BlobKey) -> Result<u64, Error> {
        let meta = self.store().head(&self.path(key)).await.map_err(Error::reading)?;
        Ok(Layout::of(meta.size)?.plain)
    }

    /// Whether there is such a blob.
    pub async fn exists(&self, key: &BlobKey) -> Result<bool, Error> {
        match self.store().head(&self.path(key)).await.map_err(Error::reading) {
            Ok(_) => Ok(true),
            Err(Error::Missing) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Deletes a blob. One that is not there is deleted already.
    pub async fn delete(&self, key: &BlobKey) -> Result<(), Error> {
        match self.store().delete(&self.path(key)).await.map_err(Error::reading) {
            Ok(()) | Err(Error::Missing) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Deletes every blob under a prefix, and what broken-off uploads left there in a folder; gives how many blobs
    /// there were.
    pub async fn delete_prefix(&self, prefix: &BlobPrefix) -> Result<u64, Error> {
        let under = self.prefix(prefix);
        let found = self.store().list(Some(&under)).map_ok(|meta| meta.location).boxed();
        let deleted = self
            .store()
            .delete_stream(found)
            .map(|deleted| match deleted.map_err(Error::reading) {
                Ok(_) => Ok(1),
                Err(Error::Missing) => Ok(0),
                Err(error) => Err(error),
            })
            .try_fold(0, |sum: u64, one| ready(Ok(sum + one)))
            .await?;
        if let Some(folder) = &self.0.place.folder {
            let folder = prefix.parts().fold(folder.clone(), |folder, part| folder.join(part));
            sweep::remove(folder).await?;
        }
        Ok(deleted)
    }

    /// The blobs under a prefix, in no particular order. What is not named like a blob is not ours, and left out.
    pub fn list(&self, prefix: &BlobPrefix) -> BoxStream<'static, Result<Listed, Error>> {
        let root = self.0.place.prefix.clone();
        self.store()
            .list(Some(&self.prefix(prefix)))
            .filter_map(move |found| {
                ready(match found {
                    Ok(meta) => listed(&root, &meta).map(Ok),
                    Err(error) => Some(Err(Error::reading(error))),
                })
            })
            .boxed()
    }

    /// Whose blobs there are: the first part of each key, as it stands there.
    pub async fn tenants(&self) -> Result<Vec<String>, Error> {
        let root = &self.0.place.prefix;
        let found = self.store().list_with_delimiter(Some(root)).await.map_err(Error::reading)?;
        let name = |path: Path| path.parts().next_back().map(|part| part.as_ref().to_owned());
        Ok(found.common_prefixes.into_iter().filter_map(name).collect())
    }

    /// Removes what uploads that were begun before a moment, and never ended because the server died, left in a
    /// folder; gives how many. On S3 a rule of the bucket does this, see [`Place::S3`].
    pub async fn sweep(&self, begun_before: Timestamp) -> Result<u64, Error> {
        match &self.0.place.folder {
            Some(folder) => sweep::sweep(folder.clone(), begun_before).await,
            None => Ok(0),
        }
    }

    fn store(&self) -> &dyn ObjectStore {
        &*self.0.place.store
    }

    fn sealer(&self, key: &BlobKey) -> Sealer {
        Sealer::new(&self.0.data_key, &*self.0.world, key)
    }

    async fn put_sealed(&self, key: &BlobKey, sealed: Vec<u8>) -> Result<(), Error> {
        self.store().put(&self.path(key), PutPayload::from(sealed)).await.map_err(Error::writing)?;
        Ok(())
    }

    fn path(&self, key: &BlobKey) -> Path {
        key.parts().into_iter().fold(self.0.place.prefix.clone(), Path::join)
    }

    fn prefix(&self, prefix: &BlobPrefix) -> Path {
        prefix.parts().fold(self.0.place.prefix.clone(), Path::join)
    }
}

/// What the store says about a blob; nothing where it is not named like one.
fn listed(root: &Path, meta: &ObjectMeta) -> Option<Listed> {
    let name: Vec<_> = meta.location.prefix_match(root)?.collect();
    let key = name.iter().map(PathPart::as_ref).collect::<Vec<_>>().join("/").parse().ok()?;
    let written = Timestamp::from_microsecond(meta.last_modified.timestamp_micros()).ok()?;
    Some(Listed { key, stored: meta.size, written })
}

async fn take(found: GetResult) -> Result<Vec<u8>, Error> {
    Ok(found.bytes().await.map_err(Error::reading)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store_said(error: io::Error) -> Error {
        Error::writing(object_store::Error::Generic { store: "folder", source: Box::new(error) })
    }

    #[test]
    fn a_full_disk_is_told_from_a_broken_one() {
        assert!(matches!(store_said(io::ErrorKind::StorageFull.into()), Error::Full));
        assert!(matches!(store_said(io::ErrorKind::QuotaExceeded.into()), Error::Full));
        assert!(matches!(store_said(io::ErrorKind::PermissionDenied.into()), Error::Unavailable(_)));
    }
}
