//! `GET /idverify/v1/sessions/{sessionId}`

use super::view::SessionView;
use crate::{
    Api,
    identity::{Problem, caller::SessionOwner, error},
};
use axum::{Json, extract::State};

/// Read a session.
///
/// What was supplied, what was read of it, and what the checks say.
#[utoipa::path(
    get, path = "/idverify/v1/sessions/{sessionId}", tag = "sessions", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "As it stands.", body = SessionView), error::OwnSession),
)]
pub(crate) async fn get_session(
    State(api): State<Api>,
    owner: SessionOwner,
) -> Result<Json<SessionView>, Problem> {
    Ok(Json(SessionView::of(&owner.held.session, api.world.now())))
}
