//! `GET /api/v1/sessions/{sessionId}/result`

use super::{
    super::{NoStoreJson, auth::OwnSession, error, no_store_json},
    record::{BrandedSessionRecord, SessionRecord},
};
use crate::ApiState;
use axum::extract::State;

/// Read the outcome of a session.
///
/// Works in every state, until the session is deleted.
#[utoipa::path(
    get, path = "/api/v1/sessions/{sessionId}/result", tag = "sessions", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "The session as it stands.", body = SessionRecord), error::GetAgeResultErrors),
)]
pub(crate) async fn get_age_result(
    State(api): State<ApiState>,
    OwnSession(session): OwnSession,
) -> NoStoreJson<BrandedSessionRecord> {
    no_store_json(BrandedSessionRecord::of(&api, &session))
}
