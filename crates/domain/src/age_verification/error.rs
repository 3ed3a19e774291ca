//! Why an operation is refused or fails.

use super::{state_machine::InvalidTransitionError, webhook_signer::WebhookSigningError};
use crate::{
    image_analysis::AnalysisError,
    tenancy::limits::{LimitError, LimitReachedError},
    violation::{Violation, violation},
};
use db::DbError;

/// Why an operation is refused or fails. The interface maps each variant to an answer.
#[derive(Debug, thiserror::Error)]
pub enum AgeSessionError {
    #[error("there is no such session")]
    SessionNotFound,
    #[error("the session has expired")]
    Expired,
    /// The state of the session does not allow the operation, or no longer does.
    #[error("{0}")]
    InvalidState(String),
    /// The input answers a step that was answered already, or that was replaced by another.
    #[error(
        "the continuation was used already, or belongs to another attempt; read the session and continue from there"
    )]
    StaleContinuation,
    /// The end user must consent to the use of their face first.
    #[error("the method uses the end user's face, and they have not consented to that")]
    ConsentRequired,
    /// The relying party's application is disabled, or may not use age verification.
    #[error("the business that asked for this can no longer use this service")]
    ApplicationNotServed,
    /// This server is not an issuer of blind tokens.
    #[error("this server issues no tokens")]
    IssuerNotConfigured,
    /// A key that signs blind tokens could not be generated, stored or opened.
    #[error("a key that signs tokens cannot be used: {0}")]
    UnusableIssuerKey(String),
    /// Members of the request cannot be used.
    #[error("the request has {} members that cannot be used", .0.len())]
    InvalidRequest(Vec<Violation>),
    /// A photo could not be analysed, through no fault of the photo.
    #[error(transparent)]
    ImageAnalysis(AnalysisError),
    /// A webhook cannot be signed.
    #[error(transparent)]
    WebhookSigning(#[from] WebhookSigningError),
    /// The relying party's application has reached one of its limits.
    #[error(transparent)]
    LimitReached(#[from] LimitReachedError),
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<LimitError> for AgeSessionError {
    fn from(error: LimitError) -> Self {
        match error {
            LimitError::Reached(reached) => reached.into(),
            LimitError::Db(error) => error.into(),
        }
    }
}

impl AgeSessionError {
    /// A member of the request that cannot be used.
    pub(super) fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        violation(path.into(), message).into()
    }
}

impl From<InvalidTransitionError> for AgeSessionError {
    fn from(error: InvalidTransitionError) -> Self {
        Self::InvalidState(format!("the session is {}; that cannot be done in this state", error.0))
    }
}

impl From<Violation> for AgeSessionError {
    fn from(violation: Violation) -> Self {
        Self::InvalidRequest(vec![violation])
    }
}
