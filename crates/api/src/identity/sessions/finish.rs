//! `DELETE /idverify/v1/sessions/{sessionId}/client-session-token`

use crate::{
    Api,
    identity::{Problem, caller::EndUser, error},
};
use axum::{extract::State, http::StatusCode};

/// Be through: the token is deleted, and the checks begin.
#[utoipa::path(
    delete, path = "/idverify/v1/sessions/{sessionId}/client-session-token", tag = "person", security(("session" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 204, description = "The checks begin."), error::Finishing),
)]
pub(crate) async fn delete_token(State(api): State<Api>, user: EndUser) -> Result<StatusCode, Problem> {
    api.identities.finish(user.held.session.id, user.device).await?;
    Ok(StatusCode::NO_CONTENT)
}
