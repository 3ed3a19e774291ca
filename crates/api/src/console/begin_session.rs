//! `POST /console/session`

use super::{BeginConsoleSessionErrors, request::ConsoleRequest, session::ConsoleSessionBody};
use crate::{
    ApiState,
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError, ModerationErrorCode},
    http::{auth::session_cookie::set_cookie, request_context},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderName, HeaderValue, header},
};
use domain::{
    Violation,
    accounts::sign_in::{MemberSession, SignInError},
};
use utoipa::ToSchema;

/// The secret from a link: exactly one of the two.
#[derive(serde::Deserialize, ToSchema)]
pub(super) struct BeginSessionRequest {
    /// From an invitation: the text after `#invite=`.
    invitation: Option<String>,
    /// From a sign-in link: the text after `#sign-in=`.
    link: Option<String>,
}

pub(super) enum SignInCredential {
    Invitation(String),
    Link(String),
}

impl CommandPayload for BeginSessionRequest {
    type Command = SignInCredential;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<SignInCredential> {
        match (self.invitation, self.link) {
            (Some(invitation), None) => Some(SignInCredential::Invitation(invitation)),
            (None, Some(link)) => Some(SignInCredential::Link(link)),
            _ => {
                violations.push(Violation::new("invitation", "either it or link is required"));
                None
            }
        }
    }
}

/// Accept an invitation, or sign in by a link.
///
/// Each works once. The session is returned as a cookie.
#[utoipa::path(
    post, path = "/console/session", tag = "sessions", security(("console" = [])),
    request_body(content = BeginSessionRequest, example = json!({ "link": "2mCk0S6yVqgE3fT8xJpQn5dWb1uR7zLhA4oKvXcYiBM" })),
    responses(
        (status = 200, description = "They are in.", body = ConsoleSessionBody, headers(("Set-Cookie" = String, description = "The session."))),
        BeginConsoleSessionErrors
    ),
)]
pub(super) async fn begin_session(
    State(api): State<ApiState>,
    ConsoleRequest { command: credential, .. }: ConsoleRequest<BeginSessionRequest>,
) -> Result<([(HeaderName, HeaderValue); 2], Json<ConsoleSessionBody>), ModerationApiError> {
    let signed_in = match credential {
        SignInCredential::Invitation(invitation) => api.sign_in.accept_invitation(&invitation).await?,
        SignInCredential::Link(link) => api.sign_in.sign_in_by_link(&link).await?,
    };
    request_context::note_member(signed_in.account.id, signed_in.member.id);
    tracing::info!("a member signed in");
    let MemberSession { session, member, account, .. } = signed_in;
    let (scopes, console_scopes) = (member.granted_scopes(), member.granted_console_scopes());
    let headers = [
        (header::SET_COOKIE, set_cookie(&api, Some(session.expose()))),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((
        headers,
        Json(ConsoleSessionBody { member: member.into(), account: account.into(), scopes, console_scopes }),
    ))
}

impl From<SignInError> for ModerationApiError {
    fn from(error: SignInError) -> Self {
        match error {
            SignInError::Link => Self::new(ModerationErrorCode::Unauthorized, error.to_string()),
            SignInError::Db(error) => Self::unavailable(&error),
        }
    }
}
