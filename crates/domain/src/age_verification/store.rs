//! How sessions are stored: one sealed row each, locked by an update, so that changes queue on both databases.

use super::{
    AgeSessionError, appeal_store, attempt_budgets, blind_tokens,
    session::AgeSession,
    step_recorder::{self, AgeSessionProgress},
    stored_result_store, webhook_signer,
};
use crate::{
    delivery,
    erasure_keys::{self, ErasureKeys, KeyOwner},
    session_steps::{self, SessionReferences, SessionStepKind, SessionStepOutcome, StepEnd},
    vault::Vault,
};
use base::{AgeSessionId, AppId, Environment, SignedDuration, Timestamp, Uuid};
use db::{AuditEvent, Db, DbError, Durability, FromRow, ReadTx, WriteTx, ids_json, sql};
use serde::{Serialize, de::DeserializeOwned};
use std::sync::Arc;

/// How long after its `until` a session without a result is kept for the jobs that end it, whatever the retention. A check of
/// documents ends when what was supplied is destroyed, a day after that at most; what is still open then has a row that does
/// not open, or a job that failed for good.
const MAX_WAIT_FOR_RESULT: SignedDuration = SignedDuration::from_hours(48);

/// How long after a message about a session was queued the session is kept for it, whatever the retention: with the session what
/// the message says is erased. It is tried for a day, or somewhat longer after an outage of this server.
const MAX_WAIT_FOR_DELIVERY: SignedDuration = SignedDuration::from_hours(48);

/// Loads, locks and saves sessions.
#[derive(Debug)]
pub(super) struct AgeSessionStore {
    db: Db,
    environment: Arc<dyn Environment>,
    keys: ErasureKeys,
    references: SessionReferences,
    /// How long a session is kept after it expires.
    retention: SignedDuration,
}

/// A session that nobody else can change until the transaction ends that locked it.
pub(super) struct LockedAgeSession {
    pub(super) session: AgeSession,
    /// Of the session's own key.
    vault: Vault,
    version: i64,
    /// What it was when it was locked.
    before: AgeSessionProgress,
}

#[derive(FromRow)]
struct SessionRow {
    id: AgeSessionId,
    key: Option<Vec<u8>>,
    sealed: Vec<u8>,
    version: i64,
}

fn session_aad(id: AgeSessionId) -> Vec<u8> {
    format!("age session {id}").into_bytes()
}

impl LockedAgeSession {
    /// Seals something of the session with its own key, as JSON.
    pub(super) fn seal(&self, environment: &dyn Environment, aad: &[u8], value: &impl Serialize) -> Vec<u8> {
        let plain = serde_json::to_vec(value).expect("what is sealed is JSON");
        self.seal_bytes(environment, aad, &plain)
    }

    pub(super) fn seal_bytes(&self, environment: &dyn Environment, aad: &[u8], plain: &[u8]) -> Vec<u8> {
        self.vault.seal(environment, aad, plain)
    }

    /// Opens what was sealed so; `None` if it was damaged.
    pub(super) fn open<T: DeserializeOwned>(&self, aad: &[u8], sealed: &[u8]) -> Option<T> {
        serde_json::from_slice(&self.open_bytes(aad, sealed)?).ok()
    }

    pub(super) fn open_bytes(&self, aad: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        self.vault.open(aad, sealed).ok()
    }
}

impl AgeSessionStore {
    pub(super) fn new(
        db: Db,
        environment: Arc<dyn Environment>,
        vault: Vault,
        retention: SignedDuration,
    ) -> Self {
        let references = SessionReferences::new(vault.clone());
        let keys = ErasureKeys { vault, environment: environment.clone() };
        Self { db, environment, keys, references, retention }
    }

