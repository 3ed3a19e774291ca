//! `DELETE /idverify/v1/sessions/{sessionId}/tracked-devices`

use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::SessionOwner, error},
};
use axum::{extract::State, http::StatusCode};

/// Forget the devices that a session was used with.
#[utoipa::path(
    delete, path = "/idverify/v1/sessions/{sessionId}/tracked-devices", tag = "sessions", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 204, description = "The device events are deleted."), error::SessionOwnerErrors),
)]
pub(crate) async fn forget_devices(
    State(api): State<ApiState>,
    owner: SessionOwner,
) -> Result<StatusCode, DocumentApiError> {
    api.document_verification.clear_device_events(owner.stored.session.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
