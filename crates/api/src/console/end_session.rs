//! `DELETE /console/session`

use super::EndConsoleSessionErrors;
use crate::{
    ApiState,
    content_moderation::{ModerationApiError, ModerationErrorCode},
    http::auth::{
        count_stranger,
        session_cookie::{is_console_request, session_cookie, set_cookie},
    },
};
use axum::{
    extract::State,
    http::{Extensions, HeaderMap, HeaderName, HeaderValue, StatusCode, header},
};

/// End the session, if there is one.
#[utoipa::path(
    delete, path = "/console/session", tag = "sessions", security(("console" = [])),
    responses(
        (status = 204, description = "The session has ended.", headers(("Set-Cookie" = String, description = "Takes the session away."))),
        EndConsoleSessionErrors
    ),
)]
pub(super) async fn end_session(
    State(api): State<ApiState>,
    extensions: Extensions,
    headers: HeaderMap,
) -> Result<(StatusCode, [(HeaderName, HeaderValue); 1]), ModerationApiError> {
    if !is_console_request(&headers) {
        return Err(ModerationApiError::new(
            ModerationErrorCode::Unauthorized,
            "this is for the console's own pages",
        ));
    }
    count_stranger(&api, &headers, &extensions)?;
    if let Some(session) = session_cookie(&api, &headers) {
        api.console_access.sign_out(session).await?;
    }
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, set_cookie(&api, None))]))
}