    /// Writes a new session.
    pub(super) async fn insert(&self, tx: &mut WriteTx, session: &AgeSession) -> Result<(), DbError> {
        // A session of the issuer is deleted when it expires: nobody reads its result.
        let retention = if session.issues.is_some() { SignedDuration::ZERO } else { self.retention };
        let (key, key_written) = self.keys.generate(KeyOwner::AgeSession(session.id));
        let session_written = sql!(
            "INSERT INTO age_sessions (id, app_id, sandbox, state, sealed, version, until_at, forget_at, created_at)
             VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8)",
            session.id,
            session.app,
            session.sandbox,
            session.state,
            self.seal(&Vault::with_key(key), session),
            session.wanted.until,
            session.wanted.until + retention,
            session.created_at,
        );
        let mut written = vec![key_written, session_written];
        let recorded = step_recorder::recorded(session);
        if let Some(recorded) = &recorded {
            let given = [session.wanted.reference_id.as_deref(), session.wanted.account_id.as_deref()];
            let references = (&self.references, given);
            written.extend(recorded.creation(session.wanted.kind.as_str(), references, session.created_at));
        }
        tx.execute_all(written).await?;
        match recorded {
            Some(_) => {
                let before = AgeSessionProgress::NOT_BEGUN;
                step_recorder::record_changes(tx, &*self.environment, before, session).await
            }
            None => Ok(()),
        }
    }

    /// Records that the end user opened the page of a session.
    pub(super) async fn record_page_opened(&self, session: &AgeSession) -> Result<(), DbError> {
        match step_recorder::recorded(session) {
            Some(recorded) => {
                session_steps::record_page_opened(&self.db, &*self.environment, &recorded).await
            }
            None => Ok(()),
        }
    }

    /// A session as it stands, of any application, in production or the sandbox.
    pub(super) async fn find(&self, id: AgeSessionId) -> Result<Option<AgeSession>, DbError> {
        Ok(self.read(&mut self.db.read_once().await?, id).await?.map(|stored| stored.session))
    }

    /// Whether there is a session, also if it does not open.
    pub(super) async fn exists(&self, id: AgeSessionId) -> Result<bool, DbError> {
        let mut view = self.db.read_once().await?;
        Ok(view.count(sql!("SELECT count(*) FROM age_sessions WHERE id = $1", id)).await? > 0)
    }

    /// As [`Self::find`], with what else is sealed of the session. It is not locked.
    pub(super) async fn read(
        &self,
        view: &mut ReadTx,
        id: AgeSessionId,
    ) -> Result<Option<LockedAgeSession>, DbError> {
        let row: Option<SessionRow> = view
            .fetch_optional(sql!(
                "SELECT s.id, k.sealed AS key, s.sealed, s.version FROM age_sessions s
                   LEFT JOIN erasure_keys k ON k.owner_id = s.id WHERE s.id = $1",
                id,
            ))
            .await?;
        Ok(row.and_then(|row| self.open(&row)))
    }

    /// As [`Self::find`], but a missing session is an error.
    pub(super) async fn get(&self, id: AgeSessionId) -> Result<AgeSession, AgeSessionError> {
        self.find(id).await?.ok_or(AgeSessionError::SessionNotFound)
    }

    /// As [`Self::get`], for a session of the sandbox or of production only.
    pub(super) async fn get_in(
        &self,
        id: AgeSessionId,
        sandbox: bool,
    ) -> Result<AgeSession, AgeSessionError> {
        let session = self.find(id).await?.filter(|session| session.sandbox == sandbox);
        session.ok_or(AgeSessionError::SessionNotFound)
    }

    /// Begins a transaction in which nobody else can change the session.
    pub(super) async fn lock(
        &self,
        id: AgeSessionId,
    ) -> Result<(WriteTx, LockedAgeSession), AgeSessionError> {
        let mut tx = self.db.write().await?;
        let locked = self.lock_in(&mut tx, id).await?;
        Ok((tx, locked))
    }

    /// As [`Self::lock`], in a transaction of the caller's.
    pub(super) async fn lock_in(
        &self,
        tx: &mut WriteTx,
        id: AgeSessionId,
    ) -> Result<LockedAgeSession, AgeSessionError> {
        let row: Option<SessionRow> = tx
            .fetch_optional(sql!(
                "UPDATE age_sessions SET version = version + 1 WHERE id = $1
                 RETURNING id, (SELECT k.sealed FROM erasure_keys k WHERE k.owner_id = age_sessions.id) AS key,
                           sealed, version",
                id,
            ))
            .await?;
        row.and_then(|row| self.open(&row)).ok_or(AgeSessionError::SessionNotFound)
    }

    /// As [`Self::lock`], but refuses a session that has expired.
    pub(super) async fn lock_live(
        &self,
        id: AgeSessionId,
    ) -> Result<(WriteTx, LockedAgeSession), AgeSessionError> {
        let (tx, locked) = self.lock(id).await?;
        if locked.session.is_live(self.environment.now()) {
            Ok((tx, locked))
        } else {
            Err(AgeSessionError::Expired)
        }
    }

    /// Sessions that ran out before they had a result, those that did so first, at most 100.
    pub(super) async fn find_run_out(&self, now: Timestamp) -> Result<Vec<AgeSessionId>, DbError> {
        #[derive(FromRow)]
        struct IdRow {
            id: AgeSessionId,
        }
        let mut db = self.db.read_once().await?;
        let rows: Vec<IdRow> = db
            .fetch_all(sql!(
                "SELECT id FROM age_sessions WHERE state IN ('PENDING', 'IN_PROGRESS') AND until_at <= $1
                  ORDER BY until_at, id LIMIT 100",
                now,
            ))
            .await?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    /// Writes a locked session back.
    pub(super) async fn save(&self, tx: &mut WriteTx, locked: &LockedAgeSession) -> Result<(), DbError> {
        let LockedAgeSession { session, vault, version, before } = locked;
        step_recorder::record_changes(tx, &*self.environment, *before, session).await?;
        tx.execute(sql!(
            "UPDATE age_sessions SET state = $3, sealed = $4 WHERE id = $1 AND version = $2",
            session.id,
            *version,
            session.state,
            self.seal(vault, session),
        ))
        .await
        .map(drop)
    }

    /// Erases a session of an application; returns it as it was.
    pub(super) async fn erase(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        id: AgeSessionId,
    ) -> Result<AgeSession, AgeSessionError> {
        let locked = self.lock_in(tx, id).await?;
        if locked.session.app != app {
            return Err(AgeSessionError::SessionNotFound);
        }
        erase(tx, id, self.environment.now()).await?;
        tx.audit(AuditEvent::new("age-session.delete").app(app).target(id));
        Ok(locked.session)
    }

    /// Puts the clock of a session of the sandbox forward: everything that is due comes earlier by so much.
    pub(super) async fn advance_clock(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        id: AgeSessionId,
        by: SignedDuration,
    ) -> Result<(), AgeSessionError> {
        #[derive(FromRow)]
        struct DueRow {
            #[sqlx(try_from = "db::DbTimestamp")]
            forget_at: Timestamp,
        }
        let mut locked = self.lock_in(tx, id).await?;
        if locked.session.app != app || !locked.session.sandbox {
            return Err(AgeSessionError::SessionNotFound);
        }
        locked.session.wanted.until -= by;
        self.save(tx, &locked).await?;
        let due: Option<DueRow> =
            tx.fetch_optional(sql!("SELECT forget_at FROM age_sessions WHERE id = $1", id)).await?;
        let DueRow { forget_at } = due.ok_or(AgeSessionError::SessionNotFound)?;
        tx.execute(sql!(
            "UPDATE age_sessions SET until_at = $2, forget_at = $3 WHERE id = $1",
            id,
            locked.session.wanted.until,
            forget_at - by,
        ))
        .await?;
        if let Some(recorded) = step_recorder::recorded(&locked.session) {
            let (step, end) = (SessionStepKind::ClockAdvanced, StepEnd::of(SessionStepOutcome::Passed));
            recorded.record(tx, &*self.environment, step, &by.to_string(), end).await?;
        }
        Ok(())
    }

    /// Writes a locked session back and commits.
    pub(super) async fn commit(
        &self,
        mut tx: WriteTx,
        locked: LockedAgeSession,
    ) -> Result<AgeSession, DbError> {
        self.save(&mut tx, &locked).await?;
        tx.commit().await?;
        Ok(locked.session)
    }

    fn open(&self, row: &SessionRow) -> Option<LockedAgeSession> {
        let vault = self.keys.vault_of(KeyOwner::AgeSession(row.id), row.key.as_deref());
        let plain = vault.open(&session_aad(row.id), &row.sealed).ok();
        let session = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
        if session.is_none() {
            tracing::error!(
                session.id = %row.id,
                "an age session does not open: it was damaged, or the master key is another one"
            );
        }
        let session: AgeSession = session?;
        let before = AgeSessionProgress::of(&session);
        Some(LockedAgeSession { session, vault, version: row.version, before })
    }

    fn seal(&self, vault: &Vault, session: &AgeSession) -> Vec<u8> {
        let plain = serde_json::to_vec(session).expect("a session is JSON");
        vault.seal(&*self.environment, &session_aad(session.id), &plain)
    }
}

