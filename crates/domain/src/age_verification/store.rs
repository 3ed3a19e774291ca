//! How sessions are kept: a row each, sealed, taken by an update so that changes queue on both databases.

use super::{
    AgeSessionError, AgeVerificationService, CreateAgeRule, session::AgeSession,
    session_config::AgeSessionConfig,
};
use base::{AgeSessionId, AppId, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, Durability, FromRow, Json, ReadTx, WriteTx, sql};

/// A session that nobody else changes.
pub(super) struct LockedAgeSession {
    pub(super) session: AgeSession,
    version: i64,
}

#[derive(FromRow)]
struct SessionRow {
    id: AgeSessionId,
    sealed: Vec<u8>,
    version: i64,
}

fn session_aad(id: AgeSessionId) -> Vec<u8> {
    format!("age session {id}").into_bytes()
}

impl AgeVerificationService {
    fn open_row(&self, row: &SessionRow) -> Option<LockedAgeSession> {
        let plain = self.0.vault.open(&session_aad(row.id), &row.sealed).ok();
        let session = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
        if session.is_none() {
            tracing::error!(session.id = %row.id, "an age session does not open: it was damaged, or the master key is another one");
        }
        Some(LockedAgeSession { session: session?, version: row.version })
    }

    fn seal_session(&self, session: &AgeSession) -> Vec<u8> {
        let plain = serde_json::to_vec(session).expect("a session is JSON");
        self.0.vault.seal(&*self.0.world, &session_aad(session.id), &plain)
    }

    /// Writes a new session.
    pub(super) async fn insert_session(&self, tx: &mut WriteTx, session: &AgeSession) -> Result<(), DbError> {
        // Nobody asks an issuer what came of a session.
        let keep =
            if session.issues.is_some() { SignedDuration::ZERO } else { self.0.settings.session_retention };
        tx.execute(sql!(
            "INSERT INTO age_sessions (id, app_id, sandbox, state, sealed, version, until_at, forget_at, created_at)
             VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8)",
            session.id,
            session.app,
            session.sandbox,
            session.state,
            self.seal_session(session),
            session.wanted.until,
            session.wanted.until + keep,
            session.created_at,
        ))
        .await
        .map(drop)
    }

    /// A session, whoever's, as it stands.
    pub(super) async fn find_session(&self, id: AgeSessionId) -> Result<Option<AgeSession>, DbError> {
        let mut view = self.0.db.read().await?;
        let row: Option<SessionRow> = view
            .fetch_optional(sql!("SELECT id, sealed, version FROM age_sessions WHERE id = $1", id))
            .await?;
        Ok(row.and_then(|row| self.open_row(&row)).map(|held| held.session))
    }

    /// A session that nobody else changes until the transaction ends.
    pub(super) async fn lock_session(
        &self,
        tx: &mut WriteTx,
        id: AgeSessionId,
    ) -> Result<Option<LockedAgeSession>, DbError> {
        let row: Option<SessionRow> = tx
            .fetch_optional(sql!(
                "UPDATE age_sessions SET version = version + 1 WHERE id = $1 RETURNING id, sealed, version",
                id,
            ))
            .await?;
        Ok(row.and_then(|row| self.open_row(&row)))
    }

    /// Writes a held session back.
    pub(super) async fn save_session(
        &self,
        tx: &mut WriteTx,
        held: &LockedAgeSession,
    ) -> Result<(), DbError> {
        let LockedAgeSession { session, version } = held;
        tx.execute(sql!(
            "UPDATE age_sessions SET state = $3, sealed = $4 WHERE id = $1 AND version = $2",
            session.id,
            *version,
            session.state,
            self.seal_session(session),
        ))
        .await
        .map(drop)
    }

    /// Keeps a rule.
    pub async fn create_rule(&self, tx: &mut WriteTx, command: CreateAgeRule) -> Result<Uuid, DbError> {
        let id = self.0.world.uuid_v4();
        tx.execute(sql!(
            "INSERT INTO age_rules (id, app_id, sandbox, wanted, created_at) VALUES ($1, $2, $3, $4, $5)",
            id,
            command.app,
            command.sandbox,
            serde_json::to_value(command.config).expect("a payload is JSON"),
            self.0.world.now(),
        ))
        .await?;
        Ok(id)
    }

    /// A rule of an application.
    pub(super) async fn find_rule(
        &self,
        view: &mut ReadTx,
        app: AppId,
        sandbox: bool,
        id: Uuid,
    ) -> Result<Option<AgeSessionConfig>, DbError> {
        #[derive(FromRow)]
        struct RuleRow {
            wanted: Json<AgeSessionConfig>,
        }
        let rule: Option<RuleRow> = view
            .fetch_optional(sql!(
                "SELECT wanted FROM age_rules WHERE id = $1 AND app_id = $2 AND sandbox = $3",
                id,
                app,
                sandbox,
            ))
            .await?;
        Ok(rule.map(|rule| rule.wanted.0))
    }
}

/// Forgets sessions and kept results that have had their time, at most 1,000 of each at once; how many.
pub async fn purge(db: &Db, now: Timestamp) -> Result<u64, DbError> {
    let tokens = super::methods::purge_stored_results(db, now).await?
        + super::blind_tokens::purge_issuer_keys(db, now).await?;
    let mut tx = db.write_with_durability(Durability::Process).await?;
    let rows = tx
        .execute(sql!(
            "DELETE FROM age_sessions WHERE id IN (SELECT id FROM age_sessions WHERE forget_at <= $1 LIMIT 1000)",
            now,
        ))
        .await?;
    tx.commit().await?;
    Ok(rows + tokens)
}

impl From<db::DbError> for AgeSessionError {
    fn from(error: DbError) -> Self {
        Self::Db(error)
    }
}
