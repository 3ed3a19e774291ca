//! Media of sessions: blobs, sealed with the session's key, in a folder of the session's own.
//!
//! A blob is written before the change of the session that refers to it. If the change is refused the caller deletes
//! the blob, but not if the change may have been made all the same, and only its answer was lost. What is left behind then,
//! or by a crash, goes with the session's folder.

use super::{UnsealedDocumentSession, blob_key, tombstones};
use crate::document_verification::{prefetch::PrefetchCache, session::SessionMedia, types::MediaType};
use base::{DocumentSessionId, Environment, Id as _, MediaId, ResourceId, Timestamp};
use db::{Db, DbError, WriteTx};
use media::blobs::{BlobError, BlobPrefix, BlobStore};
use serde::Serialize;
use std::{ops::Range, sync::Arc};

/// Writes, reads and deletes the media of sessions; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct SessionMediaStore {
    env: Arc<dyn Environment>,
    blobs: BlobStore,
    /// Deleting a page also evicts what was read of it ahead of its task.
    prefetched: PrefetchCache,
}

impl SessionMediaStore {
    pub(in crate::document_verification) fn new(
        env: Arc<dyn Environment>,
        blobs: BlobStore,
        prefetched: PrefetchCache,
    ) -> Self {
        Self { env, blobs, prefetched }
    }

    /// Writes bytes under a new id; the caller refers to them in the session.
    pub(in crate::document_verification) async fn put_bytes(
        &self,
        stored: &UnsealedDocumentSession,
        bytes: &[u8],
    ) -> Result<MediaId, BlobError> {
        let id = MediaId::new(&*self.env);
        stored.sealed_blobs(&self.blobs).put(&stored.blob_key(id), bytes).await?;
        Ok(id)
    }

    /// Writes a media; the caller adds it to the session.
    pub(in crate::document_verification) async fn put(
        &self,
        stored: &UnsealedDocumentSession,
        kind: MediaType,
        content_type: &str,
        resource: ResourceId,
        bytes: &[u8],
    ) -> Result<SessionMedia, BlobError> {
        let now = self.env.now();
        Ok(SessionMedia {
            id: self.put_bytes(stored, bytes).await?,
            kind,
            content_type: content_type.to_owned(),
            bytes: bytes.len() as u64,
            resource: Some(resource),
            redacted: false,
            created: Some(now),
            last_updated: Some(now),
        })
    }

    /// Writes a media of JSON.
    pub(in crate::document_verification) async fn put_json(
        &self,
        stored: &UnsealedDocumentSession,
        resource: ResourceId,
        value: &impl Serialize,
    ) -> Result<SessionMedia, BlobError> {
        let bytes = serde_json::to_vec(value).map_err(|error| BlobError::BrokeOff(error.into()))?;
        self.put(stored, MediaType::Json, "application/json", resource, &bytes).await
    }

    pub(in crate::document_verification) async fn read(
        &self,
        stored: &UnsealedDocumentSession,
        media: MediaId,
    ) -> Result<Vec<u8>, BlobError> {
        stored.sealed_blobs(&self.blobs).get(&stored.blob_key(media)).await
    }

    /// Reads the bytes from `range.start` up to and without `range.end`.
    pub(in crate::document_verification) async fn read_range(
        &self,
        stored: &UnsealedDocumentSession,
        media: MediaId,
        range: Range<u64>,
    ) -> Result<Vec<u8>, BlobError> {
        stored.sealed_blobs(&self.blobs).get_range(&stored.blob_key(media), range).await
    }

    /// Notes in the transaction that a media is to be deleted, in case the process dies before [`Self::delete`].
    pub(in crate::document_verification) async fn add_tombstone(
        &self,
        tx: &mut WriteTx,
        session: DocumentSessionId,
        media: MediaId,
    ) -> Result<(), DbError> {
        tombstones::add(tx, &*self.env, session, Some(media)).await
    }

    /// Notes in the transaction that a media is to be deleted at this time, by the sweep.
    pub(in crate::document_verification) async fn add_tombstone_due(
        &self,
        tx: &mut WriteTx,
        session: DocumentSessionId,
        media: MediaId,
        due: Timestamp,
    ) -> Result<(), DbError> {
        tombstones::add_due(tx, session, media, due).await
    }

    /// Deletes media now, as far as possible: what fails and has a tombstone is left to the sweep.
    pub(in crate::document_verification) async fn delete(
        &self,
        session: DocumentSessionId,
        media: &[MediaId],
    ) {
        if media.is_empty() {
            return;
        }
        self.prefetched.evict(session, media);
        let deleted = async {
            for media in media {
                self.blobs.delete(&blob_key(session, *media)).await?;
            }
            Ok(())
        };
        if let Err(error) = deleted.await {
            log_failure(session, &error);
        }
    }

    /// Deletes all media of a session now, as far as possible: what fails is left to the sweep.
    pub(in crate::document_verification) async fn delete_all(&self, session: DocumentSessionId) {
        self.prefetched.evict_session(session);
        if let Err(error) = self.blobs.delete_prefix(&BlobPrefix::tenant(session)).await {
            log_failure(session, &error);
        }
    }

    /// Deletes up to 100 blobs whose tombstones are due; returns how many tombstones there were.
    pub(in crate::document_verification) async fn sweep_tombstones(
        &self,
        db: &Db,
        now: Timestamp,
    ) -> Result<usize, DbError> {
        tombstones::sweep(db, &self.blobs, now).await
    }
}

pub(super) fn log_failure(session: DocumentSessionId, error: &BlobError) {
    tracing::warn!(
        error = error as &dyn std::error::Error,
        session.id = %session,
        "media could not be deleted; the sweep tries again"
    );
}