/// Locks the row of a session until the transaction ends; returns whether there is one. Before anything else of the session, as
/// wherever one is changed or erased, so that no two transactions wait for each other.
pub(crate) async fn lock_session(tx: &mut WriteTx, id: AgeSessionId) -> Result<bool, DbError> {
    Ok(tx.execute(sql!("UPDATE age_sessions SET version = version WHERE id = $1", id)).await? > 0)
}

/// Erases a session, whose row is locked: what messages say about it, its row, its key.
pub(super) async fn erase(tx: &mut WriteTx, id: AgeSessionId, now: Timestamp) -> Result<bool, DbError> {
    appeal_store::delete_picture(tx, id).await?;
    delivery::erase_messages_about(tx, &[id.into()], now).await?;
    let erased = tx.execute(sql!("DELETE FROM age_sessions WHERE id = $1", id)).await? > 0;
    erasure_keys::erase(tx, KeyOwner::AgeSession(id)).await?;
    Ok(erased)
}

/// Erases a session again that a restored backup brought back; returns whether there was one.
pub async fn erase_again(db: &Db, now: Timestamp, id: AgeSessionId) -> Result<bool, DbError> {
    let mut tx = db.write().await?;
    if !lock_session(&mut tx, id).await? {
        return Ok(false);
    }
    tx.audit(AuditEvent::new("age-session.delete").target(id));
    erase(&mut tx, id, now).await?;
    tx.commit().await?;
    Ok(true)
}

