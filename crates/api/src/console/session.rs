//! Sessions of members, as the console's pages see them.

use crate::content_moderation::{AccountBody, MemberBody};
use domain::accounts::{ConsoleScope, Scope};
use utoipa::ToSchema;

/// Who is signed in, where, and what they may do.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Session)]
pub(super) struct ConsoleSessionBody {
    /// The member who is signed in.
    pub(super) member: MemberBody,
    /// The account they belong to.
    pub(super) account: AccountBody,
    /// What they may do in it.
    pub(super) scopes: Vec<Scope>,
    /// What they may do in the console beyond that.
    pub(super) console_scopes: Vec<ConsoleScope>,
}
