//! `DELETE /idverify/v1/sessions/{sessionId}`

use super::{Business, Problem};
use crate::Api;
use axum::{
    extract::{Path, State},
    http::StatusCode,
};

/// Delete a session and everything in it: its key first, then its media.
#[utoipa::path(
    delete, path = "/idverify/v1/sessions/{sessionId}", tag = "sessions", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 204, description = "Nothing is left of it."), Problem),
)]
pub(crate) async fn delete_session(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<StatusCode, Problem> {
    let id = id.parse().map_err(|_| Problem::no_session())?;
    api.identities.delete(business.app, id, business.sandbox).await?;
    Ok(StatusCode::NO_CONTENT)
}
