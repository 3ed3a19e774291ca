//! Sessions of members, as the console's pages see them.

use crate::content_moderation::{AccountBody, MemberBody};
use domain::accounts::Scope;
use utoipa::ToSchema;

/// Who is signed in, where, and what they may do.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Session)]
pub(super) struct ConsoleSessionBody {
    /// Who it is.
    pub(super) member: MemberBody,
    /// Where they work.
    pub(super) account: AccountBody,
    /// What they may do there.
    pub(super) scopes: Vec<Scope>,
}
