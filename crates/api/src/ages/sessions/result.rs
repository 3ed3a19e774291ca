//! `GET /api/v1/sessions/{sessionId}/result`

use super::{
    super::{NoStore, auth::OwnSession, error, no_store},
    record::{BrandedRecord, SessionRecord},
};
use crate::Api;
use axum::extract::State;

/// Read what came of a session.
///
/// Whatever its state, until it is forgotten.
#[utoipa::path(
    get, path = "/api/v1/sessions/{sessionId}/result", tag = "sessions", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "The session as it stands.", body = SessionRecord), error::ReadingResult),
)]
pub(crate) async fn get_age_result(
    State(api): State<Api>,
    OwnSession(session): OwnSession,
) -> NoStore<BrandedRecord> {
    no_store(BrandedRecord::of(&api, &session))
}
