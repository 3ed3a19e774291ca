//! Which sessions there are, newest first, both kinds in one list. What is sealed is not opened for it.

use super::VerificationSessions;
use crate::session_steps::{SessionKind, SessionStepOutcome};
use base::{AppId, Timestamp, Uuid};
use db::{DbError, DbTimestamp, FromRow, ReadTx, sql};

/// A session, without anything of its person.
#[derive(Clone, Debug, FromRow)]
pub struct VerificationSessionRecord {
    pub id: Uuid,
    #[sqlx(try_from = "String")]
    pub kind: SessionKind,
    pub app_id: AppId,
    /// `None`: an older build made it, and it is not known without opening it.
    pub sandbox: Option<bool>,
    /// As its interface says it.
    pub state: String,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    /// The end of the person's time.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub expires_at: Timestamp,
    /// When what was supplied is destroyed; `None`: it was, or nothing of the kind is stored.
    pub resources_until: Option<DbTimestamp>,
    /// When nothing is left of it.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub deleted_at: Timestamp,
    /// How it ended; `None`: it has not, or an older build made it.
    pub outcome: Option<String>,
    pub reason: Option<String>,
    pub ended_at: Option<DbTimestamp>,
    /// The method, the kind of document or the check that came last.
    pub last_step: Option<String>,
}

/// Which sessions; `None` does not restrict.
#[derive(Clone, Debug, Default)]
pub struct SessionFilter {
    pub app: Option<AppId>,
    pub kind: Option<SessionKind>,
    pub state: Option<String>,
    pub outcome: Option<SessionStepOutcome>,
    pub sandbox: Option<bool>,
    /// A method, a kind of document, a check: it was begun in the session.
    pub step: Option<String>,
    /// A reference of the session, or of its person; with an application only.
    pub reference: Option<String>,
    pub created_from: Option<Timestamp>,
    pub created_before: Option<Timestamp>,
}

impl SessionFilter {
    fn from(&self) -> Timestamp {
        self.created_from.unwrap_or(Timestamp::UNIX_EPOCH)
    }

    fn to(&self) -> Timestamp {
        self.created_before.unwrap_or(END_OF_TIME)
    }

    fn takes(&self, kind: SessionKind) -> bool {
        self.kind.is_none_or(|wanted| wanted == kind)
    }
}

/// The place in a list after a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionCursor {
    pub created_at: Timestamp,
    pub id: Uuid,
}

/// After every moment that is stored: 1 January 9000.
const END_OF_TIME: Timestamp = Timestamp::constant(221_845_392_000, 0);

impl SessionCursor {
    /// Before the first one.
    const START: Self = Self { created_at: END_OF_TIME, id: Uuid::max() };
}

impl VerificationSessions {
    /// At most `limit` sessions after `cursor`, newest first.
    pub async fn list(
        &self,
        view: &mut ReadTx,
        filter: &SessionFilter,
        cursor: Option<SessionCursor>,
        limit: i64,
    ) -> Result<Vec<VerificationSessionRecord>, DbError> {
        let cursor = cursor.unwrap_or(SessionCursor::START);
        let mut sessions = Vec::new();
        if let (Some(reference), Some(app)) = (&filter.reference, filter.app) {
            for (kind, id) in self.references.find(view, app, reference).await? {
                if filter.takes(kind)
                    && let Some(found) = find_one(view, filter, kind, id).await?
                    && (found.created_at, found.id) < (cursor.created_at, cursor.id)
                {
                    sessions.push(found);
                }
            }
        } else {
            if filter.takes(SessionKind::Age) {
                sessions.extend(list_age_sessions(view, filter, cursor, limit).await?);
            }
            if filter.takes(SessionKind::Document) {
                sessions.extend(list_document_sessions(view, filter, cursor, limit).await?);
            }
        }
        sessions.sort_by_key(|session| std::cmp::Reverse((session.created_at, session.id)));
        sessions.truncate(usize::try_from(limit).unwrap_or_default());
        Ok(sessions)
    }

    /// A session of either kind, if the application may see it (`None`: all may be seen).
    pub async fn find(
        &self,
        view: &mut ReadTx,
        app: Option<AppId>,
        id: Uuid,
    ) -> Result<Option<VerificationSessionRecord>, DbError> {
        let filter = SessionFilter { app, ..SessionFilter::default() };
        match find_one(view, &filter, SessionKind::Age, id).await? {
            Some(found) => Ok(Some(found)),
            None => find_one(view, &filter, SessionKind::Document, id).await,
        }
    }
}

async fn list_age_sessions(
    view: &mut ReadTx,
    filter: &SessionFilter,
    cursor: SessionCursor,
    limit: i64,
) -> Result<Vec<VerificationSessionRecord>, DbError> {
    // Sessions of the issuer of blind tokens are in no list: they have no steps, and are deleted when they expire.
    view.fetch_all(sql!(
            "SELECT s.id, 'AGE' AS kind, s.app_id, s.sandbox AS sandbox, s.state, s.created_at, s.until_at AS expires_at,
                    CAST(NULL AS TIMESTAMPTZ) AS resources_until, s.forget_at AS deleted_at,
                    t.outcome, t.reason, t.ended_at,
                    (SELECT m.subject FROM session_steps m
                      WHERE m.age_session_id = s.id AND m.step IN ('METHOD', 'CAPTURE', 'CHECK')
                      ORDER BY m.started_at DESC, m.id DESC LIMIT 1) AS last_step
               FROM age_sessions s LEFT JOIN session_steps t ON t.id = s.id
              WHERE (s.created_at, s.id) < ($1, $2) AND (s.app_id = $3 OR $3 IS NULL) AND (s.state = $4 OR $4 IS NULL)
                AND (t.outcome = $5 OR $5 IS NULL) AND (s.sandbox = $6 OR $6 IS NULL)
                AND (EXISTS (SELECT 1 FROM session_steps m WHERE m.age_session_id = s.id AND m.subject = $7) OR $7 IS NULL)
                AND s.created_at >= $8 AND s.created_at < $9
                AND (t.id IS NOT NULL OR s.forget_at > s.until_at)
              ORDER BY s.created_at DESC, s.id DESC LIMIT $10",
            cursor.created_at,
            cursor.id,
            filter.app,
            filter.state.as_deref(),
            filter.outcome.map(SessionStepOutcome::as_str),
            filter.sandbox,
            filter.step.as_deref(),
            filter.from(),
            filter.to(),
            limit,
        ))
        .await
}

