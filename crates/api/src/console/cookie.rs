//! The cookie that a session travels in.

use crate::{ApiState, http::header_text};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use base::SignedDuration;

/// What the console's own pages send with each call. Forms of other sites cannot, and their programs may not.
const CONSOLE_HEADER: HeaderName = HeaderName::from_static("x-assay-console");

/// A browser keeps a cookie with this prefix to https, to this host, and to no part of it.
const SECURE_COOKIE_NAME: &str = "__Host-assay-session";
/// Without https there is no such promise.
pub(super) const INSECURE_COOKIE_NAME: &str = "assay-session";

/// Whether a page of the console sent it.
pub(super) fn is_console_request(headers: &HeaderMap) -> bool {
    header_text(headers, &CONSOLE_HEADER) == Some("1")
}

/// The session of a request that a page of the console sent.
pub(crate) fn session_cookie<'a>(api: &ApiState, headers: &'a HeaderMap) -> Option<&'a str> {
    if !is_console_request(headers) || headers.contains_key(header::AUTHORIZATION) {
        return None;
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|list| list.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find(|(known, _)| *known == cookie_name(api))
        .map(|(_, value)| value)
        .filter(|value| (1..=512).contains(&value.len()))
}

/// Gives a browser a session, or takes it away where there is none.
pub(super) fn set_cookie(api: &ApiState, session: Option<&str>) -> HeaderValue {
    let lives = session.map_or(SignedDuration::ZERO, |_| api.sign_in.session_ttl()).as_secs();
    let (name, value) = (cookie_name(api), session.unwrap_or_default());
    let secure = if api.sign_in.uses_https() { "; Secure" } else { "" };
    let cookie = format!("{name}={value}; Path=/; Max-Age={lives}; HttpOnly; SameSite=Strict{secure}");
    // A token of ours is base64url, so this cannot fail.
    HeaderValue::from_str(&cookie).unwrap_or_else(|_| HeaderValue::from_static(""))
}

fn cookie_name(api: &ApiState) -> &'static str {
    if api.sign_in.uses_https() { SECURE_COOKIE_NAME } else { INSECURE_COOKIE_NAME }
}
