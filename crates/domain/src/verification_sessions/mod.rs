//! Document verification and age verification sessions as the console shows them: both kinds in one list, what happened in
//! each, and what can be done with them. Nothing here shows a picture, a document's field or a name.
//!
//! - this file: [`VerificationSessions`], and its commands
//! - `listing`: which sessions there are
//! - `timeline`: what happened in one
//! - `clock`: the clock of sandbox sessions

mod clock;
mod listing;
mod timeline;

pub use clock::{MAX_CLOCK_ADVANCE, MAX_CLOCK_SESSIONS};
pub use listing::{SessionCursor, SessionFilter, VerificationSessionRecord};
pub use timeline::{TimelineEntry, TimelineEvent};

use crate::{
    age_verification::{AgeSessionError, AgeVerificationService, session::AgeSession},
    document_verification::{DocumentSessionError, DocumentVerificationService},
    session_steps::{SessionKind, SessionReferences},
};
use base::{AppId, DocumentSessionId, Uuid};
use db::{DbError, WriteTx};

/// The sessions of both kinds, for the console; cheap to clone.
#[derive(Clone, Debug)]
pub struct VerificationSessions {
    pub documents: DocumentVerificationService,
    pub ages: AgeVerificationService,
    pub references: SessionReferences,
}

/// Why a session was not changed.
#[derive(Debug, thiserror::Error)]
pub enum SessionCommandError {
    #[error("there is no such session")]
    Missing,
    /// Its state does not allow it.
    #[error("{0}")]
    Refused(String),
    /// A service that is needed does not answer.
    #[error("{0}")]
    Unavailable(String),
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<DocumentSessionError> for SessionCommandError {
    fn from(error: DocumentSessionError) -> Self {
        match error {
            DocumentSessionError::SessionNotFound => Self::Missing,
            DocumentSessionError::Db(error) => Self::Db(error),
            DocumentSessionError::Blobs(_) | DocumentSessionError::Models(_) => {
                Self::Unavailable(error.to_string())
            }
            error => Self::Refused(error.to_string()),
        }
    }
}

impl From<AgeSessionError> for SessionCommandError {
    fn from(error: AgeSessionError) -> Self {
        match error {
            AgeSessionError::SessionNotFound => Self::Missing,
            AgeSessionError::Db(error) => Self::Db(error),
            AgeSessionError::WebhookSigning(_) => Self::Unavailable(error.to_string()),
            error => Self::Refused(error.to_string()),
        }
    }
}

/// A session that was erased in a transaction, with what is to be deleted after its commit
/// ([`VerificationSessions::finish_redaction`]).
#[derive(Debug)]
pub enum RedactedSession {
    Document(DocumentSessionId),
    Age(Box<AgeSession>),
}

impl VerificationSessions {
    /// Ends a session before its time: an age session as its end user can cancel it, a document session as if its time were
    /// over. `actor` is who asks for it, as the audit trail says.
    pub async fn cancel(
        &self,
        actor: String,
        record: &VerificationSessionRecord,
    ) -> Result<(), SessionCommandError> {
        match record.kind {
            SessionKind::Document => {
                Ok(self.documents.cancel(actor, record.app_id, record.id.into()).await?)
            }
            SessionKind::Age => {
                self.ages.cancel_session_as(actor, record.id.into()).await?;
                Ok(())
            }
        }
    }

    /// Erases a session with all that is known of its person, in the caller's transaction.
    pub async fn redact_in(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        kind: SessionKind,
        id: Uuid,
    ) -> Result<RedactedSession, SessionCommandError> {
        match kind {
            SessionKind::Document => {
                self.documents.erase_in(tx, app, id.into()).await?;
                Ok(RedactedSession::Document(id.into()))
            }
            SessionKind::Age => {
                let erased = self.ages.erase_in(tx, app, id.into()).await?;
                Ok(RedactedSession::Age(Box::new(erased)))
            }
        }
    }

    /// Deletes what a session that was erased has outside of the database. After the commit.
    pub async fn finish_redaction(&self, redacted: &RedactedSession) {
        match redacted {
            RedactedSession::Document(id) => self.documents.delete_files(*id).await,
            RedactedSession::Age(session) => self.ages.discard_attempt(session).await,
        }
    }
}
