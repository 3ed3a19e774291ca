//! `DELETE /idverify/v1/sessions/{sessionId}`

use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::SessionOwner, error},
};
use axum::{extract::State, http::StatusCode};

/// Delete a session and everything in it.
///
/// Its encryption key is deleted first, then its media. A session with running checks cannot be deleted yet.
#[utoipa::path(
    delete, path = "/idverify/v1/sessions/{sessionId}", tag = "sessions", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 204, description = "The session and everything in it is deleted."), error::DeleteSessionErrors),
)]
pub(crate) async fn delete_session(
    State(api): State<ApiState>,
    owner: SessionOwner,
) -> Result<StatusCode, DocumentApiError> {
    let SessionOwner { party, stored } = owner;
    api.document_verification.delete(party.app, stored.session.id, party.sandbox).await?;
    Ok(StatusCode::NO_CONTENT)
}