async fn list_document_sessions(
    view: &mut ReadTx,
    filter: &SessionFilter,
    cursor: SessionCursor,
    limit: i64,
) -> Result<Vec<VerificationSessionRecord>, DbError> {
    view.fetch_all(sql!(
            "SELECT s.id, 'DOCUMENT' AS kind, s.app_id, t.sandbox AS sandbox, s.state, s.created_at, s.until_at AS expires_at,
                    s.destroy_at AS resources_until, s.forget_at AS deleted_at,
                    t.outcome, t.reason, t.ended_at,
                    (SELECT m.subject FROM session_steps m
                      WHERE m.document_session_id = s.id AND m.step IN ('METHOD', 'CAPTURE', 'CHECK')
                      ORDER BY m.started_at DESC, m.id DESC LIMIT 1) AS last_step
               FROM identity_sessions s LEFT JOIN session_steps t ON t.id = s.id
              WHERE (s.created_at, s.id) < ($1, $2) AND (s.app_id = $3 OR $3 IS NULL) AND (s.state = $4 OR $4 IS NULL)
                AND (t.outcome = $5 OR $5 IS NULL) AND (t.sandbox = $6 OR $6 IS NULL)
                AND (EXISTS (SELECT 1 FROM session_steps m WHERE m.document_session_id = s.id AND m.subject = $7) OR $7 IS NULL)
                AND s.created_at >= $8 AND s.created_at < $9
              ORDER BY s.created_at DESC, s.id DESC LIMIT $10",
            cursor.created_at,
            cursor.id,
            filter.app,
            filter.state.as_deref(),
            filter.outcome.map(SessionStepOutcome::as_str),
            filter.sandbox,
            filter.step.as_deref(),
            filter.from(),
            filter.to(),
            limit,
        ))
        .await
}

async fn find_one(
    view: &mut ReadTx,
    filter: &SessionFilter,
    kind: SessionKind,
    id: Uuid,
) -> Result<Option<VerificationSessionRecord>, DbError> {
    match kind {
        SessionKind::Age => {
        view.fetch_optional(sql!(
            "SELECT s.id, 'AGE' AS kind, s.app_id, s.sandbox AS sandbox, s.state, s.created_at, s.until_at AS expires_at,
                    CAST(NULL AS TIMESTAMPTZ) AS resources_until, s.forget_at AS deleted_at,
                    t.outcome, t.reason, t.ended_at,
                    (SELECT m.subject FROM session_steps m
                      WHERE m.age_session_id = s.id AND m.step IN ('METHOD', 'CAPTURE', 'CHECK')
                      ORDER BY m.started_at DESC, m.id DESC LIMIT 1) AS last_step
               FROM age_sessions s LEFT JOIN session_steps t ON t.id = s.id
              WHERE s.id = $1 AND (s.app_id = $2 OR $2 IS NULL) AND (s.state = $3 OR $3 IS NULL)
                AND (t.outcome = $4 OR $4 IS NULL) AND (s.sandbox = $5 OR $5 IS NULL)
                AND (EXISTS (SELECT 1 FROM session_steps m WHERE m.age_session_id = s.id AND m.subject = $6) OR $6 IS NULL)
                AND s.created_at >= $7 AND s.created_at < $8
                AND (t.id IS NOT NULL OR s.forget_at > s.until_at)",
            id,
            filter.app,
            filter.state.as_deref(),
            filter.outcome.map(SessionStepOutcome::as_str),
            filter.sandbox,
            filter.step.as_deref(),
            filter.from(),
            filter.to(),
        ))
        .await
        }
        SessionKind::Document => {
        view.fetch_optional(sql!(
            "SELECT s.id, 'DOCUMENT' AS kind, s.app_id, t.sandbox AS sandbox, s.state, s.created_at, s.until_at AS expires_at,
                    s.destroy_at AS resources_until, s.forget_at AS deleted_at,
                    t.outcome, t.reason, t.ended_at,
                    (SELECT m.subject FROM session_steps m
                      WHERE m.document_session_id = s.id AND m.step IN ('METHOD', 'CAPTURE', 'CHECK')
                      ORDER BY m.started_at DESC, m.id DESC LIMIT 1) AS last_step
               FROM identity_sessions s LEFT JOIN session_steps t ON t.id = s.id
              WHERE s.id = $1 AND (s.app_id = $2 OR $2 IS NULL) AND (s.state = $3 OR $3 IS NULL)
                AND (t.outcome = $4 OR $4 IS NULL) AND (t.sandbox = $5 OR $5 IS NULL)
                AND (EXISTS (SELECT 1 FROM session_steps m WHERE m.document_session_id = s.id AND m.subject = $6) OR $6 IS NULL)
                AND s.created_at >= $7 AND s.created_at < $8",
            id,
            filter.app,
            filter.state.as_deref(),
            filter.outcome.map(SessionStepOutcome::as_str),
            filter.sandbox,
            filter.step.as_deref(),
            filter.from(),
            filter.to(),
        ))
        .await
        }
    }
}
