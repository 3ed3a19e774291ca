//! `GET /idverify/v1/sessions/{sessionId}/response-config`

use super::config::SentResponseConfig;
use crate::document_verification::{DocumentApiError, auth::SessionOwner, error};
use axum::Json;

/// Read what a session's sandbox answers.
#[utoipa::path(
    get, path = "/idverify/v1/sessions/{sessionId}/response-config", tag = "sandbox", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "The response configuration.", body = SentResponseConfig), error::SessionOwnerErrors),
)]
pub(crate) async fn get_session_responses(
    owner: SessionOwner,
) -> Result<Json<SentResponseConfig>, DocumentApiError> {
    Ok(Json(owner.stored.session.config.map(SentResponseConfig).unwrap_or_default()))
}
