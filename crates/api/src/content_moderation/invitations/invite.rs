//! `POST /accounts/{accountId}/invitations`

use super::super::{
    ModerationApiError, ModerationErrorCode,
    authentication::{Administrator, MembersManage, Permission as _},
    created::CreatedResource,
    error,
    path::AccountPath,
    request::{AccountRequest, CommandPayload, ReceivedCommand},
    violations::CommandViolations,
};
use crate::{
    ApiState,
    http::idempotency::{IdempotencyKeyHeader, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::LimitViolation;
use domain::{
    Violation,
    accounts::{
        EmailAddress, InvalidEmailAddressError, Scope,
        invitations::{InvitationError, Invitee},
    },
};
use utoipa::ToSchema;

/// Whom to invite.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct InviteRequest {
    /// Their email address.
    #[schema(value_type = String, min_length = 7, max_length = 100, example = "ada@example.com")]
    email: Option<String>,
    /// Whether they will be an administrator. Only an administrator may set this.
    #[schema(default = false)]
    admin: Option<bool>,
    /// What they may do; nothing by default, and nothing that you may not do yourself. An extension.
    scopes: Option<Vec<Scope>>,
    /// Their user name; by default the part of the address before the `@`. An extension.
    #[schema(min_length = 1, max_length = 100)]
    username: Option<String>,
}

impl CommandPayload for InviteRequest {
    type Command = Invitee;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<Invitee> {
        let email: Result<EmailAddress, _> = self.email.as_deref().unwrap_or_default().parse();
        Some(Invitee {
            email: violations.check(email.map_err(email_violation))?,
            username: self.username,
            admin: self.admin.unwrap_or_default(),
            scopes: self.scopes.unwrap_or_default(),
        })
    }
}

/// Invite somebody to an account.
///
/// They receive an email with a link that makes them a member and signs them in; it works once, and as long as you could
/// still send it: not after you were removed, or your key was revoked. A new invitation to the same address replaces the old
/// one.
#[utoipa::path(
    post, path = "/accounts/{accountId}/invitations", tag = "invitations", security(("api key" = [], "application" = [])),
    params(AccountPath, IdempotencyKeyHeader),
    request_body(content = InviteRequest, example = json!({
        "email": "ada@example.com", "scopes": ["notifications:view", "notifications:manage"],
    })),
    responses((status = 201, description = "The mail is on its way.", body = CreatedResource), error::CreateUniqueErrors),
)]
pub(crate) async fn invite(
    State(api): State<ApiState>,
    request: AccountRequest<MembersManage, AccountPath, ReceivedCommand<InviteRequest>>,
) -> Result<Response, ModerationApiError> {
    let invitee = &request.input.command;
    if invitee.admin {
        Administrator::authorise(&request.caller)?;
    }
    idempotent(&api, request.fingerprint(), async |tx| {
        // The rule takes an exclusive lock on the account; a shared lock taken before it could deadlock.
        let id = api.sign_in.invite(tx, &request.caller, &request.account, invitee).await?;
        Ok((StatusCode::CREATED, CreatedResource::new(id)))
    })
    .await
}

/// The violation for an invalid email address.
pub(crate) fn email_violation(bad: InvalidEmailAddressError) -> Violation {
    match bad {
        InvalidEmailAddressError::Length(length) => {
            let limit = format!("{} to {} characters", EmailAddress::MIN_CHARS, EmailAddress::MAX_CHARS);
            let measured = LimitViolation::new(length as f64, limit, "send an address");
            Violation::with_limit("email", bad.to_string(), measured)
        }
        InvalidEmailAddressError::Form => Violation::new("email", bad.to_string()),
    }
}

impl From<InvitationError> for ModerationApiError {
    fn from(error: InvitationError) -> Self {
        let words = error.to_string();
        match error {
            InvitationError::NoAccount => Self::not_found("account"),
            InvitationError::ScopeNotHeld(_) => Self::new(ModerationErrorCode::Unauthorized, words),
            InvitationError::Member => {
                Self::violation_with_code(ModerationErrorCode::Conflict, "email", words, None)
            }
            InvitationError::Username => Self::violation("username", words),
            InvitationError::TooMany => Self::new(ModerationErrorCode::Conflict, words),
            InvitationError::Mail(_) => Self::new(ModerationErrorCode::Unavailable, words),
            InvitationError::Db(error) => Self::unavailable(&error),
        }
    }
}
