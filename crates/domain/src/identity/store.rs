//! How sessions are kept. Each has a key of its own, kept sealed in its row; the session and its blobs are sealed with
//! that key, so that to delete the key is to delete them, whatever becomes of copies.

use super::{Identities, session::Session};
use crate::vault::Vault;
use aws_lc_rs::digest;
use base::{AppId, Id as _, MediaId, Secret, SessionId, SignedDuration, Timestamp, Uuid};
use db::{DbError, FromRow, Read, Tx, sql};
use media::blobs::{BlobKey, BlobPrefix, Blobs, Segment};

/// What blobs of sessions are called.
const MEDIA: Segment = Segment::literal("media");
/// How long an upload may go on that began before its session was deleted.
const LATE: SignedDuration = SignedDuration::from_mins(10);

/// A session, and the key it is sealed with.
#[derive(Clone, Debug)]
pub struct Held {
    /// The session.
    pub session: Session,
    key: Secret<[u8; 32]>,
    version: i64,
}

#[derive(FromRow)]
struct Row {
    id: SessionId,
    key: Vec<u8>,
    sealed: Vec<u8>,
    version: i64,
}

impl Held {
    /// Where one of its media lies.
    pub(super) fn blob(&self, media: MediaId) -> BlobKey {
        blob(self.session.id, media)
    }

    /// The blobs of this session, opened with its key.
    pub(super) fn blobs(&self, all: &Blobs) -> Blobs {
        all.under(self.key.clone())
    }
}

fn blob(session: SessionId, media: MediaId) -> BlobKey {
    BlobKey::new(session, MEDIA, media)
}

fn key_place(id: SessionId) -> Vec<u8> {
    format!("identity session {id} key").into_bytes()
}

fn place(id: SessionId) -> Vec<u8> {
    format!("identity session {id}").into_bytes()
}

/// What of a person's token is kept in a column.
pub(super) fn hash(token: &Uuid) -> Vec<u8> {
    digest::digest(&digest::SHA256, token.as_bytes()).as_ref().to_vec()
}

impl Identities {
    fn open_row(&self, row: &Row) -> Option<Held> {
        let opened = self.open_parts(row);
        if opened.is_none() {
            tracing::error!(session.id = %row.id, "a session does not open: it was damaged, or the master key is another one");
        }
        opened
    }

    fn open_parts(&self, row: &Row) -> Option<Held> {
        let key = self.0.vault.open(&key_place(row.id), &row.key).ok()?;
        let key = Secret::new(<[u8; 32]>::try_from(key).ok()?);
        let plain = Vault::of_key(key.clone()).open(&place(row.id), &row.sealed).ok()?;
        Some(Held { session: serde_json::from_slice(&plain).ok()?, key, version: row.version })
    }

    fn seal_session(&self, session: &Session, key: &Secret<[u8; 32]>) -> Vec<u8> {
        let plain = serde_json::to_vec(session).expect("a session is JSON");
        Vault::of_key(key.clone()).seal(&*self.0.world, &place(session.id), &plain)
    }

    fn new_key(&self, id: SessionId) -> (Secret<[u8; 32]>, Vec<u8>) {
        let mut key = [0; 32];
        self.0.world.fill(&mut key);
        let sealed = self.0.vault.seal(&*self.0.world, &key_place(id), &key);
        (Secret::new(key), sealed)
    }

