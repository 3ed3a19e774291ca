//! `GET /console/session`

use super::{
    GetConsoleSessionErrors, permissions::AnySession, request::ConsoleCall, session::ConsoleSessionBody,
};
use crate::content_moderation::ModerationApiError;
use axum::{
    Json,
    http::{HeaderName, header},
};

/// See who is signed in.
///
/// It also says whether a second factor is missing. Until it is there, only the operations for it are open.
#[utoipa::path(
    get, path = "/console/session", tag = "sessions", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The session of the caller.", body = ConsoleSessionBody), GetConsoleSessionErrors),
)]
pub(super) async fn get_session(
    call: ConsoleCall<AnySession>,
) -> Result<([(HeaderName, &'static str); 1], Json<ConsoleSessionBody>), ModerationApiError> {
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(call.caller.into())))
}