/// Deletes sessions, stored results, keys, redeemed tokens, counters of budgets and used tokens of secure capture
/// whose time is over, at most 1,000 rows of each (keys: all). A session without a result is first ended by the jobs that
/// tell its relying party, and messages about it are delivered first. Returns how many rows.
pub async fn purge(db: &Db, now: Timestamp) -> Result<u64, DbError> {
    let others = stored_result_store::purge_stored_results(db, now).await?
        + blind_tokens::purge_issuer_keys(db, now).await?
        + webhook_signer::purge_webhook_keys(db, now).await?
        + attempt_budgets::purge_usage(db, now).await?
        + appeal_store::purge_pictures(db, now).await?;
    let mut tx = db.write_with_durability(Durability::Process).await?;
    let due = lock_due(&mut tx, now).await?;
    delivery::erase_messages_about(&mut tx, &due, now).await?;
    erasure_keys::delete_keys(&mut tx, &due).await?;
    let sessions = tx
        .execute(sql!(
            sqlite: "DELETE FROM age_sessions WHERE id IN (SELECT unhex(value) FROM json_each($1))",
            postgres: "DELETE FROM age_sessions
                        WHERE id IN (SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($1))",
            ids_json(&due),
        ))
        .await?;
    if sessions + others > 0 {
        erasure_keys::record_erasure(&mut tx).await?;
    }
    tx.commit().await?;
    Ok(sessions + others)
}

