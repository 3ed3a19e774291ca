//! `DELETE /idverify/v1/sessions/{sessionId}/client-session-token`

use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::DocumentEndUser, error},
};
use axum::{extract::State, http::StatusCode};

/// Finish: the token is deleted, and the checks begin.
#[utoipa::path(
    delete, path = "/idverify/v1/sessions/{sessionId}/client-session-token", tag = "person", security(("session" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 204, description = "The checks begin."), error::FinishErrors),
)]
pub(crate) async fn delete_token(
    State(api): State<ApiState>,
    user: DocumentEndUser,
) -> Result<StatusCode, DocumentApiError> {
    api.document_verification.finish(user.stored.session.id, user.device).await?;
    Ok(StatusCode::NO_CONTENT)
}
