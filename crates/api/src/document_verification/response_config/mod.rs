//! Response configurations: what a sandbox answers.

pub(crate) mod config;
pub(super) mod get_for_application;
pub(super) mod get_for_session;
pub(super) mod set_for_application;
pub(super) mod set_for_session;

use super::{DocumentApiError, DocumentErrorCode, auth::RelyingPartyRequest};
use base::AppId;

/// Refuses calls in production, whose sessions answer nothing that was configured.
fn require_sandbox(party: &RelyingPartyRequest) -> Result<(), DocumentApiError> {
    if party.sandbox {
        return Ok(());
    }
    let words = "only a sandbox answers what is configured; use the same path behind /sandbox";
    Err(DocumentApiError::new(DocumentErrorCode::InsufficientPermission, words))
}

/// The application of the path, which must be the caller.
fn require_own_application(party: &RelyingPartyRequest) -> Result<AppId, DocumentApiError> {
    let named: Option<AppId> = party.path.get("sdkId").and_then(|id| id.parse().ok());
    named
        .filter(|id| *id == party.app)
        .ok_or_else(|| DocumentApiError::new(DocumentErrorCode::AppNotFound, "there is no such application"))
}
