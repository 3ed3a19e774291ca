//! Sessions, as the console's pages see them.

use crate::{
    ApiState,
    content_moderation::{AccountBody, MemberBody},
    http::auth::session_cookie::set_cookie,
};
use axum::{
    Json,
    http::{HeaderName, HeaderValue, header},
};
use base::{AppId, OperatorId, Timestamp};
use domain::{
    accounts::{ConsoleScope, Scope},
    console::{ConsoleCaller, ConsolePerson, ConsoleSignIn, SecondFactorState},
    operators::{Operator, OperatorRole, OperatorScope},
};
use utoipa::ToSchema;

/// Who is signed in: a member of an account, or an operator of the installation.
#[derive(serde::Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = AnySession)]
pub(super) enum ConsoleSessionBody {
    Member(Box<MemberSessionBody>),
    Operator(OperatorSessionBody),
}

/// A member who is signed in, where, and what they may do.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Session)]
pub(super) struct MemberSessionBody {
    /// The member who is signed in.
    member: MemberBody,
    /// The account they belong to.
    account: AccountBody,
    /// The application that the account belongs to.
    #[schema(value_type = Uuid)]
    application_id: AppId,
    /// What they may do in it.
    scopes: Vec<Scope>,
    /// What they may do in the console beyond that.
    console_scopes: Vec<ConsoleScope>,
    /// Whether a second factor is missing; until it is there, nothing else can be done.
    second_factor: SecondFactorState,
}

/// An operator who is signed in.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = OperatorSession)]
pub(super) struct OperatorSessionBody {
    /// The operator.
    operator: OperatorBody,
    /// Whether a second factor is missing; until it is there, nothing else can be done.
    second_factor: SecondFactorState,
}

/// An operator.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Operator)]
pub(super) struct OperatorBody {
    /// Their id.
    #[schema(value_type = Uuid)]
    id: OperatorId,
    /// Their email address.
    #[schema(max_length = 100)]
    email: String,
    /// Their name.
    #[schema(max_length = 100)]
    name: String,
    /// Their role: `administrator`, `support`, `auditor`, or the id of one of your own.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    /// Everything they may do.
    scopes: Vec<OperatorScope>,
    /// Whether they can come in no more.
    disabled: bool,
    /// When they became an operator.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

/// A role as it is written: the word of one that is built in, or the id of another.
pub(super) fn role_word(role: OperatorRole) -> String {
    match role {
        OperatorRole::BuiltIn(role) => role.as_str().to_owned(),
        OperatorRole::Custom(id) => id.to_string(),
    }
}

impl From<Operator> for OperatorBody {
    fn from(operator: Operator) -> Self {
        let Operator { id, email, name, grant, scopes, created_at, disabled } = operator;
        Self { id, email, name, role: grant.role.map(role_word), scopes, disabled, created_at }
    }
}

impl From<ConsoleCaller> for ConsoleSessionBody {
    fn from(caller: ConsoleCaller) -> Self {
        let second_factor = caller.second_factor;
        match caller.person {
            ConsolePerson::Member { principal, member, account } => {
                Self::Member(Box::new(MemberSessionBody {
                    scopes: principal.granted_scopes(),
                    console_scopes: principal.granted_console_scopes(),
                    application_id: principal.app,
                    member: member.into(),
                    account: account.into(),
                    second_factor,
                }))
            }
            ConsolePerson::Operator(operator) => {
                Self::Operator(OperatorSessionBody { operator: operator.into(), second_factor })
            }
        }
    }
}

/// The answer to a sign-in: the session as a cookie, and whose it is.
pub(super) type SessionAnswer = ([(HeaderName, HeaderValue); 2], Json<ConsoleSessionBody>);

/// Answers a sign-in.
pub(super) fn answer_sign_in(api: &ApiState, signed_in: ConsoleSignIn) -> SessionAnswer {
    let ConsoleSignIn { token, caller } = signed_in;
    (session_headers(api, Some(token.expose())), Json(caller.into()))
}

/// Sets the session's cookie, and keeps the answer out of caches.
pub(super) fn session_headers(api: &ApiState, token: Option<&str>) -> [(HeaderName, HeaderValue); 2] {
    [
        (header::SET_COOKIE, set_cookie(api, token)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ]
}
