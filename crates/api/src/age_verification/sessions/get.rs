//! `GET /api/v1/sessions/{sessionId}`

use super::{
    super::{AgeApiError, AgeErrorCode, NoStoreJson, auth::OwnSession, error, no_store_json},
    record::{BrandedSessionRecord, SessionRecord},
};
use crate::ApiState;
use axum::extract::State;
use domain::age_verification::types::AgeSessionStatus;

/// Read a session that has not been started.
///
/// Once it has been started or has expired, the answer is 410; read its outcome at `…/result`.
#[utoipa::path(
    get, path = "/api/v1/sessions/{sessionId}", tag = "sessions", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "The session as it stands.", body = SessionRecord), error::GetAgeSessionErrors),
)]
pub(crate) async fn get_age_session(
    State(api): State<ApiState>,
    OwnSession(session): OwnSession,
) -> Result<NoStoreJson<BrandedSessionRecord>, AgeApiError> {
    if !session.is_live(api.environment.now()) {
        return Err(AgeApiError::new(AgeErrorCode::SessionExpired, "the session has expired"));
    }
    if session.state != AgeSessionStatus::Pending {
        let words = format!("the session is {}; its result is at /result", session.state);
        return Err(AgeApiError::new(AgeErrorCode::SessionNotPending, words));
    }
    Ok(no_store_json(BrandedSessionRecord::of(&api, &session)))
}
