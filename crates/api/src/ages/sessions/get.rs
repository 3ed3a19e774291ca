//! `GET /api/v1/sessions/{sessionId}`

use super::{
    super::{Code, NoStore, Problem, auth::OwnSession, error, no_store},
    record::{BrandedRecord, SessionRecord},
};
use crate::Api;
use axum::extract::State;
use domain::ages::words::AgeSessionStatus;

/// Read a session that nobody has begun.
///
/// Once somebody has, or its time is over, the answer is 410: what came of it is at `…/result`.
#[utoipa::path(
    get, path = "/api/v1/sessions/{sessionId}", tag = "sessions", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "The session as it stands.", body = SessionRecord), error::Reading),
)]
pub(crate) async fn get_age_session(
    State(api): State<Api>,
    OwnSession(session): OwnSession,
) -> Result<NoStore<BrandedRecord>, Problem> {
    if !session.lives(api.world.now()) {
        return Err(Problem::new(Code::SessionExpired, "the session has expired"));
    }
    if session.state != AgeSessionStatus::Pending {
        let words = format!("the session is {}; its result is at /result", session.state);
        return Err(Problem::new(Code::SessionNotPending, words));
    }
    Ok(no_store(BrandedRecord::of(&api, &session)))
}
