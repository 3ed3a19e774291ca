//! Rows of `identity_sessions`: sealed, opened, locked, saved and erased.

use super::{UnsealedDocumentSession, tombstones};
use crate::{
    delivery,
    document_verification::{session::DocumentSession, traces},
    erasure_keys::{self, ErasureKeys, KeyOwner},
    tenancy::limits,
    vault::Vault,
};
use aws_lc_rs::digest;
use base::{AppId, DocumentSessionId, Environment, Secret, SignedDuration, Uuid};
use db::{Db, DbError, FromRow, ReadTx, WriteTx, sql};
use std::sync::Arc;

/// Seals, opens, locks and saves the rows of sessions; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct DocumentSessionStore {
    db: Db,
    env: Arc<dyn Environment>,
    keys: ErasureKeys,
    /// How long a session is kept after its resources were destroyed.
    session_retention: SignedDuration,
}

#[derive(FromRow)]
struct SealedSessionRow {
    id: DocumentSessionId,
    key: Vec<u8>,
    sealed: Vec<u8>,
    version: i64,
}

fn session_aad(id: DocumentSessionId) -> Vec<u8> {
    format!("identity session {id}").into_bytes()
}

/// SHA-256 of an end user's token: the column by which a session is found, which does not reveal the token.
pub(in crate::document_verification) fn hash_token(token: &Uuid) -> Vec<u8> {
    digest::digest(&digest::SHA256, token.as_bytes()).as_ref().to_vec()
}

impl DocumentSessionStore {
    pub(in crate::document_verification) fn new(
        db: Db,
        env: Arc<dyn Environment>,
        vault: Vault,
        session_retention: SignedDuration,
    ) -> Self {
        let keys = ErasureKeys { vault, environment: env.clone() };
        Self { db, env, keys, session_retention }
    }

    /// Opens a row. `None`, and an error in the log, if it does not open.
    fn unseal(&self, row: &SealedSessionRow) -> Option<UnsealedDocumentSession> {
        let unsealed = self.try_unseal(row);
        if unsealed.is_none() {
            tracing::error!(
                session.id = %row.id,
                "a session does not open: it was damaged, or the master key is another one"
            );
        }
        unsealed
    }

    fn try_unseal(&self, row: &SealedSessionRow) -> Option<UnsealedDocumentSession> {
        let key = self.keys.open(KeyOwner::DocumentSession(row.id), &row.key)?;
        let plain = Vault::with_key(key.clone()).open(&session_aad(row.id), &row.sealed).ok()?;
        Some(UnsealedDocumentSession {
            session: serde_json::from_slice(&plain).ok()?,
            key,
            version: row.version,
        })
    }

    fn seal(&self, session: &DocumentSession, key: &Secret<[u8; 32]>) -> Vec<u8> {
        let plain = serde_json::to_vec(session).expect("a session is JSON");
        Vault::with_key(key.clone()).seal(&*self.env, &session_aad(session.id), &plain)
    }

