//! `POST /console/sign-in`

use super::{SignInLinkErrors, request::ConsoleRequest};
use crate::{
    ApiState, RateLimitAllowance,
    content_moderation::{
        CommandPayload, CommandViolations, ModerationApiError, ModerationErrorCode, email_violation,
    },
};
use axum::{extract::State, http::StatusCode};
use base::Uuid;
use domain::{
    accounts::{EmailAddress, sign_in::SignInLinkError},
    audit::sha256_hex,
};
use utoipa::ToSchema;

/// Who wants to sign in.
#[derive(serde::Deserialize, ToSchema)]
pub(super) struct SignInRequest {
    /// Their email address.
    #[schema(value_type = String, min_length = 7, max_length = 100, example = "ada@example.com")]
    email: Option<String>,
}

impl CommandPayload for SignInRequest {
    type Command = EmailAddress;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<EmailAddress> {
        violations.check(self.email.unwrap_or_default().parse().map_err(email_violation))
    }
}

/// Ask for an email with sign-in links.
///
/// Neither the answer nor its timing depends on whether the address is known: a job looks up members and operators later.
#[utoipa::path(
    post, path = "/console/sign-in", tag = "sessions", security(("console" = [])),
    request_body(content = SignInRequest, example = json!({ "email": "ada@example.com" })),
    responses(
        (status = 202, description = "If the address belongs to a member or an operator, a sign-in link is sent to it."),
        SignInLinkErrors
    ),
)]
pub(super) async fn ask_for_link(
    State(api): State<ApiState>,
    ConsoleRequest { command: email, address, .. }: ConsoleRequest<SignInRequest>,
) -> Result<StatusCode, ModerationApiError> {
    // A bucket for the caller's network address and one for the mailbox, whether it is a member's or not: a refusal
    // reveals nothing, and nobody shuts out everybody.
    api.sign_in_rate_limit.try_take(&address).map_err(|empty| too_many_requests(empty, FROM_ADDRESS))?;
    api.mailbox_rate_limit
        .try_take(&mailbox_key(&email))
        .map_err(|empty| too_many_requests(empty, FOR_MAILBOX))?;
    let mut tx = api.db.write().await?;
    api.sign_in.queue_sign_in_links(&mut tx, &email).await?;
    tx.commit().await?;
    Ok(StatusCode::ACCEPTED)
}

const FROM_ADDRESS: &str = "from your network address in a minute";
const FOR_MAILBOX: &str = "for this mailbox in an hour";

/// Sign-in links are asked for too often.
fn too_many_requests(empty: RateLimitAllowance, whence: &str) -> ModerationApiError {
    let message = format!("at most {} sign-in links can be asked for {whence}", empty.limit);
    ModerationApiError::new(ModerationErrorCode::TooManyRequests, message).with_retry_after(empty.reset)
}

/// The key under which a mailbox is counted, whatever the case it is written in.
fn mailbox_key(email: &EmailAddress) -> Uuid {
    let digest = sha256_hex(email.normalised().as_bytes());
    Uuid::from_u128(u128::from_str_radix(&digest[..32], 16).unwrap_or_default())
}

impl From<SignInLinkError> for ModerationApiError {
    fn from(error: SignInLinkError) -> Self {
        match error {
            SignInLinkError::Mail(cause) => Self::new(ModerationErrorCode::Unavailable, cause.to_string()),
            SignInLinkError::Db(error) => Self::unavailable(&error),
        }
    }
}
