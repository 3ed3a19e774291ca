//! `GET /console/session`

use super::{request::SignedIn, session::SessionBody};
use crate::moderation::{Problem, error};
use axum::{
    Json,
    http::{HeaderName, header},
};

/// See who is signed in.
#[utoipa::path(
    get, path = "/console/session", tag = "sessions", security(("session" = [], "console" = [])),
    responses((status = 200, description = "Whose session it is.", body = SessionBody), error::SignedIn),
)]
pub(super) async fn get_session(
    session: SignedIn,
) -> Result<([(HeaderName, &'static str); 1], Json<SessionBody>), Problem> {
    let SignedIn { caller, member, account } = session;
    let body = SessionBody { member: member.into(), account: account.into(), scopes: caller.granted() };
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(body)))
}
