//! `POST /console/session`

use super::{
    BeginConsoleSessionErrors,
    passkeys::PasskeyAnswer,
    request::ConsoleRequest,
    session::{ConsoleSessionBody, SessionAnswer, answer_sign_in},
};
use crate::{
    ApiState,
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError, email_violation},
    http::request_context,
};
use axum::extract::State;
use base::{Secret, Uuid};
use domain::{
    Violation,
    console::{ConsolePerson, PasswordSignIn},
};
use serde_json::Value;
use utoipa::ToSchema;

/// What somebody comes in with: exactly one of these.
#[derive(serde::Deserialize, ToSchema)]
pub(super) struct BeginSessionRequest {
    /// From an invitation to an account: the text after `#invite=`.
    invitation: Option<String>,
    /// From a member's sign-in link: the text after `#sign-in=`.
    link: Option<String>,
    /// From an invitation to be an operator: the text after `#operator-invite=`.
    operator_invitation: Option<String>,
    /// From an operator's sign-in link: the text after `#operator-sign-in=`.
    operator_link: Option<String>,
    /// The answer of a passkey.
    passkey: Option<PasskeyAnswer>,
    /// An operator's address and password.
    password: Option<PasswordCredential>,
    /// One of several places, after the identity provider.
    choice: Option<ChosenPlace>,
}

/// An operator's address and password.
#[derive(serde::Deserialize, ToSchema)]
#[schema(as = PasswordCredential)]
pub(super) struct PasswordCredential {
    /// Their email address.
    #[schema(value_type = String, min_length = 7, max_length = 100, example = "ada@example.com")]
    email: Option<String>,
    /// Their password.
    #[schema(value_type = String, max_length = 200)]
    password: Option<Secret<String>>,
    /// The code of their authenticator app, if they have set one up.
    #[schema(min_length = 6, max_length = 6)]
    code: Option<String>,
}

/// One of several places that somebody may come in at.
#[derive(serde::Deserialize, ToSchema)]
#[schema(as = ChosenPlace)]
pub(super) struct ChosenPlace {
    /// The text after `#choose=`.
    #[schema(value_type = String)]
    ticket: Option<String>,
    /// The chosen one, as `POST /console/sign-in/choices` lists it.
    #[schema(value_type = Uuid)]
    id: Option<Uuid>,
}

pub(super) enum SignInCredential {
    Invitation(String),
    Link(String),
    OperatorInvitation(String),
    OperatorLink(String),
    Passkey { challenge: String, credential: Value },
    Password(PasswordSignIn),
    Choice { ticket: String, id: Uuid },
}

impl CommandPayload for BeginSessionRequest {
    type Command = SignInCredential;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<SignInCredential> {
        let mut sent = Vec::new();
        sent.extend(self.invitation.map(SignInCredential::Invitation));
        sent.extend(self.link.map(SignInCredential::Link));
        sent.extend(self.operator_invitation.map(SignInCredential::OperatorInvitation));
        sent.extend(self.operator_link.map(SignInCredential::OperatorLink));
        if let Some(passkey) = self.passkey {
            let (challenge, credential) = passkey.into_parts(violations)?;
            sent.push(SignInCredential::Passkey { challenge, credential });
        }
        if let Some(PasswordCredential { email, password, code }) = self.password {
            let email = violations.check(email.unwrap_or_default().parse().map_err(email_violation));
            let password = violations.required("password.password", password);
            sent.push(SignInCredential::Password(PasswordSignIn {
                email: email?,
                password: password?,
                code,
            }));
        }
        if let Some(ChosenPlace { ticket, id }) = self.choice {
            let ticket = violations.required("choice.ticket", ticket);
            let id = violations.required("choice.id", id);
            sent.push(SignInCredential::Choice { ticket: ticket?, id: id? });
        }
        if let (Some(credential), true) = (sent.pop(), sent.is_empty()) {
            return Some(credential);
        }
        let message =
            "either it, link, operator_invitation, operator_link, passkey, password or choice is required";
        violations.push(Violation::new("invitation", message));
        None
    }
}

/// Sign in, or accept an invitation.
///
/// Invitations, links, challenges and codes each work once. The session is returned as a cookie; the one that the browser
/// had before ends. What was wrong with a password is not said.
#[utoipa::path(
    post, path = "/console/session", tag = "sessions", security(("console" = [])),
    request_body(content = BeginSessionRequest, example = json!({ "link": "2mCk0S6yVqgE3fT8xJpQn5dWb1uR7zLhA4oKvXcYiBM" })),
    responses(
        (status = 200, description = "Signed in.", body = ConsoleSessionBody, headers(("Set-Cookie" = String, description = "The session."))),
        BeginConsoleSessionErrors
    ),
)]
pub(super) async fn begin_session(
    State(api): State<ApiState>,
    request: ConsoleRequest<BeginSessionRequest>,
) -> Result<SessionAnswer, ModerationApiError> {
    let (access, client) = (&api.console_access, &request.client);
    let signed_in = match request.command {
        SignInCredential::Invitation(token) => access.accept_member_invitation(&token, client).await?,
        SignInCredential::Link(token) => access.sign_in_by_member_link(&token, client).await?,
        SignInCredential::OperatorInvitation(token) => {
            access.accept_operator_invitation(&token, client).await?
        }
        SignInCredential::OperatorLink(token) => access.sign_in_by_operator_link(&token, client).await?,
        SignInCredential::Passkey { challenge, credential } => {
            access.sign_in_by_passkey(&challenge, &credential, client).await?
        }
        SignInCredential::Password(password) => access.sign_in_by_password(&password, client).await?,
        SignInCredential::Choice { ticket, id } => access.choose(&ticket, id, client).await?,
    };
    if let Some(before) = &request.session {
        access.sign_out(before).await?;
    }
    match &signed_in.caller.person {
        ConsolePerson::Member { member, account, .. } => {
            request_context::note_member(account.id, member.id);
            tracing::info!("a member signed in");
        }
        ConsolePerson::Operator(operator) => {
            tracing::info!(operator.id = %operator.id, "an operator signed in");
        }
    }
    Ok(answer_sign_in(&api, signed_in))
}