    /// Writes a new session.
    pub(super) async fn insert(&self, tx: &mut Tx, session: &Session) -> Result<(), DbError> {
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
            hash(&session.token),
            sealed_key,
            self.seal_session(session, &key),
            session.wanted.until,
            destroy,
            destroy + self.0.settings.keep,
            session.created_at,
        ))
        .await
        .map(drop)
    }

    /// A session of an application, as it stands.
    pub async fn find(&self, view: &mut Read, app: AppId, id: SessionId) -> Result<Option<Held>, DbError> {
        let row: Option<Row> = view
            .fetch_optional(sql!(
                "SELECT id, key, sealed, version FROM identity_sessions WHERE id = $1 AND app_id = $2",
                id,
                app,
            ))
            .await?;
        Ok(row.and_then(|row| self.open_row(&row)))
    }

    /// A session, whoever's, for jobs and reviewers.
    pub(super) async fn find_any(&self, view: &mut Read, id: SessionId) -> Result<Option<Held>, DbError> {
        let row: Option<Row> = view
            .fetch_optional(sql!("SELECT id, key, sealed, version FROM identity_sessions WHERE id = $1", id))
            .await?;
        Ok(row.and_then(|row| self.open_row(&row)))
    }

    /// The session that a person's token is of.
    pub async fn find_by_token(&self, view: &mut Read, token: &Uuid) -> Result<Option<Held>, DbError> {
        let row: Option<Row> = view
            .fetch_optional(sql!(
                "SELECT id, key, sealed, version FROM identity_sessions WHERE token_hash = $1",
                hash(token),
            ))
            .await?;
        Ok(row.and_then(|row| self.open_row(&row)))
    }

    /// A session that nobody else changes until the transaction ends.
    pub(super) async fn hold(&self, tx: &mut Tx, id: SessionId) -> Result<Option<Held>, DbError> {
        let row: Option<Row> = tx
            .fetch_optional(sql!(
                "UPDATE identity_sessions SET version = version + 1 WHERE id = $1
                 RETURNING id, key, sealed, version",
                id,
            ))
            .await?;
        Ok(row.and_then(|row| self.open_row(&row)))
    }

    /// Writes a held session back.
    pub(super) async fn keep(&self, tx: &mut Tx, held: &Held) -> Result<(), DbError> {
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

    /// Forgets a session: its key goes with its row, its blobs right afterwards ([`Self::clear`]).
    pub(super) async fn remove(&self, tx: &mut Tx, id: SessionId) -> Result<(), DbError> {
        self.leave(tx, id, None).await?;
        tx.execute(sql!("DELETE FROM identity_sessions WHERE id = $1", id)).await.map(drop)
    }

    /// Destroys what was supplied: the session goes on under a new key, and the old one is gone.
    pub(super) async fn destroy(&self, tx: &mut Tx, held: &mut Held) -> Result<(), DbError> {
        let id = held.session.id;
        held.session.destroy();
        let (key, sealed_key) = self.new_key(id);
        held.key = key;
        self.leave(tx, id, None).await?;
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
    pub(super) async fn leave(
        &self,
        tx: &mut Tx,
        session: SessionId,
        media: Option<MediaId>,
    ) -> Result<(), DbError> {
        // Of a whole session, an upload that began earlier may still be on its way.
        let due = self.0.world.now() + if media.is_some() { SignedDuration::ZERO } else { LATE };
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
    pub(super) async fn clear(&self, session: SessionId, media: &[MediaId]) {
        self.0.ahead.forget(session, media);
        let cleared = async {
            if media.is_empty() {
                return self.0.blobs.delete_prefix(&BlobPrefix::tenant(session)).await.map(drop);
            }
            for media in media {
                self.0.blobs.delete(&blob(session, *media)).await?;
            }
            Ok(())
        };
        if let Err(error) = cleared.await {
            tracing::warn!(error = &error as &dyn std::error::Error, session.id = %session, "media are left to be swept away");
        }
    }

    /// Deletes what is due to be; how many entries there were.
    pub(super) async fn sweep_leavings(&self, now: Timestamp) -> Result<usize, SweepError> {
        #[derive(FromRow)]
        struct Leaving {
            session_id: SessionId,
            media_id: MediaId,
        }
        let due: Vec<Leaving> = {
            let mut view = self.0.db.read().await?;
            view.fetch_all(sql!(
                "SELECT session_id, media_id FROM identity_leavings WHERE due_at <= $1 ORDER BY due_at LIMIT 100",
                now,
            ))
            .await?
        };
        for Leaving { session_id, media_id } in &due {
            if Uuid::from(*media_id).is_nil() {
                // A session that goes on has nothing left either: nothing is supplied once it was destroyed.
                self.0.blobs.delete_prefix(&BlobPrefix::tenant(*session_id)).await?;
            } else {
                self.0.blobs.delete(&blob(*session_id, *media_id)).await?;
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
    pub(super) fn new_media(&self) -> MediaId {
        MediaId::new(&*self.0.world)
    }
}

/// Why a sweep did not come to an end.
#[derive(Debug, thiserror::Error)]
pub(super) enum SweepError {
    /// Blobs could not be deleted.
    #[error(transparent)]
    Blobs(#[from] media::blobs::Error),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}
