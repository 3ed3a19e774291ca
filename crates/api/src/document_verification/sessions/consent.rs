//! `POST /idverify/v1/sessions/{sessionId}/biometric-consent`

use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::DocumentEndUser, error},
};
use axum::{extract::State, http::StatusCode};

/// Consent to the use of biometric data.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/biometric-consent", tag = "person", security(("session" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 204, description = "The consent is recorded."), error::EndUserErrors),
)]
pub(crate) async fn give_consent(
    State(api): State<ApiState>,
    user: DocumentEndUser,
) -> Result<StatusCode, DocumentApiError> {
    api.document_verification.record_biometric_consent(user.stored.session.id, user.device).await?;
    Ok(StatusCode::NO_CONTENT)
}
