//! `POST /accounts/{accountId}/invitations`

use super::super::{
    Code, Problem,
    accounts::open::Created,
    members::{ScopeWord, scopes},
    sent::{Ids, Sent},
};
use crate::{Api, http::idempotency::idempotent};
use axum::{extract::State, http::StatusCode, response::Response};
use base::{AccountId, Measured};
use domain::accounts::{
    BadEmail, Email, Scope,
    doors::{Guest, NotInvited},
};
use utoipa::ToSchema;

/// Whom to invite.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewInvitation {
    /// His address, 7 to 100 characters.
    #[schema(value_type = String, min_length = 7, max_length = 100, example = "ada@example.com")]
    email: Option<String>,
    /// Whether he will be an administrator; false by default. Only an administrator may say so.
    admin: Option<bool>,
    /// What he may do; nothing by default. An extension.
    #[schema(value_type = Option<Vec<ScopeWord>>)]
    scopes: Option<Vec<String>>,
    /// What he will be called, 1 to 100 characters; by default what stands before the `@`. An extension.
    username: Option<String>,
}

/// Invite somebody to an account.
///
/// He gets a mail with a link that makes him a member and signs him in, once. A new invitation to the same address
/// takes the place of the old one.
#[utoipa::path(
    post, path = "/accounts/{accountId}/invitations", tag = "invitations", security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account.")),
    request_body = NewInvitation,
    responses((status = 201, description = "The mail is on its way.", body = Created<Uuid>), Problem),
)]
pub(crate) async fn invite(
    State(api): State<Api>,
    Ids(account): Ids<AccountId>,
    sent: Sent<NewInvitation>,
) -> Result<Response, Problem> {
    sent.caller.may(Scope::MembersManage)?;
    let admin = sent.body.admin.unwrap_or(false);
    if admin {
        sent.caller.administers()?;
    }
    idempotent(&api, sent.identity(), async |tx| {
        let account = sent.caller.account(tx, account).await?;
        let email: Email = sent.body.email.as_deref().unwrap_or_default().parse()?;
        let guest = Guest {
            email,
            username: sent.body.username.clone(),
            admin,
            scopes: scopes(sent.body.scopes.as_deref().unwrap_or_default())?,
        };
        let id = api.doors.invite(tx, &account, &guest).await?;
        Ok((StatusCode::CREATED, Created { id }))
    })
    .await
}

impl From<BadEmail> for Problem {
    fn from(bad: BadEmail) -> Self {
        match bad {
            BadEmail::Length(length) => {
                let limit = format!("{} to {} characters", Email::SHORTEST, Email::LONGEST);
                let measured = Measured::new(length as f64, limit, "send an address");
                domain::Violation::measured("email", bad.to_string(), measured).into()
            }
            BadEmail::Form => Self::violation("email", bad.to_string()),
        }
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
