//! `DELETE /console/session`

use super::cookie;
use crate::{
    Api,
    moderation::{Code, Problem, error},
};
use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
};

/// End the session, if there is one.
#[utoipa::path(
    delete, path = "/console/session", tag = "sessions", security(("console" = [])),
    responses(
        (status = 204, description = "Nobody is signed in.", headers(("Set-Cookie" = String, description = "Takes the session away."))),
        error::Leaving
    ),
)]
pub(super) async fn end_session(
    State(api): State<Api>,
    headers: HeaderMap,
) -> Result<(StatusCode, [(HeaderName, HeaderValue); 1]), Problem> {
    if !cookie::is_console(&headers) {
        return Err(Problem::new(Code::Unauthorized, "this is for the console's own pages"));
    }
    if let Some(session) = cookie::session(&api, &headers) {
        api.doors.leave(session).await?;
    }
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie::set(&api, None))]))
}
