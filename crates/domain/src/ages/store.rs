//! How sessions are kept: a row each, sealed, taken by an update so that changes queue on both databases.

use super::{Ages, CreateRule, NotDone, session::Session, wanted::Wanted};
use base::{AgeSessionId, AppId, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, Durability, FromRow, Json, Read, Tx, sql};

/// A session that nobody else changes.
pub(super) struct Held {
    pub(super) session: Session,
    version: i64,
}

#[derive(FromRow)]
struct Row {
    id: AgeSessionId,
    sealed: Vec<u8>,
    version: i64,
}

fn place(id: AgeSessionId) -> Vec<u8> {
    format!("age session {id}").into_bytes()
}

impl Ages {
    fn open_row(&self, row: &Row) -> Option<Held> {
        let plain = self.0.vault.open(&place(row.id), &row.sealed).ok();
        let session = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
        if session.is_none() {
            tracing::error!(session.id = %row.id, "an age session does not open: it was damaged, or the master key is another one");
        }
        Some(Held { session: session?, version: row.version })
    }

    fn seal(&self, session: &Session) -> Vec<u8> {
        let plain = serde_json::to_vec(session).expect("a session is JSON");
        self.0.vault.seal(&*self.0.world, &place(session.id), &plain)
    }

    /// Writes a new session.
    pub(super) async fn insert(&self, tx: &mut Tx, session: &Session) -> Result<(), DbError> {
        // Nobody asks an issuer what came of a session.
        let keep = if session.issues.is_some() { SignedDuration::ZERO } else { self.0.settings.keep };
        tx.execute(sql!(
            "INSERT INTO age_sessions (id, app_id, sandbox, state, sealed, version, until_at, forget_at, created_at)
             VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8)",
            session.id,
            session.app,
            session.sandbox,
            session.state,
            self.seal(session),
            session.wanted.until,
            session.wanted.until + keep,
            session.created_at,
        ))
        .await
        .map(drop)
    }

    /// A session, whoever's, as it stands.
    pub(super) async fn find(&self, id: AgeSessionId) -> Result<Option<Session>, DbError> {
        let mut view = self.0.db.read().await?;
        let row: Option<Row> = view
            .fetch_optional(sql!("SELECT id, sealed, version FROM age_sessions WHERE id = $1", id))
            .await?;
        Ok(row.and_then(|row| self.open_row(&row)).map(|held| held.session))
    }

    /// A session that nobody else changes until the transaction ends.
    pub(super) async fn hold(&self, tx: &mut Tx, id: AgeSessionId) -> Result<Option<Held>, DbError> {
        let row: Option<Row> = tx
            .fetch_optional(sql!(
                "UPDATE age_sessions SET version = version + 1 WHERE id = $1 RETURNING id, sealed, version",
                id,
            ))
            .await?;
        Ok(row.and_then(|row| self.open_row(&row)))
    }

    /// Writes a held session back.
    pub(super) async fn keep(&self, tx: &mut Tx, held: &Held) -> Result<(), DbError> {
        let Held { session, version } = held;
        tx.execute(sql!(
            "UPDATE age_sessions SET state = $3, sealed = $4 WHERE id = $1 AND version = $2",
            session.id,
            *version,
            session.state,
            self.seal(session),
        ))
        .await
        .map(drop)
    }

    /// Keeps a rule.
    pub async fn make_rule(&self, tx: &mut Tx, command: CreateRule) -> Result<Uuid, DbError> {
        let id = self.0.world.random_uuid();
        tx.execute(sql!(
            "INSERT INTO age_rules (id, app_id, sandbox, wanted, created_at) VALUES ($1, $2, $3, $4, $5)",
            id,
            command.app,
            command.sandbox,
            serde_json::to_value(command.wanted).expect("a payload is JSON"),
            self.0.world.now(),
        ))
        .await?;
        Ok(id)
    }

    /// A rule of an application.
    pub(super) async fn rule(
        &self,
        view: &mut Read,
        app: AppId,
        sandbox: bool,
        id: Uuid,
    ) -> Result<Option<Wanted>, DbError> {
        #[derive(FromRow)]
        struct Rule {
            wanted: Json<Wanted>,
        }
        let rule: Option<Rule> = view
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
    let tokens = super::methods::purge_tokens(db, now).await? + super::anonymity::purge(db, now).await?;
    let mut tx = db.write_as(Durability::Process).await?;
    let rows = tx
        .execute(sql!(
            "DELETE FROM age_sessions WHERE id IN (SELECT id FROM age_sessions WHERE forget_at <= $1 LIMIT 1000)",
            now,
        ))
        .await?;
    tx.commit().await?;
    Ok(rows + tokens)
}

impl From<db::DbError> for NotDone {
    fn from(error: DbError) -> Self {
        Self::Db(error)
    }
}
