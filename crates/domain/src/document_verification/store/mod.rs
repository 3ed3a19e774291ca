//! How sessions are stored: rows, media and tombstones; nothing here knows what a session is for.
//!
//! Each session has a random key of its own (`erasure_keys`), sealed under the server's. The session document and
//! its media are sealed with that key, so deleting the key deletes them, whatever becomes of copies and backups.
//!
//! [`sessions`] seals, opens, locks and saves rows; [`media`] writes, reads and deletes blobs; [`tombstones`] remembers
//! which blobs are still to be deleted.

mod media;
mod sessions;
mod tombstones;

pub(super) use media::SessionMediaStore;
pub(super) use sessions::{DocumentSessionStore, hash_token};

use super::{session::DocumentSession, step_recorder::DocumentSessionProgress};
use ::media::blobs::{BlobKey, BlobKeySegment, BlobStore};
use base::{DocumentSessionId, MediaId, Secret};

/// The segment of a blob's key that names media of document sessions.
const MEDIA_SEGMENT: BlobKeySegment = BlobKeySegment::literal("media");

/// A session as it was read from its row, with the key that it is sealed with.
#[derive(Clone, Debug)]
pub struct UnsealedDocumentSession {
    pub session: DocumentSession,
    key: Secret<[u8; 32]>,
    /// Counts the locks taken on the row; [`DocumentSessionStore::save`] writes only over the version it locked.
    version: i64,
    /// What the session was when it was read.
    before: DocumentSessionProgress,
}

impl UnsealedDocumentSession {
    /// The key of one of its media in the blob store.
    fn blob_key(&self, media: MediaId) -> BlobKey {
        blob_key(self.session.id, media)
    }

    /// The blob store, sealing and opening with this session's key.
    fn sealed_blobs(&self, blobs: &BlobStore) -> BlobStore {
        blobs.with_data_key(self.key.clone())
    }
}

fn blob_key(session: DocumentSessionId, media: MediaId) -> BlobKey {
    BlobKey::new(session, MEDIA_SEGMENT, media)
}
