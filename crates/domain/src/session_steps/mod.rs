//! What happens in sessions of document and age verification, step by step: for the console's timeline and funnel.
//!
//! Each step is a row without anything of a person: which method or check, when it began and ended, how, and why as a code.
//! It is written in the transaction that changes the session. When the session is deleted, its steps stay for a while as
//! numbers that belong to nobody ([`STEP_RETENTION`]).
//!
//! - this file: recording
//! - `references`: by which references of the application sessions are found
//! - `funnel`: how many begin, finish and leave

mod funnel;
mod references;

pub use funnel::{FunnelQuery, FunnelStep, MAX_FUNNEL_DAYS, funnel};
pub use references::SessionReferences;
pub(crate) use references::forget as forget_references;

use crate::wire_enum::wire_enum;
use base::{AppId, Environment, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, DbTimestamp, Durability, FromRow, Query, ReadTx, WriteTx, sql};

/// How long the steps of a deleted session are counted, from their beginning.
pub const STEP_RETENTION: SignedDuration = SignedDuration::from_hours(24 * 90);
/// The longest reason that is recorded, characters: reasons are codes.
const MAX_REASON_CHARS: usize = 64;
/// What stands for a reason that is no code, which a reviewer wrote for example.
const REASON_IN_WORDS: &str = "IN_WORDS";

wire_enum! {
    /// The kind of a session.
    pub enum SessionKind {
        /// Document verification.
        Document => "DOCUMENT",
        /// Age verification.
        Age => "AGE",
    }
}

wire_enum! {
    /// What happened in a session.
    pub enum SessionStepKind {
        /// The session itself, from its creation to its result.
        Session => "SESSION",
        /// The person opened the page for the first time.
        PageOpened => "PAGE_OPENED",
        /// The person answered whether their biometric data may be used.
        Consent => "CONSENT",
        /// An attempt at a method that proves an age.
        Method => "METHOD",
        /// Something was supplied: a document, a face.
        Capture => "CAPTURE",
        /// The person has supplied everything, and the checks began.
        Submitted => "SUBMITTED",
        /// A check of what was supplied.
        Check => "CHECK",
        /// What was supplied, or a part of it, was destroyed.
        Redaction => "REDACTION",
        /// Somebody asked for a person to look at the result again, until it was decided.
        Appeal => "APPEAL",
        /// The clock of a sandbox session was put forward.
        ClockAdvanced => "CLOCK_ADVANCED",
    }
}

wire_enum! {
    /// How a step ended.
    pub enum SessionStepOutcome {
        /// As it should: an age or a document was accepted, consent was given.
        Passed => "PASSED",
        /// It was refused: an age below the threshold, a document that is not accepted, no consent.
        Failed => "FAILED",
        /// It ended without saying either.
        Undecided => "UNDECIDED",
        /// The person began it and went away, or did something else.
        Left => "LEFT",
    }
}

/// The session that a step belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordedSession {
    pub(crate) kind: SessionKind,
    pub(crate) id: Uuid,
    pub(crate) app: AppId,
    pub(crate) sandbox: bool,
}

/// How a step ended, and why: a code. Words are not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepEnd<'a> {
    pub(crate) outcome: SessionStepOutcome,
    pub(crate) reason: Option<&'a str>,
}

impl<'a> StepEnd<'a> {
    pub(crate) fn of(outcome: SessionStepOutcome) -> Self {
        Self { outcome, reason: None }
    }

    pub(crate) fn because(outcome: SessionStepOutcome, reason: Option<&'a str>) -> Self {
        Self { outcome, reason: reason.map(code_or_placeholder) }
    }
}

/// A reason, if it is a code: a reviewer's own words may name somebody.
fn code_or_placeholder(reason: &str) -> &str {
    let is_code = (1..=MAX_REASON_CHARS).contains(&reason.len())
        && reason.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    if is_code { reason } else { REASON_IN_WORDS }
}

impl RecordedSession {
    fn columns(&self) -> (Option<Uuid>, Option<Uuid>) {
        match self.kind {
            SessionKind::Age => (Some(self.id), None),
            SessionKind::Document => (None, Some(self.id)),
        }
    }

