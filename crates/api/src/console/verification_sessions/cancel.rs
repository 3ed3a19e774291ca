//! `POST /console/verification-sessions/{verificationSessionId}/cancel`

use super::{VerificationSessionPath, find_session};
use crate::{
    ApiState,
    console::{SessionChangeErrors, permissions::SessionsManage, request::ConsoleCall},
    content_moderation::ModerationApiError,
};
use axum::{extract::State, http::StatusCode};

/// End a session before its time.
///
/// A session of age verification is cancelled as its person can cancel it, and its application learns of it. The person's
/// time in a session of document verification is over at once; one who has finished already cannot be stopped.
#[utoipa::path(
    post, path = "/console/verification-sessions/{verificationSessionId}/cancel", tag = "verification-sessions", security(("session" = [], "console" = [])),
    params(VerificationSessionPath),
    responses((status = 204, description = "The session has ended."), SessionChangeErrors),
)]
pub(in crate::console) async fn cancel_verification_session(
    State(api): State<ApiState>,
    call: ConsoleCall<SessionsManage, VerificationSessionPath>,
) -> Result<StatusCode, ModerationApiError> {
    let record = find_session(&api, &call).await?;
    api.verification_sessions.cancel(call.holder().audit_actor(), &record).await?;
    Ok(StatusCode::NO_CONTENT)
}
