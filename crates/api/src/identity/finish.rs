//! `DELETE /idverify/v1/sessions/{sessionId}/client-session-token`

use super::{Person, Problem};
use crate::Api;
use axum::{extract::State, http::StatusCode};

/// Be through: the token is deleted, and the checks begin.
#[utoipa::path(
    delete, path = "/idverify/v1/sessions/{sessionId}/client-session-token", tag = "person", security(("session" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 204, description = "The checks begin."), Problem),
)]
pub(crate) async fn delete_token(State(api): State<Api>, person: Person) -> Result<StatusCode, Problem> {
    api.identities.finish(person.held.session.id, person.device).await?;
    Ok(StatusCode::NO_CONTENT)
}
