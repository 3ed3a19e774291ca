//! `POST /console/session`

use super::{cookie, request::ConsoleRequest, session::SessionBody};
use crate::{
    Api,
    moderation::{Code, Payload, Problem, Violations, error},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderName, HeaderValue, header},
};
use domain::{
    Violation,
    accounts::doors::{Entered, NotEntered},
};
use utoipa::ToSchema;

/// What was in a link: one of both.
#[derive(serde::Deserialize, ToSchema)]
pub(super) struct SessionRequest {
    /// Of an invitation: what stands after `#invite=`.
    invitation: Option<String>,
    /// Of a sign-in link: what stands after `#sign-in=`.
    link: Option<String>,
}

/// What somebody comes in by.
pub(super) enum Ticket {
    Invitation(String),
    Link(String),
}

impl Payload for SessionRequest {
    type Command = Ticket;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<Ticket> {
        match (self.invitation, self.link) {
            (Some(invitation), None) => Some(Ticket::Invitation(invitation)),
            (None, Some(link)) => Some(Ticket::Link(link)),
            _ => {
                violations.push(Violation::new("invitation", "either it or link is required"));
                None
            }
        }
    }
}

/// Accept an invitation, or sign in by a link.
///
/// Each works once. The session travels in a cookie.
#[utoipa::path(
    post, path = "/console/session", tag = "sessions", security(("console" = [])),
    request_body(content = SessionRequest, example = json!({ "link": "2mCk0S6yVqgE3fT8xJpQn5dWb1uR7zLhA4oKvXcYiBM" })),
    responses(
        (status = 200, description = "They are in.", body = SessionBody, headers(("Set-Cookie" = String, description = "The session."))),
        error::Entering
    ),
)]
pub(super) async fn begin_session(
    State(api): State<Api>,
    ConsoleRequest(ticket): ConsoleRequest<SessionRequest>,
) -> Result<([(HeaderName, HeaderValue); 2], Json<SessionBody>), Problem> {
    let entered = match ticket {
        Ticket::Invitation(invitation) => api.doors.accept(&invitation).await?,
        Ticket::Link(link) => api.doors.enter_by_link(&link).await?,
    };
    tracing::info!(account.id = %entered.account.id, member.id = %entered.member.id, "a member signed in");
    let Entered { session, member, account, .. } = entered;
    let scopes = member.granted();
    let headers = [
        (header::SET_COOKIE, cookie::set(&api, Some(session.expose()))),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, Json(SessionBody { member: member.into(), account: account.into(), scopes })))
}

impl From<NotEntered> for Problem {
    fn from(no: NotEntered) -> Self {
        match no {
            NotEntered::Link => Self::new(Code::Unauthorized, no.to_string()),
            NotEntered::Db(error) => Self::unavailable(&error),
        }
    }
}
