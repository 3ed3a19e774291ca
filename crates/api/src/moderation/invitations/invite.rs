//! `POST /accounts/{accountId}/invitations`

use super::super::{
    Code, Problem,
    authentication::{Administrator, MembersManage, Permission as _},
    created::Created,
    error,
    path::AccountPath,
    request::{AccountRequest, Payload, Sent},
    violations::Violations,
};
use crate::{
    Api,
    http::idempotency::{IdempotencyKeyHeader, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::Measured;
use domain::{
    Violation,
    accounts::{
        BadEmail, Email, Scope,
        doors::{Guest, NotInvited},
    },
};
use utoipa::ToSchema;

/// Whom to invite.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewInvitation {
    /// Their address.
    #[schema(value_type = String, min_length = 7, max_length = 100, example = "ada@example.com")]
    email: Option<String>,
    /// Whether they will be an administrator. Only an administrator may say so.
    #[schema(default = false)]
    admin: Option<bool>,
    /// What they may do; nothing by default. An extension.
    scopes: Option<Vec<Scope>>,
    /// What they will be called; by default what stands before the `@`. An extension.
    #[schema(min_length = 1, max_length = 100)]
    username: Option<String>,
}

impl Payload for NewInvitation {
    type Command = Guest;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<Guest> {
        let email: Result<Email, _> = self.email.as_deref().unwrap_or_default().parse();
        Some(Guest {
            email: violations.check(email.map_err(unusable))?,
            username: self.username,
            admin: self.admin.unwrap_or_default(),
            scopes: self.scopes.unwrap_or_default(),
        })
    }
}

/// Invite somebody to an account.
///
/// They get a mail with a link that makes them a member and signs them in, once. A new invitation to the same address
/// takes the place of the old one.
#[utoipa::path(
    post, path = "/accounts/{accountId}/invitations", tag = "invitations", security(("api key" = [], "application" = [])),
    params(AccountPath, IdempotencyKeyHeader),
    request_body(content = NewInvitation, example = json!({
        "email": "ada@example.com", "scopes": ["notifications:view", "notifications:manage"],
    })),
    responses((status = 201, description = "The mail is on its way.", body = Created), error::CreatingUnique),
)]
pub(crate) async fn invite(
    State(api): State<Api>,
    request: AccountRequest<MembersManage, AccountPath, Sent<NewInvitation>>,
) -> Result<Response, Problem> {
    let guest = &request.input.command;
    if guest.admin {
        Administrator::check(&request.caller)?;
    }
    idempotent(&api, request.identity(), async |tx| {
        // The rule locks the account itself, and alone: whoever held it together with others would wait for them.
        let id = api.doors.invite(tx, &request.account, guest).await?;
        Ok((StatusCode::CREATED, Created::new(id)))
    })
    .await
}

/// What is wrong with an address that is none.
pub(crate) fn unusable(bad: BadEmail) -> Violation {
    match bad {
        BadEmail::Length(length) => {
            let limit = format!("{} to {} characters", Email::SHORTEST, Email::LONGEST);
            let measured = Measured::new(length as f64, limit, "send an address");
            Violation::measured("email", bad.to_string(), measured)
        }
        BadEmail::Form => Violation::new("email", bad.to_string()),
    }
}

impl From<NotInvited> for Problem {
    fn from(no: NotInvited) -> Self {
        let words = no.to_string();
        match no {
            NotInvited::NoAccount => Self::missing("account"),
            NotInvited::Member => Self::refused(Code::Conflict, "email", words, None),
            NotInvited::Username => Self::violation("username", words),
            NotInvited::TooMany => Self::new(Code::Conflict, words),
            NotInvited::Mail(_) => Self::new(Code::Unavailable, words),
            NotInvited::Db(error) => Self::unavailable(&error),
        }
    }
}
