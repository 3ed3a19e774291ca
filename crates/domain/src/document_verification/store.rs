//! How sessions are kept. Each has a key of its own, kept sealed in its row; the session and its blobs are sealed with
//! that key, so that to delete the key is to delete them, whatever becomes of copies.

use super::{DocumentVerificationService, session::DocumentSession};
use crate::vault::Vault;
use aws_lc_rs::digest;
use base::{AppId, DocumentSessionId, Id as _, MediaId, Secret, SignedDuration, Timestamp, Uuid};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};
use media::blobs::{BlobKey, BlobKeySegment, BlobPrefix, BlobStore};

/// What blobs of sessions are called.
const MEDIA_SEGMENT: BlobKeySegment = BlobKeySegment::literal("media");
/// How long an upload may go on that began before its session was deleted.
const LATE_UPLOAD_GRACE: SignedDuration = SignedDuration::from_mins(10);

/// A session, and the key it is sealed with.
#[derive(Clone, Debug)]
pub struct UnsealedDocumentSession {
    /// The session.
    pub session: DocumentSession,
    key: Secret<[u8; 32]>,
    version: i64,
}

#[derive(FromRow)]
struct SealedSessionRow {
    id: DocumentSessionId,
    key: Vec<u8>,
    sealed: Vec<u8>,
    version: i64,
}

impl UnsealedDocumentSession {
    /// Where one of its media lies.
    pub(super) fn blob_key(&self, media: MediaId) -> BlobKey {
        blob_key(self.session.id, media)
    }

    /// The blobs of this session, opened with its key.
    pub(super) fn sealed_blobs(&self, all: &BlobStore) -> BlobStore {
        all.with_data_key(self.key.clone())
    }
}

fn blob_key(session: DocumentSessionId, media: MediaId) -> BlobKey {
    BlobKey::new(session, MEDIA_SEGMENT, media)
}

fn session_key_aad(id: DocumentSessionId) -> Vec<u8> {
    format!("identity session {id} key").into_bytes()
}

fn session_aad(id: DocumentSessionId) -> Vec<u8> {
    format!("identity session {id}").into_bytes()
}

/// What of a person's token is kept in a column.
pub(super) fn hash_token(token: &Uuid) -> Vec<u8> {
    digest::digest(&digest::SHA256, token.as_bytes()).as_ref().to_vec()
}

impl DocumentVerificationService {
    fn unseal_row(&self, row: &SealedSessionRow) -> Option<UnsealedDocumentSession> {
        let opened = self.try_unseal_row(row);
        if opened.is_none() {
            tracing::error!(session.id = %row.id, "a session does not open: it was damaged, or the master key is another one");
        }
        opened
    }

    fn try_unseal_row(&self, row: &SealedSessionRow) -> Option<UnsealedDocumentSession> {
        let key = self.0.vault.open(&session_key_aad(row.id), &row.key).ok()?;
        let key = Secret::new(<[u8; 32]>::try_from(key).ok()?);
        let plain = Vault::with_key(key.clone()).open(&session_aad(row.id), &row.sealed).ok()?;
        Some(UnsealedDocumentSession {
            session: serde_json::from_slice(&plain).ok()?,
            key,
            version: row.version,
        })
    }

    fn seal_session(&self, session: &DocumentSession, key: &Secret<[u8; 32]>) -> Vec<u8> {
        let plain = serde_json::to_vec(session).expect("a session is JSON");
        Vault::with_key(key.clone()).seal(&*self.0.world, &session_aad(session.id), &plain)
    }

    fn new_key(&self, id: DocumentSessionId) -> (Secret<[u8; 32]>, Vec<u8>) {
        let mut key = [0; 32];
        self.0.world.fill_random(&mut key);
        let sealed = self.0.vault.seal(&*self.0.world, &session_key_aad(id), &key);
        (Secret::new(key), sealed)
    }