    /// Writes a new session.
    pub(in crate::document_verification) async fn insert(
        &self,
        tx: &mut WriteTx,
        session: &DocumentSession,
    ) -> Result<(), DbError> {
        let key = self.keys.create(tx, KeyOwner::DocumentSession(session.id)).await?;
        let destroy_at = session.created_at + SignedDuration::from_secs(session.wanted.resources_ttl);
        tx.execute(sql!(
            "INSERT INTO identity_sessions (id, app_id, state, triggered, token_hash, sealed, version, until_at,
                                            destroy_at, forget_at, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, $10)",
            session.id,
            session.app,
            session.state,
            session.triggered_at.is_some(),
            hash_token(&session.token),
            self.seal(session, &key),
            session.wanted.until,
            destroy_at,
            destroy_at + self.session_retention,
            session.created_at,
        ))
        .await
        .map(drop)
    }

    /// A session of an application.
    pub(in crate::document_verification) async fn find(
        &self,
        db: &mut ReadTx,
        app: AppId,
        id: DocumentSessionId,
    ) -> Result<Option<UnsealedDocumentSession>, DbError> {
        let row: Option<SealedSessionRow> = db
            .fetch_optional(sql!(
                "SELECT s.id, k.sealed AS key, s.sealed, s.version FROM identity_sessions s
                   JOIN erasure_keys k ON k.owner_id = s.id WHERE s.id = $1 AND s.app_id = $2",
                id,
                app,
            ))
            .await?;
        Ok(row.and_then(|row| self.unseal(&row)))
    }

    /// A session of whatever application, for jobs, reviewers and callers that are authenticated already.
    pub(in crate::document_verification) async fn find_unscoped(
        &self,
        db: &mut ReadTx,
        id: DocumentSessionId,
    ) -> Result<Option<UnsealedDocumentSession>, DbError> {
        let row: Option<SealedSessionRow> = db
            .fetch_optional(sql!(
                "SELECT s.id, k.sealed AS key, s.sealed, s.version FROM identity_sessions s
                   JOIN erasure_keys k ON k.owner_id = s.id WHERE s.id = $1",
                id,
            ))
            .await?;
        Ok(row.and_then(|row| self.unseal(&row)))
    }

    /// [`Self::find_unscoped`] in a read transaction of its own.
    pub(in crate::document_verification) async fn load(
        &self,
        id: DocumentSessionId,
    ) -> Result<Option<UnsealedDocumentSession>, DbError> {
        let mut db = self.db.read().await?;
        self.find_unscoped(&mut db, id).await
    }

    /// The session that an end user's token belongs to.
    pub(in crate::document_verification) async fn find_by_token(
        &self,
        db: &mut ReadTx,
        token: &Uuid,
    ) -> Result<Option<UnsealedDocumentSession>, DbError> {
        let row: Option<SealedSessionRow> = db
            .fetch_optional(sql!(
                "SELECT s.id, k.sealed AS key, s.sealed, s.version FROM identity_sessions s
                   JOIN erasure_keys k ON k.owner_id = s.id WHERE s.token_hash = $1",
                hash_token(token),
            ))
            .await?;
        Ok(row.and_then(|row| self.unseal(&row)))
    }

    /// Locks a session until the transaction ends. The lock is an update of the row, so that changes queue on both
    /// databases.
    pub(in crate::document_verification) async fn lock(
        &self,
        tx: &mut WriteTx,
        id: DocumentSessionId,
    ) -> Result<Option<UnsealedDocumentSession>, DbError> {
        let row: Option<SealedSessionRow> = tx
            .fetch_optional(sql!(
                "UPDATE identity_sessions SET version = version + 1 WHERE id = $1
                 RETURNING id, (SELECT k.sealed FROM erasure_keys k WHERE k.owner_id = identity_sessions.id) AS key,
                           sealed, version",
                id,
            ))
            .await?;
        Ok(row.and_then(|row| self.unseal(&row)))
    }

    /// Counts the media of a locked session as stored bytes of its application. If they have become more, returns what the
    /// application has stored in all.
    async fn count_media(&self, tx: &mut WriteTx, session: &DocumentSession) -> Result<Option<u64>, DbError> {
        #[derive(FromRow)]
        struct MediaBytesRow {
            media_bytes: i64,
        }
        let bytes = i64::try_from(session.media_bytes()).unwrap_or(i64::MAX);
        let before: Option<MediaBytesRow> = tx
            .fetch_optional(sql!("SELECT media_bytes FROM identity_sessions WHERE id = $1", session.id))
            .await?;
        let before = before.map_or(0, |row| row.media_bytes);
        if bytes == before {
            return Ok(None);
        }
        tx.execute(sql!("UPDATE identity_sessions SET media_bytes = $2 WHERE id = $1", session.id, bytes))
            .await?;
        let stored = limits::count_stored_bytes(tx, session.app, bytes - before).await?;
        Ok((bytes > before).then_some(stored))
    }

    /// Writes a locked session back. If it has more media than before, returns how many bytes its application has stored in
    /// all.
    pub(in crate::document_verification) async fn save(
        &self,
        tx: &mut WriteTx,
        locked: &UnsealedDocumentSession,
    ) -> Result<Option<u64>, DbError> {
        let session = &locked.session;
        let stored = self.count_media(tx, session).await?;
        let rows = tx
            .execute(sql!(
                "UPDATE identity_sessions SET state = $3, triggered = $4, sealed = $5
                  WHERE id = $1 AND version = $2",
                session.id,
                locked.version,
                session.state,
                session.triggered_at.is_some(),
                self.seal(session, &locked.key),
            ))
            .await?;
        debug_assert_eq!(rows, 1, "the session was locked");
        Ok(stored)
    }

    /// Erases a session: its key goes with its row. The caller deletes its media after the commit
    /// ([`super::SessionMediaStore::delete_all`]).
    pub(in crate::document_verification) async fn erase(
        &self,
        tx: &mut WriteTx,
        id: DocumentSessionId,
    ) -> Result<(), DbError> {
        #[derive(FromRow)]
        struct ErasedSessionRow {
            app_id: AppId,
            media_bytes: i64,
        }
        traces::erase_of_session(tx, id).await?;
        tombstones::add(tx, &*self.env, id, None).await?;
        delivery::erase_messages_about(tx, id.into(), self.env.now()).await?;
        let erased: Option<ErasedSessionRow> = tx
            .fetch_optional(sql!(
                "DELETE FROM identity_sessions WHERE id = $1 RETURNING app_id, media_bytes",
                id,
            ))
            .await?;
        if let Some(ErasedSessionRow { app_id, media_bytes }) = erased {
            limits::count_stored_bytes(tx, app_id, -media_bytes).await?;
        }
        erasure_keys::erase(tx, KeyOwner::DocumentSession(id)).await
    }

    /// Destroys everything that was supplied, by its key: the session goes on under a new one, and the old one is gone.
    /// The caller deletes its media after the commit ([`super::SessionMediaStore::delete_all`]).
    pub(in crate::document_verification) async fn crypto_shred_resources(
        &self,
        tx: &mut WriteTx,
        locked: &mut UnsealedDocumentSession,
    ) -> Result<(), DbError> {
        let id = locked.session.id;
        locked.session.clear_supplied_data();
        locked.key = self.keys.create(tx, KeyOwner::DocumentSession(id)).await?;
        erasure_keys::record_erasure(tx).await?;
        tombstones::add(tx, &*self.env, id, None).await?;
        self.count_media(tx, &locked.session).await?;
        tx.execute(sql!(
            "UPDATE identity_sessions SET sealed = $2, destroy_at = NULL WHERE id = $1",
            id,
            self.seal(&locked.session, &locked.key),
        ))
        .await
        .map(drop)
    }
}
