//! The cookie that carries the session of a signed-in member. The console sets it; the operations of content moderation
//! accept it.

use crate::{ApiState, http::header_text};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use base::SignedDuration;

/// Sent by the console's own pages with each call, against cross-site requests: forms of other sites cannot set a
/// header, and browsers do not let their scripts set it.
const CONSOLE_HEADER: HeaderName = HeaderName::from_static("x-assay-console");

/// Browsers accept a cookie with this prefix only over https, for this host alone and for all of its paths.
const SECURE_COOKIE_NAME: &str = "__Host-assay-session";
/// Without https, browsers refuse the prefix.
pub(crate) const INSECURE_COOKIE_NAME: &str = "assay-session";

/// Whether the request is from a page of the console.
pub(crate) fn is_console_request(headers: &HeaderMap) -> bool {
    header_text(headers, &CONSOLE_HEADER) == Some("1")
}

/// The session token of a request from a page of the console. With an `Authorization` header there is none.
pub(crate) fn session_cookie<'a>(api: &ApiState, headers: &'a HeaderMap) -> Option<&'a str> {
    if !is_console_request(headers) || headers.contains_key(header::AUTHORIZATION) {
        return None;
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|list| list.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find(|(name, _)| *name == cookie_name(api))
        .map(|(_, value)| value)
        .filter(|value| (1..=512).contains(&value.len()))
}

/// The `Set-Cookie` header that sets the session, or deletes the cookie if there is none.
pub(crate) fn set_cookie(api: &ApiState, session: Option<&str>) -> HeaderValue {
    let max_age = session.map_or(SignedDuration::ZERO, |_| api.sign_in.session_ttl()).as_secs();
    let (name, value) = (cookie_name(api), session.unwrap_or_default());
    let secure = if api.sign_in.uses_https() { "; Secure" } else { "" };
    let cookie = format!("{name}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Strict{secure}");
    // Session tokens are base64url, so this cannot fail.
    HeaderValue::from_str(&cookie).unwrap_or_else(|_| HeaderValue::from_static(""))
}

fn cookie_name(api: &ApiState) -> &'static str {
    if api.sign_in.uses_https() { SECURE_COOKIE_NAME } else { INSECURE_COOKIE_NAME }
}