    /// What a new session has written of it: that it began, and the references that it is found by.
    pub(crate) fn creation(
        &self,
        subject: &str,
        references: (&SessionReferences, [Option<&str>; 2]),
        at: Timestamp,
    ) -> Vec<Query> {
        let mut written =
            vec![self.insertion((self.id, SessionStepKind::Session, subject), (at, None), None)];
        let (hashes, given) = references;
        written.extend(hashes.insertions(self, &given, at));
        written
    }

    /// A step begins. `id` is that of what it is about, by which its end is recorded.
    pub(crate) async fn begin(
        &self,
        tx: &mut WriteTx,
        id: Uuid,
        step: SessionStepKind,
        subject: &str,
        at: Timestamp,
    ) -> Result<(), DbError> {
        tx.execute(self.insertion((id, step, subject), (at, None), None)).await.map(drop)
    }

    /// Something happens in a moment.
    pub(crate) async fn record(
        &self,
        tx: &mut WriteTx,
        environment: &dyn Environment,
        step: SessionStepKind,
        subject: &str,
        end: StepEnd<'_>,
    ) -> Result<(), DbError> {
        let (id, now) = (environment.uuid_v7(), environment.now());
        tx.execute(self.insertion((id, step, subject), (now, Some(now)), Some(end))).await.map(drop)
    }

    fn insertion(
        &self,
        (id, step, subject): (Uuid, SessionStepKind, &str),
        (started_at, ended_at): (Timestamp, Option<Timestamp>),
        end: Option<StepEnd<'_>>,
    ) -> Query {
        let (age, document) = self.columns();
        sql!(
            "INSERT INTO session_steps (id, app_id, kind, sandbox, age_session_id, document_session_id, step, subject,
                                        outcome, reason, started_at, ended_at, seconds)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (id) DO NOTHING",
            id,
            self.app,
            self.kind,
            self.sandbox,
            age,
            document,
            step,
            subject,
            end.map(|end| end.outcome.as_str()),
            end.and_then(|end| end.reason),
            started_at,
            ended_at,
            ended_at.map(|_| 0.0),
        )
    }

    /// Ends everything that the person had begun in the session, as they went away.
    pub(crate) async fn leave_open_steps(&self, tx: &mut WriteTx, at: Timestamp) -> Result<(), DbError> {
        let (age, document) = self.columns();
        tx.execute(sql!(
            sqlite: "UPDATE session_steps SET outcome = 'LEFT', ended_at = $3, seconds = ($3 - started_at) / 1000000.0
                      WHERE (age_session_id = $1 OR document_session_id = $2) AND ended_at IS NULL
                        AND step IN ('METHOD', 'CAPTURE')",
            postgres: "UPDATE session_steps SET outcome = 'LEFT', ended_at = CAST($3 AS TIMESTAMPTZ),
                              seconds = CAST(extract(epoch FROM CAST($3 AS TIMESTAMPTZ) - started_at) AS DOUBLE PRECISION)
                        WHERE (age_session_id = $1 OR document_session_id = $2) AND ended_at IS NULL
                          AND step IN ('METHOD', 'CAPTURE')",
            age,
            document,
            at,
        ))
        .await
        .map(drop)
    }
}

/// A step ends. Nothing happens if its beginning was not recorded, by an older build for example, or if it has ended.
pub(crate) async fn end(tx: &mut WriteTx, id: Uuid, end: StepEnd<'_>, at: Timestamp) -> Result<(), DbError> {
    tx.execute(sql!(
        sqlite: "UPDATE session_steps SET outcome = $2, reason = $3, ended_at = $4, seconds = ($4 - started_at) / 1000000.0
                  WHERE id = $1 AND ended_at IS NULL",
        postgres: "UPDATE session_steps SET outcome = $2, reason = $3, ended_at = CAST($4 AS TIMESTAMPTZ),
                          seconds = CAST(extract(epoch FROM CAST($4 AS TIMESTAMPTZ) - started_at) AS DOUBLE PRECISION)
                    WHERE id = $1 AND ended_at IS NULL",
        id,
        end.outcome,
        end.reason,
        at,
    ))
    .await
    .map(drop)
}

/// A step that had ended goes on: a session that is tried again.
pub(crate) async fn reopen(tx: &mut WriteTx, id: Uuid) -> Result<(), DbError> {
    tx.execute(sql!(
        "UPDATE session_steps SET outcome = NULL, reason = NULL, ended_at = NULL, seconds = NULL WHERE id = $1",
        id,
    ))
    .await
    .map(drop)
}

