//! Response configurations: what a sandbox answers.

pub(super) mod config;
pub(super) mod get_of_app;
pub(super) mod get_of_session;
pub(super) mod set_of_app;
pub(super) mod set_of_session;

use super::{Code, Problem, caller::RelyingParty};
use base::AppId;

/// The application of the path, which must be the one that asks.
fn own_app(party: &RelyingParty) -> Result<AppId, Problem> {
    let named: Option<AppId> = party.path.get("sdkId").and_then(|id| id.parse().ok());
    named
        .filter(|id| *id == party.app)
        .ok_or_else(|| Problem::new(Code::AppNotFound, "there is no such application"))
}
