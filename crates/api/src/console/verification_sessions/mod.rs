//! Sessions of document and age verification: for operators those of all applications, for integrators those of theirs.
//!
//! - `record`: what a session looks like, without anything of its person
//! - `list`, `get`, `funnel`: which there are, what happened in one, how many begin and finish
//! - `cancel`, `redact`: ending one, erasing one

pub(super) mod cancel;
pub(super) mod funnel;
pub(super) mod get;
pub(super) mod list;
mod record;
pub(super) mod redact;

use super::request::ConsoleCall;
use crate::{
    ApiState,
    content_moderation::{ModerationApiError, ModerationErrorCode},
};
use base::Uuid;
use domain::verification_sessions::{SessionCommandError, VerificationSessionRecord};
use utoipa::IntoParams;

/// A session of the path.
#[derive(serde::Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct VerificationSessionPath {
    /// The session, of either kind. The name of the parameter keeps it out of the log: whoever knows the id of an age
    /// session and its application is its person.
    #[serde(rename = "verificationSessionId")]
    #[param(rename = "verificationSessionId")]
    pub(super) session: Uuid,
}

/// The session of a call's path. One that the caller may not see is not there.
pub(super) async fn find_session<P, I>(
    api: &ApiState,
    call: &ConsoleCall<P, VerificationSessionPath, I>,
) -> Result<VerificationSessionRecord, ModerationApiError> {
    let mut view = api.db.read().await?;
    let found = api.verification_sessions.find(&mut view, call.own_application(), call.path.session).await?;
    found.ok_or_else(|| ModerationApiError::not_found("session"))
}

impl From<SessionCommandError> for ModerationApiError {
    fn from(error: SessionCommandError) -> Self {
        match error {
            SessionCommandError::Missing => Self::not_found("session"),
            SessionCommandError::Refused(words) => Self::new(ModerationErrorCode::Conflict, words),
            SessionCommandError::Unavailable(words) => Self::new(ModerationErrorCode::Unavailable, words),
            SessionCommandError::Db(error) => Self::unavailable(&error),
        }
    }
}
