//! `DELETE /console/verification-sessions/{verificationSessionId}`

use super::{VerificationSessionPath, find_session};
use crate::{
    ApiState,
    console::{
        SessionChangeErrors,
        approvals::{PendingApproval, ask_for_approval, needs_approval},
        permissions::SessionsManage,
        request::ConsoleCall,
    },
    content_moderation::ModerationApiError,
};
use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use domain::console::approvals::ApprovableAction;

/// Erase a session with all that is known of its person, for good.
///
/// What its messages say is erased as well, and those that wait are not sent. Its steps stay in the funnel as numbers that
/// belong to nobody. Where four eyes are needed (`console.four_eyes`) and an operator asks for it, another one must approve it
/// first. A session of document verification cannot be erased while its checks run.
#[utoipa::path(
    delete, path = "/console/verification-sessions/{verificationSessionId}", tag = "verification-sessions", security(("session" = [], "console" = [])),
    params(VerificationSessionPath),
    responses(
        (status = 204, description = "The session is erased."),
        (status = 202, description = "Another operator must approve it.", body = PendingApproval),
        SessionChangeErrors
    ),
)]
pub(in crate::console) async fn redact_verification_session(
    State(api): State<ApiState>,
    call: ConsoleCall<SessionsManage, VerificationSessionPath>,
) -> Result<Response, ModerationApiError> {
    let record = find_session(&api, &call).await?;
    let mut tx = call.begin(&api).await?;
    if needs_approval(&api, &call) {
        let wanted = ApprovableAction::RedactSession {
            app: record.app_id,
            session_kind: record.kind,
            session: record.id,
        };
        return ask_for_approval(&api, tx, call.operator()?, &wanted).await;
    }
    let sessions = &api.verification_sessions;
    let redacted = sessions.redact_in(&mut tx, record.app_id, record.kind, record.id).await?;
    tx.commit().await?;
    sessions.finish_redaction(&redacted).await;
    Ok(StatusCode::NO_CONTENT.into_response())
}
