//! Why something was refused or failed. The interface says how each error looks to its caller.

use super::session::state_machine::InvalidTransitionError;
use crate::{
    image_analysis,
    tenancy::limits::{LimitError, LimitReachedError},
    violation::Violation,
};
use db::DbError;
use jobs::LeaseError;
use media::blobs::BlobError;

/// Why a call about a document verification session was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum DocumentSessionError {
    /// The session does not exist, or is not visible to this caller.
    #[error("there is no such session")]
    SessionNotFound,
    /// The named kind of thing does not exist, or not where it was asked for: of a session `resource`, `task`, `requirement`,
    /// `check`, `page`, `frame`, `mail` or `upload`; of the fraud list `entry`.
    #[error("there is no such {0}")]
    ItemNotFound(&'static str),
    #[error("there is no such media in the session")]
    MediaNotFound,
    /// The end user's time is over, or they have finished already.
    #[error("the session has expired")]
    Expired,
    /// The end user has not consented to the use of biometric data.
    #[error(
        "the end user has not consented to the use of biometric data; ask them, then POST …/biometric-consent"
    )]
    BiometricConsentRequired,
    /// Something else must happen first.
    #[error("{0}")]
    NotReady(String),
    /// Media cannot be deleted while the end user is still supplying resources.
    #[error("the session is in progress: its media can be deleted when it has ended")]
    SessionLocked,
    /// The resource cannot be changed in its present state, or not any more.
    #[error("{0}")]
    ResourceLocked(String),
    /// A session cannot be deleted while its checks run.
    #[error("checks of the session have not finished")]
    ChecksNotFinished,
    #[error("the Idempotency-Key was used with another body; use a new one for each request")]
    IdempotencyKeyReused,
    /// The caller is known and may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// Members of the request break rules; at least one violation.
    #[error("the request has {} members that cannot be used", .0.len())]
    Invalid(Vec<Violation>),
    /// The uploaded file is of a type that is not accepted.
    #[error("{0}")]
    Unsupported(String),
    /// The uploaded file is of an accepted type but cannot be used.
    #[error("{0}")]
    Unprocessable(String),
    /// The application has reached one of its limits.
    #[error(transparent)]
    LimitReached(#[from] LimitReachedError),
    /// The blob store failed.
    #[error(transparent)]
    Blobs(#[from] BlobError),
    /// The models did not answer.
    #[error(transparent)]
    Models(image_analysis::AnalysisError),
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<Violation> for DocumentSessionError {
    fn from(violation: Violation) -> Self {
        Self::Invalid(vec![violation])
    }
}

impl From<LimitError> for DocumentSessionError {
    fn from(error: LimitError) -> Self {
        match error {
            LimitError::Reached(reached) => reached.into(),
            LimitError::Db(error) => error.into(),
        }
    }
}

impl From<InvalidTransitionError> for DocumentSessionError {
    fn from(error: InvalidTransitionError) -> Self {
        Self::ResourceLocked(error.to_string())
    }
}

impl DocumentSessionError {
    /// Whether the change may have been made all the same: if the connection breaks at the commit, only the database knows.
    pub(super) fn may_be_committed(&self) -> bool {
        matches!(self, Self::Db(_))
    }

    /// One member of the request, named by its path, cannot be used.
    pub(super) fn invalid_member(path: impl Into<String>, message: impl Into<String>) -> Self {
        crate::violation::violation(path.into(), message).into()
    }
}

/// Why a job could not commit its result.
#[derive(Debug, thiserror::Error)]
pub(super) enum JobCommitError {
    /// Another worker holds the job by now.
    #[error(transparent)]
    LeaseLost(#[from] LeaseError),
    /// The session refused the change.
    #[error(transparent)]
    Session(#[from] DocumentSessionError),
    #[error(transparent)]
    Db(#[from] DbError),
}

impl JobCommitError {
    /// The same of the change of a job.
    pub(super) fn may_be_committed(&self) -> bool {
        match self {
            Self::Db(_) | Self::LeaseLost(LeaseError::Db(_)) => true,
            Self::LeaseLost(LeaseError::Lost) => false,
            Self::Session(error) => error.may_be_committed(),
        }
    }
}
