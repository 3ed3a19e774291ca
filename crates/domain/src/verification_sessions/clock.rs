//! The clock of sandbox sessions: it can be put forward, so that an integrator sees how sessions expire, and how what they hold
//! is destroyed and deleted, without waiting for it.
//!
//! The clock of the server stays as it is: everything that is due in the sessions comes earlier, and the jobs that enforce it
//! find it due.

use super::{SessionCommandError, VerificationSessions};
use crate::session_steps::SessionKind;
use base::{AppId, SignedDuration, Uuid};
use db::{AuditEvent, DbError, FromRow, ReadTx, WriteTx, sql};

/// The furthest that a clock is put forward at a time: a year, which is the longest that anything of a session is kept.
pub const MAX_CLOCK_ADVANCE: SignedDuration = SignedDuration::from_hours(24 * 366);
/// Sessions whose clocks are put forward at a time, the newest.
pub const MAX_CLOCK_SESSIONS: i64 = 200;

#[derive(FromRow)]
struct SandboxSessionRow {
    id: Uuid,
    #[sqlx(try_from = "String")]
    kind: SessionKind,
}

impl VerificationSessions {
    /// Puts the clock of an application's sandbox sessions forward, or of one of them; returns of how many. Only sessions of
    /// the sandbox have such a clock.
    pub async fn advance_clock(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        session: Option<Uuid>,
        by: SignedDuration,
    ) -> Result<usize, SessionCommandError> {
        let found = sandbox_sessions(tx, app, session).await?;
        if session.is_some() && found.is_empty() {
            return Err(SessionCommandError::Missing);
        }
        for SandboxSessionRow { id, kind } in &found {
            match kind {
                SessionKind::Age => self.ages.advance_clock(tx, app, (*id).into(), by).await?,
                SessionKind::Document => {
                    self.documents.advance_clock(tx, app, (*id).into(), by).await?;
                }
            }
        }
        let event = AuditEvent::new("sandbox.clock").app(app).detail("by", by.to_string());
        let event = event.detail("sessions", found.len());
        tx.audit(match session {
            Some(session) => event.target(session),
            None => event.target(app),
        });
        Ok(found.len())
    }
}

async fn sandbox_sessions(
    view: &mut ReadTx,
    app: AppId,
    session: Option<Uuid>,
) -> Result<Vec<SandboxSessionRow>, DbError> {
    // The step of the session itself has its id, and says of both kinds whether it belongs to the sandbox.
    view.fetch_all(sql!(
        "SELECT id, kind FROM session_steps
          WHERE app_id = $1 AND step = 'SESSION' AND sandbox = $2 AND (id = $3 OR $3 IS NULL)
            AND (age_session_id IS NOT NULL OR document_session_id IS NOT NULL)
          ORDER BY started_at DESC, id DESC LIMIT $4",
        app,
        true,
        session,
        MAX_CLOCK_SESSIONS,
    ))
    .await
}
