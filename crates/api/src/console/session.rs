//! `/console/session`: begin one by a link, see whose it is, end it.

use super::{cookie, knock::Knock};
use crate::{
    Api,
    moderation::{AccountBody, Caller, Code, MemberBody, Problem},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use domain::accounts::{
    self, Actor, Scope, Who,
    doors::{Entered, NotEntered},
    members,
};

/// What was in a link.
#[derive(serde::Deserialize)]
pub(super) struct Token {
    /// After `#invite=`.
    invitation: Option<String>,
    /// After `#sign-in=`.
    link: Option<String>,
}

/// Who is signed in, where, and what he may do.
#[derive(serde::Serialize)]
pub(super) struct Session {
    member: MemberBody,
    account: AccountBody,
    scopes: Vec<Scope>,
}

/// `POST`: accepts an invitation, or signs in by a link; each works once.
pub(super) async fn enter(State(api): State<Api>, Knock(token): Knock<Token>) -> Result<Response, Problem> {
    let Entered { session, member, account, .. } = match (&token.invitation, &token.link) {
        (Some(invitation), None) => api.doors.accept(invitation).await?,
        (None, Some(link)) => api.doors.enter_by_link(link).await?,
        _ => return Err(Problem::violation("invitation", "either it or link is required")),
    };
    tracing::info!(account.id = %account.id, member.id = %member.id, "a member signed in");
    let who = Who::Member { account: account.id, member: member.id };
    let app = base::Uuid::nil().into();
    let scopes = may(&Actor { app, who, scopes: member.scopes.clone(), admin: member.admin });
    let body = Session { member: member.into(), account: account.into(), scopes };
    let cookie = cookie::set(&api, Some(session.expose()));
    let headers =
        [(header::SET_COOKIE, cookie), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    Ok((StatusCode::OK, headers, Json(body)).into_response())
}

/// `GET`: who is signed in; 401 where nobody is.
pub(super) async fn who(State(api): State<Api>, caller: Caller) -> Result<Response, Problem> {
    let Who::Member { account, member } = caller.0.who else {
        return Err(Problem::new(Code::Unauthorized, "nobody is signed in"));
    };
    let mut view = api.db.read().await?;
    let over = || Problem::new(Code::Unauthorized, "the session is over; sign in again");
    let member = members::find(&mut view, account, member).await?.ok_or_else(over)?;
    let account = accounts::find(&mut view, &caller.0, account).await?.ok_or_else(over)?;
    let body = Session { member: member.into(), account: account.into(), scopes: may(&caller.0) };
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(body)).into_response())
}

/// `DELETE`: ends the session, if there is one.
pub(super) async fn leave(State(api): State<Api>, headers: HeaderMap) -> Result<Response, Problem> {
    if !cookie::is_console(&headers) {
        return Err(Problem::new(Code::Unauthorized, "this is for the console's own pages"));
    }
    if let Some(session) = cookie::session(&api, &headers) {
        api.doors.leave(session).await?;
    }
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie::set(&api, None))]).into_response())
}

fn may(actor: &Actor) -> Vec<Scope> {
    Scope::ALL.into_iter().filter(|scope| actor.may(*scope)).collect()
}

impl From<NotEntered> for Problem {
    fn from(no: NotEntered) -> Self {
        match no {
            NotEntered::Link => Self::new(Code::Unauthorized, no.to_string()),
            NotEntered::Db(error) => Self::unavailable(&error),
        }
    }
}
