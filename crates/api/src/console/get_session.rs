//! `GET /console/session`

use super::{GetConsoleSessionErrors, request::SignedInMember, session::ConsoleSessionBody};
use crate::content_moderation::ModerationApiError;
use axum::{
    Json,
    http::{HeaderName, header},
};

/// See who is signed in.
#[utoipa::path(
    get, path = "/console/session", tag = "sessions", security(("session" = [], "console" = [])),
    responses((status = 200, description = "Whose session it is.", body = ConsoleSessionBody), GetConsoleSessionErrors),
)]
pub(super) async fn get_session(
    session: SignedInMember,
) -> Result<([(HeaderName, &'static str); 1], Json<ConsoleSessionBody>), ModerationApiError> {
    let SignedInMember { caller, member, account } = session;
    let body = ConsoleSessionBody {
        member: member.into(),
        account: account.into(),
        scopes: caller.granted_scopes(),
        console_scopes: caller.granted_console_scopes(),
    };
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(body)))
}