/// Locks sessions whose time is over, at most 1,000, before anything else of them is deleted, as where a single one is erased.
/// One that is being changed at this moment is not waited for: it is deleted the next time.
async fn lock_due(tx: &mut WriteTx, now: Timestamp) -> Result<Vec<Uuid>, DbError> {
    #[derive(FromRow)]
    struct DueRow {
        id: Uuid,
    }
    let due: Vec<DueRow> = tx
        .fetch_all(sql!(
            sqlite: "SELECT id FROM age_sessions
                      WHERE forget_at <= $1
                        AND (state NOT IN ('PENDING', 'IN_PROGRESS', 'PROCESSING') OR until_at <= $2)
                        AND NOT EXISTS
                            (SELECT 1 FROM delivery_subjects s JOIN deliveries d ON d.id = s.delivery_id
                              WHERE s.subject_id = age_sessions.id AND d.state IN ('WAITING', 'RUNNING')
                                AND d.created_at > $3)
                      ORDER BY forget_at, id LIMIT 1000",
            postgres: "SELECT id FROM age_sessions
                        WHERE forget_at <= $1
                          AND (state NOT IN ('PENDING', 'IN_PROGRESS', 'PROCESSING') OR until_at <= $2)
                          AND NOT EXISTS
                              (SELECT 1 FROM delivery_subjects s JOIN deliveries d ON d.id = s.delivery_id
                                WHERE s.subject_id = age_sessions.id AND d.state IN ('WAITING', 'RUNNING')
                                  AND d.created_at > $3)
                        ORDER BY forget_at, id LIMIT 1000 FOR UPDATE SKIP LOCKED",
            now,
            now - MAX_WAIT_FOR_RESULT,
            now - MAX_WAIT_FOR_DELIVERY,
        ))
        .await?;
    Ok(due.into_iter().map(|row| row.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenancy::testing::{LOCK_WAITING_TIME, TestApplication};
    use base::DeliveryId;
    use db::testing::TestDb;

    /// The row of a session that ends now and is not kept, with its key and a message about it.
    struct StoredSession {
        test: TestDb,
        now: Timestamp,
        session: AgeSessionId,
    }

    impl StoredSession {
        async fn open(message_state: &str) -> Self {
            let TestApplication { test, environment, vault, app } = TestApplication::open().await;
            let now = environment.now();
            let (session, delivery): (AgeSessionId, DeliveryId) =
                (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
            let mut tx = test.db.write().await.unwrap();
            tx.execute(sql!(
                "INSERT INTO age_sessions (id, app_id, sandbox, state, sealed, version, until_at, forget_at, created_at)
                 VALUES ($1, $2, FALSE, 'COMPLETE', $3, 1, $4, $4, $4)",
                session,
                app,
                vec![0_u8],
                now,
            ))
            .await
            .unwrap();
            let keys = ErasureKeys { vault, environment };
            keys.create(&mut tx, KeyOwner::AgeSession(session)).await.unwrap();
            tx.execute(sql!(
                "INSERT INTO deliveries (id, app_id, topic, endpoint, sealed, state, tries, attempts, begun_at, next_at,
                                         created_at)
                 VALUES ($1, $2, 'ages.result', 'endpoint', $3, $4, 1, $5, $6, $6, $6)",
                delivery,
                app,
                vec![0_u8],
                message_state,
                serde_json::json!([]),
                now,
            ))
            .await
            .unwrap();
            tx.execute(sql!(
                "INSERT INTO delivery_subjects (subject_id, delivery_id) VALUES ($1, $2)",
                session,
                delivery,
            ))
            .await
            .unwrap();
            tx.commit().await.unwrap();
            Self { test, now, session }
        }

        /// Begins a transaction that has the row of the session, as everything that changes or erases one does first.
        async fn lock(&self) -> WriteTx {
            let mut tx = self.test.db.write().await.unwrap();
            let locked = sql!("UPDATE age_sessions SET version = version + 1 WHERE id = $1", self.session);
            assert_eq!(tx.execute(locked).await.unwrap(), 1);
            tx
        }

        /// Erases the session in the transaction that has its row.
        async fn erase(&self, mut tx: WriteTx) {
            assert!(erase(&mut tx, self.session, self.now).await.unwrap());
            tx.commit().await.unwrap();
        }

        /// How many sessions, keys, and messages that say something there are.
        async fn row_counts(&self) -> [i64; 3] {
            let mut view = self.test.db.read().await.unwrap();
            [
                view.count(sql!("SELECT count(*) FROM age_sessions")).await.unwrap(),
                view.count(sql!("SELECT count(*) FROM erasure_keys")).await.unwrap(),
                view.count(sql!("SELECT count(*) FROM deliveries WHERE length(sealed) > 0")).await.unwrap(),
            ]
        }
    }

    /// On PostgreSQL, which would end one of two transactions that wait for each other.
    #[tokio::test]
    async fn a_session_is_erased_while_those_are_purged_whose_time_is_over() {
        let stored = StoredSession::open("DELIVERED").await;
        let tx = stored.lock().await;
        let (db, now) = (stored.test.db.clone(), stored.now);
        let purging = tokio::spawn(async move { purge(&db, now).await });
        tokio::time::sleep(LOCK_WAITING_TIME).await;
        stored.erase(tx).await;
        assert_eq!(purging.await.unwrap().unwrap(), 0);
        assert_eq!(stored.row_counts().await, [0, 0, 0]);
    }

    #[tokio::test]
    async fn a_session_is_erased_while_it_is_erased_again_after_a_restore() {
        let stored = StoredSession::open("DELIVERED").await;
        let tx = stored.lock().await;
        let (db, now, session) = (stored.test.db.clone(), stored.now, stored.session);
        let erasing = tokio::spawn(async move { erase_again(&db, now, session).await });
        tokio::time::sleep(LOCK_WAITING_TIME).await;
        stored.erase(tx).await;
        assert!(!erasing.await.unwrap().unwrap(), "it is gone");
        assert_eq!(stored.row_counts().await, [0, 0, 0]);
    }

    #[tokio::test]
    async fn a_session_that_is_not_kept_is_kept_until_its_relying_party_was_told() {
        for state in ["WAITING", "RUNNING"] {
            let stored = StoredSession::open(state).await;
            assert_eq!(purge(&stored.test.db, stored.now).await.unwrap(), 0);
            assert_eq!(stored.row_counts().await, [1, 1, 1], "{state}");
            let mut tx = stored.test.db.write().await.unwrap();
            let delivered = sql!("UPDATE deliveries SET state = 'DELIVERED', ended_at = $1", stored.now);
            tx.execute(delivered).await.unwrap();
            tx.commit().await.unwrap();
            assert_eq!(purge(&stored.test.db, stored.now).await.unwrap(), 1);
            assert_eq!(stored.row_counts().await, [0, 0, 0], "{state}");
        }
        // One that nobody takes is not waited for without end.
        let stored = StoredSession::open("WAITING").await;
        assert_eq!(purge(&stored.test.db, stored.now + MAX_WAIT_FOR_DELIVERY).await.unwrap(), 1);
        assert_eq!(stored.row_counts().await, [0, 0, 0]);
    }
}