/// Whether a session has a step of this kind.
pub(crate) async fn has_step(
    view: &mut ReadTx,
    session: &RecordedSession,
    step: SessionStepKind,
) -> Result<bool, DbError> {
    let steps = match session.kind {
        SessionKind::Age => {
            view.count(sql!(
                "SELECT count(*) FROM session_steps WHERE age_session_id = $1 AND step = $2",
                session.id,
                step,
            ))
            .await?
        }
        SessionKind::Document => {
            view.count(sql!(
                "SELECT count(*) FROM session_steps WHERE document_session_id = $1 AND step = $2",
                session.id,
                step,
            ))
            .await?
        }
    };
    Ok(steps > 0)
}

/// Records that the person opened the page, the first time. Reading it again costs no write.
pub(crate) async fn record_page_opened(
    db: &Db,
    environment: &dyn Environment,
    session: &RecordedSession,
) -> Result<(), DbError> {
    let step = SessionStepKind::PageOpened;
    // A session of an older build has no row, and does not get half of its history.
    let mut view = db.read().await?;
    let known = has_step(&mut view, session, SessionStepKind::Session).await?;
    if !known || has_step(&mut view, session, step).await? {
        return Ok(());
    }
    drop(view);
    let mut tx = db.write_with_durability(Durability::Process).await?;
    // Of two that come together one writes; on PostgreSQL the session's row makes them queue.
    lock_session_step(&mut tx, session.id).await?;
    if !has_step(&mut tx, session, step).await? {
        session.record(&mut tx, environment, step, "PAGE", StepEnd::of(SessionStepOutcome::Passed)).await?;
    }
    tx.commit().await
}

async fn lock_session_step(tx: &mut WriteTx, id: Uuid) -> Result<(), DbError> {
    tx.execute(sql!("UPDATE session_steps SET subject = subject WHERE id = $1", id)).await.map(drop)
}

/// A step, as the console shows it.
#[derive(Clone, Debug, FromRow)]
pub struct SessionStep {
    #[sqlx(try_from = "String")]
    pub step: SessionStepKind,
    /// A method, a kind of resource, a check.
    pub subject: String,
    pub outcome: Option<String>,
    pub reason: Option<String>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub started_at: Timestamp,
    pub ended_at: Option<DbTimestamp>,
}

/// The steps of a session in the order of time, at most 500.
pub(crate) async fn of_session(
    view: &mut ReadTx,
    kind: SessionKind,
    id: Uuid,
) -> Result<Vec<SessionStep>, DbError> {
    match kind {
        SessionKind::Age => {
            view.fetch_all(sql!(
                "SELECT step, subject, outcome, reason, started_at, ended_at FROM session_steps
                  WHERE age_session_id = $1 ORDER BY started_at, id LIMIT 500",
                id,
            ))
            .await
        }
        SessionKind::Document => {
            view.fetch_all(sql!(
                "SELECT step, subject, outcome, reason, started_at, ended_at FROM session_steps
                  WHERE document_session_id = $1 ORDER BY started_at, id LIMIT 500",
                id,
            ))
            .await
        }
    }
}

/// Deletes steps of deleted sessions whose time is over, at most 5,000; returns how many.
pub(crate) async fn purge(db: &Db, environment: &dyn Environment) -> Result<u64, DbError> {
    let mut tx = db.write_with_durability(Durability::Process).await?;
    let rows = tx
        .execute(sql!(
            "DELETE FROM session_steps WHERE id IN
                (SELECT id FROM session_steps
                  WHERE started_at < $1 AND age_session_id IS NULL AND document_session_id IS NULL
                  ORDER BY started_at LIMIT 5000)",
            environment.now() - STEP_RETENTION,
        ))
        .await?;
    tx.commit().await?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_codes_are_recorded_as_reasons() {
        assert_eq!(code_or_placeholder("DATA_MISMATCH"), "DATA_MISMATCH");
        for words in ["Grace Hopper", "", "grace", &"A".repeat(65)] {
            assert_eq!(code_or_placeholder(words), "IN_WORDS", "{words}");
        }
    }
}
