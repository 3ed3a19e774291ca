//! Rows of `identity_sessions`: sealed, opened, locked, saved and erased.

use super::{UnsealedDocumentSession, tombstones};
use crate::{
    delivery,
    document_verification::{
        session::DocumentSession,
        step_recorder::{self, DocumentSessionProgress},
        traces,
    },
    erasure_keys::{self, ErasureKeys, KeyOwner},
    session_steps::{self, SessionReferences, SessionStepKind, SessionStepOutcome, StepEnd},
    tenancy::limits,
    vault::Vault,
};
use aws_lc_rs::digest;
use base::{AppId, DocumentSessionId, Environment, Secret, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};
use std::sync::Arc;

/// Seals, opens, locks and saves the rows of sessions; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct DocumentSessionStore {
    db: Db,
    env: Arc<dyn Environment>,
    keys: ErasureKeys,
    references: SessionReferences,
    /// How long a session is kept after its resources were destroyed.
    session_retention: SignedDuration,
}

#[derive(FromRow)]
struct SealedSessionRow {
    id: DocumentSessionId,
    /// `None` if the key is gone.
    key: Option<Vec<u8>>,
    sealed: Vec<u8>,
    version: i64,
}

/// Whose stored bytes the media of a session count as.
#[derive(FromRow)]
struct CountedMediaRow {
    app_id: AppId,
    media_bytes: i64,
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
        let references = SessionReferences::new(vault.clone());
        let keys = ErasureKeys { vault, environment: env.clone() };
        Self { db, env, keys, references, session_retention }
    }

    /// Opens a row. `None`, and an error in the log, if it does not open.
    fn unseal(&self, row: &SealedSessionRow) -> Option<UnsealedDocumentSession> {
        let unsealed = self.try_unseal(row);
        if unsealed.is_none() {
            tracing::error!(
                session.id = %row.id,
                "a session does not open: it was damaged, its key is gone, or the master key is another one"
            );
        }
        unsealed
    }

    fn try_unseal(&self, row: &SealedSessionRow) -> Option<UnsealedDocumentSession> {
        let key = self.keys.open(KeyOwner::DocumentSession(row.id), row.key.as_deref()?)?;
        let plain = Vault::with_key(key.clone()).open(&session_aad(row.id), &row.sealed).ok()?;
        let session: DocumentSession = serde_json::from_slice(&plain).ok()?;
        let before = DocumentSessionProgress::of(&session);
        Some(UnsealedDocumentSession { session, key, version: row.version, before })
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
        let (key, key_written) = self.keys.generate(KeyOwner::DocumentSession(session.id));
        let destroy_at = session.created_at + SignedDuration::from_secs(session.requested.resources_ttl);
        let session_written = sql!(
            "INSERT INTO identity_sessions (id, app_id, state, triggered, token_hash, sealed, version, until_at,
                                            destroy_at, forget_at, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, $10)",
            session.id,
            session.app,
            session.state,
            session.triggered_at.is_some(),
            hash_token(&session.token),
            self.seal(session, &key),
            session.requested.until,
            destroy_at,
            destroy_at + self.session_retention,
            session.created_at,
        );
        let mut written = vec![key_written, session_written];
        let subject =
            session.requested.identity_profile.as_ref().and_then(|profile| profile.subject_id.as_deref());
        if let Some(recorded) = step_recorder::recorded(session) {
            let references = (&self.references, [session.requested.user_tracking_id.as_deref(), subject]);
            written.extend(recorded.creation("SESSION", references, session.created_at));
        }
        tx.execute_all(written).await.map(drop)
    }

    /// Records that the end user opened the page of a session.
    pub(in crate::document_verification) async fn record_page_opened(
        &self,
        session: &DocumentSession,
    ) -> Result<(), DbError> {
        match step_recorder::recorded(session) {
            Some(recorded) => session_steps::record_page_opened(&self.db, &*self.env, &recorded).await,
            None => Ok(()),
        }
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
        self.find_unscoped(&mut self.db.read_once().await?, id).await
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
        tx.execute(sql!("UPDATE identity_sessions SET version = version + 1 WHERE id = $1", id)).await?;
        // A statement of its own: on PostgreSQL one that has waited for the lock sees the row as it is now, but every other row
        // as it was before, and the key may have been replaced meanwhile.
        self.find_unscoped(tx, id).await
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
        step_recorder::record_changes(tx, &*self.env, &locked.before, session).await?;
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

    /// Puts the clock of a session of the sandbox forward: everything that is due comes earlier by so much. Returns whether
    /// there is such a session.
    pub(in crate::document_verification) async fn advance_clock(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        id: DocumentSessionId,
        by: SignedDuration,
    ) -> Result<bool, DbError> {
        #[derive(FromRow)]
        struct DueRow {
            destroy_at: Option<DbTimestamp>,
            #[sqlx(try_from = "db::DbTimestamp")]
            forget_at: Timestamp,
        }
        let locked = self.lock(tx, id).await?;
        let is_own = |locked: &UnsealedDocumentSession| locked.session.app == app && locked.session.sandbox;
        let Some(mut locked) = locked.filter(is_own) else { return Ok(false) };
        locked.session.requested.until -= by;
        // Reviewers are told by it when pictures go.
        locked.session.requested.resources_ttl =
            (locked.session.requested.resources_ttl - by.as_secs()).max(0);
        self.save(tx, &locked).await?;
        let due: Option<DueRow> = tx
            .fetch_optional(sql!("SELECT destroy_at, forget_at FROM identity_sessions WHERE id = $1", id))
            .await?;
        let Some(DueRow { destroy_at, forget_at }) = due else { return Ok(false) };
        tx.execute(sql!(
            "UPDATE identity_sessions SET until_at = $2, destroy_at = $3, forget_at = $4 WHERE id = $1",
            id,
            locked.session.requested.until,
            destroy_at.map(|at| at.0 - by),
            forget_at - by,
        ))
        .await?;
        if let Some(recorded) = step_recorder::recorded(&locked.session) {
            let (step, end) = (SessionStepKind::ClockAdvanced, StepEnd::of(SessionStepOutcome::Passed));
            recorded.record(tx, &*self.env, step, &by.to_string(), end).await?;
        }
        Ok(true)
    }

    /// Erases a session: its key goes with its row. The caller deletes its media after the commit
    /// ([`super::SessionMediaStore::delete_all`]).
    pub(in crate::document_verification) async fn erase(
        &self,
        tx: &mut WriteTx,
        id: DocumentSessionId,
    ) -> Result<(), DbError> {
        // The row of the session first, as wherever a session is changed, so that no two transactions wait for each other.
        tx.execute(sql!("UPDATE identity_sessions SET version = version WHERE id = $1", id)).await?;
        traces::erase_of_session(tx, id).await?;
        tombstones::add(tx, &*self.env, id, None).await?;
        delivery::erase_messages_about(tx, &[id.into()], self.env.now()).await?;
        let erased: Option<CountedMediaRow> = tx
            .fetch_optional(sql!(
                "DELETE FROM identity_sessions WHERE id = $1 RETURNING app_id, media_bytes",
                id,
            ))
            .await?;
        if let Some(CountedMediaRow { app_id, media_bytes }) = erased {
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
        let before = DocumentSessionProgress::of(&locked.session);
        locked.session.clear_supplied_data();
        step_recorder::record_changes(tx, &*self.env, &before, &locked.session).await?;
        session_steps::forget_references(tx, id.into()).await?;
        locked.key = self.keys.create(tx, KeyOwner::DocumentSession(id)).await?;
        tombstones::add(tx, &*self.env, id, None).await?;
        self.count_media(tx, &locked.session).await?;
        tx.execute(sql!(
            "UPDATE identity_sessions SET sealed = $2, destroy_at = NULL WHERE id = $1",
            id,
            self.seal(&locked.session, &locked.key),
        ))
        .await?;
        // Last: the erasures of all are counted in one row, and whoever holds it must wait for no other.
        erasure_keys::record_erasure(tx).await
    }

    /// [`Self::crypto_shred_resources`] for a locked session that does not open: its key goes, and no other comes. If the
    /// session has not ended it ends. Nothing happens if there is no such session.
    pub(in crate::document_verification) async fn crypto_shred_unopened(
        &self,
        tx: &mut WriteTx,
        id: DocumentSessionId,
    ) -> Result<(), DbError> {
        let row: Option<CountedMediaRow> = tx
            .fetch_optional(sql!("SELECT app_id, media_bytes FROM identity_sessions WHERE id = $1", id))
            .await?;
        let Some(CountedMediaRow { app_id, media_bytes }) = row else { return Ok(()) };
        let end = StepEnd::because(SessionStepOutcome::Left, Some("EXPIRED"));
        session_steps::end(tx, id.into(), end, self.env.now()).await?;
        session_steps::forget_references(tx, id.into()).await?;
        tombstones::add(tx, &*self.env, id, None).await?;
        // The state is in the sealed document too, which nobody can read: the sweep goes by the column.
        tx.execute(sql!(
            "UPDATE identity_sessions
                SET state = CASE WHEN state = 'ONGOING' THEN 'EXPIRED' ELSE state END, media_bytes = 0,
                    destroy_at = NULL
              WHERE id = $1",
            id,
        ))
        .await?;
        limits::count_stored_bytes(tx, app_id, -media_bytes).await?;
        erasure_keys::erase(tx, KeyOwner::DocumentSession(id)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenancy::testing::{LOCK_WAITING_TIME, TestApplication};
    use base::DocumentTraceId;
    use db::testing::TestDb;

    /// The row of a session, with a trace whose time is over and one that is kept for an hour.
    struct StoredSession {
        test: TestDb,
        store: DocumentSessionStore,
        now: Timestamp,
        session: DocumentSessionId,
        expired_trace: DocumentTraceId,
    }

    impl StoredSession {
        async fn open() -> Self {
            let TestApplication { test, environment, vault, app } = TestApplication::open().await;
            let (now, hour) = (environment.now(), SignedDuration::from_hours(1));
            let store = DocumentSessionStore::new(test.db.clone(), environment, vault, hour);
            let session: DocumentSessionId = Uuid::from_u128(1).into();
            let mut tx = test.db.write().await.unwrap();
            tx.execute(sql!(
                "INSERT INTO identity_sessions (id, app_id, state, triggered, token_hash, sealed, version, until_at,
                                                destroy_at, forget_at, created_at)
                 VALUES ($1, $2, 'ONGOING', FALSE, $3, $3, 1, $4, $4, $4, $4)",
                session,
                app,
                vec![0_u8],
                now,
            ))
            .await
            .unwrap();
            store.keys.create(&mut tx, KeyOwner::DocumentSession(session)).await.unwrap();
            let traces: [DocumentTraceId; 2] = [Uuid::from_u128(2).into(), Uuid::from_u128(3).into()];
            for (id, expires_at) in traces.into_iter().zip([now, now + hour]) {
                store.keys.create(&mut tx, KeyOwner::DocumentTrace(id)).await.unwrap();
                tx.execute(sql!(
                    "INSERT INTO document_traces (id, session_id, app_id, sealed, expires_at, created_at)
                     VALUES ($1, $2, $3, $4, $5, $6)",
                    id,
                    session,
                    app,
                    vec![0_u8],
                    expires_at,
                    now,
                ))
                .await
                .unwrap();
            }
            tx.commit().await.unwrap();
            Self { test, store, now, session, expired_trace: traces[0] }
        }

        /// Erases the session in a transaction of its own.
        fn erase(&self) -> tokio::task::JoinHandle<Result<(), DbError>> {
            let (db, store, session) = (self.test.db.clone(), self.store.clone(), self.session);
            tokio::spawn(async move {
                let mut tx = db.write().await?;
                store.erase(&mut tx, session).await?;
                tx.commit().await
            })
        }

        /// How many sessions, traces and keys there are.
        async fn row_counts(&self) -> [i64; 3] {
            let mut view = self.test.db.read().await.unwrap();
            [
                view.count(sql!("SELECT count(*) FROM identity_sessions")).await.unwrap(),
                view.count(sql!("SELECT count(*) FROM document_traces")).await.unwrap(),
                view.count(sql!("SELECT count(*) FROM erasure_keys")).await.unwrap(),
            ]
        }
    }

    #[tokio::test]
    async fn traces_whose_time_is_over_go_with_their_keys() {
        let stored = StoredSession::open().await;
        assert_eq!(stored.row_counts().await, [1, 2, 3]);
        assert_eq!(traces::purge_expired(&stored.test.db, stored.now).await.unwrap(), 1);
        assert_eq!(stored.row_counts().await, [1, 1, 2]);
        assert_eq!(traces::purge_expired(&stored.test.db, stored.now).await.unwrap(), 0);
        stored.erase().await.unwrap().unwrap();
        assert_eq!(stored.row_counts().await, [0, 0, 0]);
    }

    /// On PostgreSQL, which would end one of two transactions that wait for each other.
    #[tokio::test]
    async fn a_session_is_erased_while_what_was_supplied_for_it_is_destroyed() {
        let stored = StoredSession::open().await;
        let mut tx = stored.test.db.write().await.unwrap();
        assert!(stored.store.lock(&mut tx, stored.session).await.unwrap().is_none(), "it does not open");
        let erasing = stored.erase();
        tokio::time::sleep(LOCK_WAITING_TIME).await;
        stored.store.crypto_shred_unopened(&mut tx, stored.session).await.unwrap();
        tx.commit().await.unwrap();
        erasing.await.unwrap().unwrap();
        assert_eq!(stored.row_counts().await, [0, 0, 0]);
    }

    #[tokio::test]
    async fn a_session_is_erased_while_one_of_its_traces_is_purged() {
        let stored = StoredSession::open().await;
        let mut tx = stored.test.db.write().await.unwrap();
        tx.execute(sql!("DELETE FROM document_traces WHERE id = $1", stored.expired_trace)).await.unwrap();
        let erasing = stored.erase();
        tokio::time::sleep(LOCK_WAITING_TIME).await;
        erasure_keys::erase(&mut tx, KeyOwner::DocumentTrace(stored.expired_trace)).await.unwrap();
        tx.commit().await.unwrap();
        erasing.await.unwrap().unwrap();
        assert_eq!(stored.row_counts().await, [0, 0, 0]);
    }

    /// Nobody waits for whoever erases the session of a trace.
    #[tokio::test]
    async fn traces_are_purged_beside_a_session_that_is_being_erased() {
        let stored = StoredSession::open().await;
        if stored.test.db.engine() == db::Engine::Sqlite {
            return;
        }
        let mut tx = stored.test.db.write().await.unwrap();
        stored.store.erase(&mut tx, stored.session).await.unwrap();
        assert_eq!(traces::purge_expired(&stored.test.db, stored.now).await.unwrap(), 0);
        tx.commit().await.unwrap();
        assert_eq!(stored.row_counts().await, [0, 0, 0]);
    }
}
