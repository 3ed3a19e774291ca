//! Members, what they may do, and administrators.

pub(super) mod demote;
pub(super) mod get;
pub(super) mod list;
pub(super) mod promote;
pub(super) mod remove;
pub(super) mod scopes;
pub(super) mod set_scopes;

use super::{ModerationApiError, ModerationErrorCode};
use base::{MemberId, Timestamp};
use domain::accounts::{Member, Scope, members::MemberChangeError};
use utoipa::ToSchema;

/// A person who works in an account.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Member)]
pub(crate) struct MemberBody {
    /// Their id.
    #[schema(value_type = Uuid)]
    id: MemberId,
    /// Their email address.
    #[schema(max_length = 100)]
    email: String,
    /// Their user name.
    username: String,
    /// Whether they are an administrator.
    admin: bool,
    /// What they may do, by themselves and by the role that the console has given them.
    scopes: Vec<Scope>,
    /// When they became a member.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<Member> for MemberBody {
    fn from(member: Member) -> Self {
        let scopes = member.scopes_with_role();
        let Member { id, email, username, admin, created_at, .. } = member;
        Self { id, email, username, admin, scopes, created_at }
    }
}

impl From<MemberChangeError> for ModerationApiError {
    fn from(error: MemberChangeError) -> Self {
        let words = error.to_string();
        match error {
            MemberChangeError::Missing => Self::not_found("member"),
            MemberChangeError::LastAdministrator => Self::new(ModerationErrorCode::LastAdministrator, words),
            MemberChangeError::AdministratorRequired | MemberChangeError::ScopeNotHeld(_) => {
                Self::new(ModerationErrorCode::Unauthorized, words)
            }
            MemberChangeError::Db(error) => Self::unavailable(&error),
        }
    }
}
