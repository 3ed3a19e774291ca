//! Members, what they may do, and administrators.

pub(super) mod demote;
pub(super) mod get;
pub(super) mod list;
pub(super) mod own_scopes;
pub(super) mod promote;
pub(super) mod remove;
pub(super) mod set_scopes;

use super::{Code, Problem};
use base::{MemberId, Timestamp};
use domain::accounts::{Member, Scope, members::NotChanged};
use std::borrow::Cow;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, Type},
};

/// A person who works in an account.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Member)]
pub(crate) struct MemberBody {
    /// His id.
    #[schema(value_type = Uuid)]
    id: MemberId,
    /// His address.
    #[schema(max_length = 100)]
    email: String,
    /// What he is called.
    username: String,
    /// Whether he is an administrator.
    admin: bool,
    /// What he may do.
    #[schema(value_type = Vec<ScopeWord>)]
    scopes: Vec<Scope>,
    /// When he came in.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<Member> for MemberBody {
    fn from(Member { id, email, username, admin, scopes, created_at }: Member) -> Self {
        Self { id, email, username, admin, scopes, created_at }
    }
}

/// What may be done, as a word in documents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScopeWord;

impl PartialSchema for ScopeWord {
    fn schema() -> RefOr<Schema> {
        let words =
            ObjectBuilder::new().schema_type(Type::String).enum_values(Some(Scope::WORDS.iter().copied()));
        words.into()
    }
}

impl ToSchema for ScopeWord {
    fn name() -> Cow<'static, str> {
        "Scope".into()
    }
}

/// Words as scopes; one that is unknown is named by its place.
pub(super) fn scopes(words: &[String]) -> Result<Vec<Scope>, Problem> {
    let scope = |(at, word): (usize, &String)| {
        let unknown = || format!("a scope is one of {}", Scope::WORDS.join(", "));
        word.parse().map_err(|_| Problem::violation(format!("scopes[{at}]"), unknown()))
    };
    words.iter().enumerate().map(scope).collect()
}

impl From<NotChanged> for Problem {
    fn from(no: NotChanged) -> Self {
        let words = no.to_string();
        match no {
            NotChanged::Missing => Self::missing("member"),
            NotChanged::LastAdministrator => Self::new(Code::LastAdministrator, words),
            NotChanged::Administrator => Self::new(Code::Unauthorized, words),
            NotChanged::Db(error) => Self::unavailable(&error),
        }
    }
}
