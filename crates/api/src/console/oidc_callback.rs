//! `GET /console/oidc/callback`

use super::request::session_client;
use crate::{
    ApiState,
    http::auth::{
        count_stranger,
        session_cookie::{attempt_cookie, set_attempt_cookie, set_cookie},
    },
};
use axum::{
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use domain::console::{ConsoleSignInError, ProviderSignIn};
use std::collections::BTreeMap;

/// The longest query that is looked at, in bytes.
const MAX_QUERY_BYTES: usize = 8 << 10;

/// Come back from the identity provider.
///
/// Browsers are sent here, so it always leads on to `/console/`: signed in, with `#choose=TICKET` if there are several places
/// to choose from, or with `#sign-in-failed=` and `refused`, `busy` or `unavailable`.
#[utoipa::path(
    get, path = "/console/oidc/callback", tag = "sign-in", security(()),
    params(
        ("code" = Option<String>, Query, description = "From the provider."),
        ("state" = Option<String>, Query, description = "From the provider."),
        ("iss" = Option<String>, Query, description = "From the provider."),
        ("error" = Option<String>, Query, description = "From the provider."),
    ),
    responses((status = 303, description = "To the console.", headers(
        ("Location" = String, description = "`/console/`, with what came of it after `#`."),
        ("Set-Cookie" = String, description = "The session, if they are in; and the attempt is over."),
    ))),
)]
pub(super) async fn oidc_callback(State(api): State<ApiState>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    if count_stranger(&api, &parts.headers, &parts.extensions).is_err() {
        return lead_on(&api, "#sign-in-failed=busy", None);
    }
    let query = parts.uri.query().unwrap_or_default();
    let attempt = attempt_cookie(&api, &parts.headers);
    let Some(attempt) = attempt.filter(|_| query.len() <= MAX_QUERY_BYTES) else {
        return lead_on(&api, "#sign-in-failed=refused", None);
    };
    let returned: BTreeMap<String, String> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let client = session_client(&api, &parts);
    match api.console_access.finish_provider_sign_in(attempt, &returned, &client).await {
        Ok(ProviderSignIn::SignedIn(signed_in)) => {
            tracing::info!("somebody signed in through the identity provider");
            lead_on(&api, "", Some(signed_in.token.expose()))
        }
        Ok(ProviderSignIn::Choice(ticket)) => lead_on(&api, &format!("#choose={}", ticket.expose()), None),
        Err(error) => {
            let code = match &error {
                ConsoleSignInError::Unavailable(_)
                | ConsoleSignInError::ProviderUnavailable(_)
                | ConsoleSignInError::Db(_) => "unavailable",
                ConsoleSignInError::TooMany { .. } => "busy",
                ConsoleSignInError::Refused(_) | ConsoleSignInError::Authentication(_) => "refused",
            };
            let error: &dyn std::error::Error = &error;
            tracing::info!(error, "nobody was signed in through the identity provider");
            lead_on(&api, &format!("#sign-in-failed={code}"), None)
        }
    }
}

fn lead_on(api: &ApiState, fragment: &str, session: Option<&str>) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    // Tickets are base64url, so this cannot fail.
    let location = HeaderValue::from_str(&format!("/console/{fragment}"));
    headers.insert(header::LOCATION, location.unwrap_or_else(|_| HeaderValue::from_static("/console/")));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.append(header::SET_COOKIE, set_attempt_cookie(api, None));
    if let Some(session) = session {
        headers.append(header::SET_COOKIE, set_cookie(api, Some(session)));
    }
    response
}
