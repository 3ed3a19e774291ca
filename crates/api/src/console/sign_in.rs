//! `POST /console/sign-in`

use super::{SignInLinkErrors, request::ConsoleRequest};
use crate::{
    ApiState,
    content_moderation::{
        CommandPayload, CommandViolations, ModerationApiError, ModerationErrorCode, email_violation,
    },
};
use axum::{extract::State, http::StatusCode};
use base::Uuid;
use domain::accounts::{EmailAddress, sign_in::SignInLinkError};
use std::time::Duration;
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

/// Ask for an email with a sign-in link.
///
/// Neither the answer nor its timing depends on whether the address is known: a job looks up the member later.
#[utoipa::path(
    post, path = "/console/sign-in", tag = "sessions", security(("console" = [])),
    request_body(content = SignInRequest, example = json!({ "email": "ada@example.com" })),
    responses((status = 202, description = "Whoever is a member gets a mail."), SignInLinkErrors),
)]
pub(super) async fn ask_for_link(
    State(api): State<ApiState>,
    ConsoleRequest(email): ConsoleRequest<SignInRequest>,
) -> Result<StatusCode, ModerationApiError> {
    // One bucket for all callers, so that a refusal reveals nothing about an address.
    api.sign_in_rate_limit.try_take(&Uuid::nil().into()).map_err(|empty| too_many_requests(empty.reset))?;
    let mut tx = api.db.write().await?;
    api.sign_in.queue_sign_in_links(&mut tx, &email).await?;
    tx.commit().await?;
    Ok(StatusCode::ACCEPTED)
}

/// All callers together ask for sign-in links too often.
fn too_many_requests(wait: Duration) -> ModerationApiError {
    let message = "too many people ask at once; try again in a moment";
    ModerationApiError::new(ModerationErrorCode::TooManyRequests, message).with_retry_after(wait)
}

impl From<SignInLinkError> for ModerationApiError {
    fn from(error: SignInLinkError) -> Self {
        match error {
            SignInLinkError::Mail(cause) => Self::new(ModerationErrorCode::Unavailable, cause.to_string()),
            SignInLinkError::Db(error) => Self::unavailable(&error),
        }
    }
}
