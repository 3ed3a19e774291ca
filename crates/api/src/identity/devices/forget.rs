//! `DELETE /idverify/v1/sessions/{sessionId}/tracked-devices`

use crate::{
    Api,
    identity::{Problem, caller::SessionOwner, error},
};
use axum::{extract::State, http::StatusCode};

/// Forget the devices that a session was used with.
#[utoipa::path(
    delete, path = "/idverify/v1/sessions/{sessionId}/tracked-devices", tag = "sessions", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 204, description = "They are forgotten."), error::OwnSession),
)]
pub(crate) async fn forget_devices(
    State(api): State<Api>,
    owner: SessionOwner,
) -> Result<StatusCode, Problem> {
    api.identities.forget_devices(owner.held.session.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
