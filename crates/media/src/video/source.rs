//! Where a content's bytes are: at an address that a user supplied, or in the store for blobs.

use super::{VideoError, upstream::ByteRange};
use crate::{
    blobs::{BlobError, BlobKey, BlobStore},
    fetch::{Bytes, StreamTarget},
};
use base::Secret;

/// Bytes of a stored content that are read at once.
const STORED_PART_BYTES: u64 = 1 << 20;

/// What a camera demands of whoever watches it.
#[derive(Clone, Debug)]
pub struct CameraCredentials {
    /// Without colon.
    pub username: String,
    pub password: Secret<String>,
}

/// Where a content's bytes are.
#[derive(Clone, Debug)]
pub enum ContentSource {
    /// At an address that a user supplied.
    Address(String),
    /// At the address of a camera, which may demand credentials.
    Camera { address: String, credentials: Option<CameraCredentials> },
    /// In the store for blobs.
    Stored(StoredContent),
}

impl ContentSource {
    /// The address of a camera and what it demands; `None` of another source.
    pub(super) fn camera(&self) -> Option<(&str, Option<&CameraCredentials>)> {
        match self {
            Self::Camera { address, credentials } => Some((address, credentials.as_ref())),
            Self::Address(address) => StreamTarget::is_stream(address).then_some((address, None)),
            Self::Stored(_) => None,
        }
    }
}

impl From<&str> for ContentSource {
    fn from(address: &str) -> Self {
        Self::Address(address.to_owned())
    }
}

impl From<&String> for ContentSource {
    fn from(address: &String) -> Self {
        Self::Address(address.clone())
    }
}

/// A content in the store for blobs.
#[derive(Clone, Debug)]
pub struct StoredContent {
    /// The store, under the key that the content was sealed with.
    pub blobs: BlobStore,
    /// The content's name there.
    pub key: BlobKey,
    /// Its size.
    pub bytes: u64,
}

impl StoredContent {
    /// Reads it whole, if it has at most `limit` bytes.
    pub(super) async fn read_all(&self, limit: u64) -> Result<Vec<u8>, VideoError> {
        if self.bytes > limit {
            return Err(VideoError::TooLarge { limit });
        }
        self.blobs.get(&self.key).await.map_err(store_error)
    }

    /// Fails unless it is there.
    pub(super) async fn check_there(&self) -> Result<(), VideoError> {
        self.blobs.size(&self.key).await.map(drop).map_err(store_error)
    }
}

/// Reads a range of a stored content, part by part.
pub(super) struct StoredReader {
    content: StoredContent,
    at: u64,
    end: u64,
}

impl StoredReader {
    /// `None` if the content does not reach to the range.
    pub(super) fn new(content: &StoredContent, wanted: ByteRange) -> Option<Self> {
        let end = wanted.to.map_or(content.bytes, |last| last.saturating_add(1)).min(content.bytes);
        (wanted.from < end).then(|| Self { content: content.clone(), at: wanted.from, end })
    }

    /// Bytes that are still to be read.
    pub(super) fn left(&self) -> u64 {
        self.end - self.at
    }

    /// The next bytes; `None` at the end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, VideoError> {
        if self.at >= self.end {
            return Ok(None);
        }
        let to = self.end.min(self.at + STORED_PART_BYTES);
        let StoredContent { blobs, key, .. } = &self.content;
        let bytes = blobs.get_range(key, self.at..to).await.map_err(store_error)?;
        if bytes.len() as u64 != to - self.at {
            return Err(VideoError::StoredLost);
        }
        self.at = to;
        Ok(Some(bytes.into()))
    }
}

fn store_error(error: BlobError) -> VideoError {
    match error {
        BlobError::Missing | BlobError::Damaged => VideoError::StoredLost,
        error => {
            tracing::warn!(error = &error as &dyn std::error::Error, "an uploaded content cannot be read");
            VideoError::StoreUnavailable
        }
    }
}