    /// Writes a new session.
    pub(super) async fn insert_session(
        &self,
        tx: &mut WriteTx,
        session: &DocumentSession,
    ) -> Result<(), DbError> {
        let (key, sealed_key) = self.new_key(session.id);
        let destroy = session.created_at + SignedDuration::from_secs(session.wanted.resources_ttl);
        tx.execute(sql!(
            "INSERT INTO identity_sessions (id, app_id, state, triggered, token_hash, key, sealed, version, until_at,
                                            destroy_at, forget_at, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9, $10, $11)",
            session.id,
            session.app,
            session.state,
            session.triggered_at.is_some(),
            hash_token(&session.token),
            sealed_key,
            self.seal_session(session, &key),
            session.wanted.until,
            destroy,
            destroy + self.0.settings.session_retention,
            session.created_at,
        ))
        .await
        .map(drop)
    }

    /// A session of an application, as it stands.
    pub async fn find(
        &self,
        view: &mut ReadTx,
        app: AppId,
        id: DocumentSessionId,
    ) -> Result<Option<UnsealedDocumentSession>, DbError> {
        let row: Option<SealedSessionRow> = view
            .fetch_optional(sql!(
                "SELECT id, key, sealed, version FROM identity_sessions WHERE id = $1 AND app_id = $2",
                id,
                app,
            ))
            .await?;
        Ok(row.and_then(|row| self.unseal_row(&row)))
    }

    /// A session, whoever's, for jobs and reviewers.
    pub(super) async fn find_unscoped(
        &self,
        view: &mut ReadTx,
        id: DocumentSessionId,
    ) -> Result<Option<UnsealedDocumentSession>, DbError> {
        let row: Option<SealedSessionRow> = view
            .fetch_optional(sql!("SELECT id, key, sealed, version FROM identity_sessions WHERE id = $1", id))
            .await?;
        Ok(row.and_then(|row| self.unseal_row(&row)))
    }

    /// The session that a person's token is of.
    pub async fn find_by_token(
        &self,
        view: &mut ReadTx,
        token: &Uuid,
    ) -> Result<Option<UnsealedDocumentSession>, DbError> {
        let row: Option<SealedSessionRow> = view
            .fetch_optional(sql!(
                "SELECT id, key, sealed, version FROM identity_sessions WHERE token_hash = $1",
                hash_token(token),
            ))
            .await?;
        Ok(row.and_then(|row| self.unseal_row(&row)))
    }

    /// A session that nobody else changes until the transaction ends.
    pub(super) async fn lock_session(
        &self,
        tx: &mut WriteTx,
        id: DocumentSessionId,
    ) -> Result<Option<UnsealedDocumentSession>, DbError> {
        let row: Option<SealedSessionRow> = tx
            .fetch_optional(sql!(
                "UPDATE identity_sessions SET version = version + 1 WHERE id = $1
                 RETURNING id, key, sealed, version",
                id,
            ))
            .await?;
        Ok(row.and_then(|row| self.unseal_row(&row)))
    }

    /// Writes a held session back.
    pub(super) async fn save_session(
        &self,
        tx: &mut WriteTx,
        held: &UnsealedDocumentSession,
    ) -> Result<(), DbError> {
        let session = &held.session;
        let rows = tx
            .execute(sql!(
                "UPDATE identity_sessions SET state = $3, triggered = $4, sealed = $5
                  WHERE id = $1 AND version = $2",
                session.id,
                held.version,
                session.state,
                session.triggered_at.is_some(),
                self.seal_session(session, &held.key),
            ))
            .await?;
        debug_assert_eq!(rows, 1, "it was held");
        Ok(())
    }

    /// Forgets a session: its key goes with its row, its blobs right afterwards ([`Self::delete_blobs`]).
    pub(super) async fn erase_session(&self, tx: &mut WriteTx, id: DocumentSessionId) -> Result<(), DbError> {
        self.add_tombstone(tx, id, None).await?;
        tx.execute(sql!("DELETE FROM identity_sessions WHERE id = $1", id)).await.map(drop)
    }

    /// Destroys what was supplied: the session goes on under a new key, and the old one is gone.
    pub(super) async fn crypto_shred_resources(
        &self,
        tx: &mut WriteTx,
        held: &mut UnsealedDocumentSession,
    ) -> Result<(), DbError> {
        let id = held.session.id;
        held.session.clear_supplied_data();
        let (key, sealed_key) = self.new_key(id);
        held.key = key;
        self.add_tombstone(tx, id, None).await?;
        tx.execute(sql!(
            "UPDATE identity_sessions SET key = $2, sealed = $3, destroy_at = NULL WHERE id = $1",
            id,
            sealed_key,
            self.seal_session(&held.session, &held.key),
        ))
        .await
        .map(drop)
    }

    /// Notes that blobs are to be deleted: one media, or everything of a session.
    pub(super) async fn add_tombstone(
        &self,
        tx: &mut WriteTx,
        session: DocumentSessionId,
        media: Option<MediaId>,
    ) -> Result<(), DbError> {
        // Of a whole session, an upload that began earlier may still be on its way.
        let due = self.0.world.now() + if media.is_some() { SignedDuration::ZERO } else { LATE_UPLOAD_GRACE };
        tx.execute(sql!(
            "INSERT INTO identity_leavings (session_id, media_id, due_at) VALUES ($1, $2, $3)
             ON CONFLICT (session_id, media_id) DO UPDATE SET due_at = excluded.due_at",
            session,
            media.unwrap_or_else(|| Uuid::nil().into()),
            due,
        ))
        .await
        .map(drop)
    }

    /// Deletes a session's blobs now; what fails is left to the sweep.
    pub(super) async fn delete_blobs(&self, session: DocumentSessionId, media: &[MediaId]) {
        self.0.prefetched.evict(session, media);
        let cleared = async {
            if media.is_empty() {
                return self.0.blobs.delete_prefix(&BlobPrefix::tenant(session)).await.map(drop);
            }
            for media in media {
                self.0.blobs.delete(&blob_key(session, *media)).await?;
            }
            Ok(())
        };
        if let Err(error) = cleared.await {
            tracing::warn!(error = &error as &dyn std::error::Error, session.id = %session, "media are left to be swept away");
        }
    }

    /// Deletes what is due to be; how many entries there were.
    pub(super) async fn sweep_tombstones(&self, now: Timestamp) -> Result<usize, TombstoneSweepError> {
        #[derive(FromRow)]
        struct BlobTombstone {
            session_id: DocumentSessionId,
            media_id: MediaId,
        }
        let due: Vec<BlobTombstone> = {
            let mut view = self.0.db.read().await?;
            view.fetch_all(sql!(
                "SELECT session_id, media_id FROM identity_leavings WHERE due_at <= $1 ORDER BY due_at LIMIT 100",
                now,
            ))
            .await?
        };
        for BlobTombstone { session_id, media_id } in &due {
            if Uuid::from(*media_id).is_nil() {
                // A session that goes on has nothing left either: nothing is supplied once it was destroyed.
                self.0.blobs.delete_prefix(&BlobPrefix::tenant(*session_id)).await?;
            } else {
                self.0.blobs.delete(&blob_key(*session_id, *media_id)).await?;
            }
            let mut tx = self.0.db.write().await?;
            tx.execute(sql!(
                "DELETE FROM identity_leavings WHERE session_id = $1 AND media_id = $2",
                *session_id,
                *media_id,
            ))
            .await?;
            tx.commit().await?;
        }
        Ok(due.len())
    }

    /// A new id for something that is kept.
    pub(super) fn new_media_id(&self) -> MediaId {
        MediaId::new(&*self.0.world)
    }
}

/// Why a sweep did not come to an end.
#[derive(Debug, thiserror::Error)]
pub(super) enum TombstoneSweepError {
    /// Blobs could not be deleted.
    #[error(transparent)]
    Blobs(#[from] media::blobs::BlobError),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}
