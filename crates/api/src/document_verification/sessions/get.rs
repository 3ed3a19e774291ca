//! `GET /idverify/v1/sessions/{sessionId}`

use super::view::SessionView;
use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::SessionOwner, error},
};
use axum::{Json, extract::State};

/// Read a session.
///
/// It has what was supplied, what was read from it, and the reports of the checks.
#[utoipa::path(
    get, path = "/idverify/v1/sessions/{sessionId}", tag = "sessions", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "As it stands.", body = SessionView), error::SessionOwnerErrors),
)]
pub(crate) async fn get_session(
    State(api): State<ApiState>,
    owner: SessionOwner,
) -> Result<Json<SessionView>, DocumentApiError> {
    Ok(Json(SessionView::of(&owner.stored.session, api.environment.now())))
}
