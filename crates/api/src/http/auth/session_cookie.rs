//! The cookies of the console. One carries the session of whoever is signed in, a member or an operator: a browser is one
//! person at a time, so no request has the powers of two. The console sets it; the operations of content moderation accept a
//! member's. The other lasts while somebody is at the identity provider.

use crate::{ApiState, http::header_text};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use base::SignedDuration;

/// Sent by the console's own pages with each call, against cross-site requests: forms of other sites cannot set a
/// header, and browsers do not let their scripts set it.
const CONSOLE_HEADER: HeaderName = HeaderName::from_static("x-assay-console");

/// Browsers accept a cookie with this prefix only over https, for this host alone and for all of its paths.
const SECURE_PREFIX: &str = "__Host-";
/// Without https, browsers refuse the prefix.
pub(crate) const INSECURE_COOKIE_NAME: &str = "assay-session";
const ATTEMPT_COOKIE_NAME: &str = "assay-sign-in";
/// How long somebody may stay at the identity provider.
const ATTEMPT_TTL: SignedDuration = SignedDuration::from_mins(10);
/// Longer values of cookies are ignored.
const MAX_SESSION_BYTES: usize = 512;
const MAX_ATTEMPT_BYTES: usize = 3 << 10;

/// Whether the request is from a page of the console.
pub(crate) fn is_console_request(headers: &HeaderMap) -> bool {
    header_text(headers, &CONSOLE_HEADER) == Some("1")
}

/// The session token of a request from a page of the console. With an `Authorization` header there is none.
pub(crate) fn session_cookie<'a>(api: &ApiState, headers: &'a HeaderMap) -> Option<&'a str> {
    if !is_console_request(headers) || headers.contains_key(header::AUTHORIZATION) {
        return None;
    }
    read_cookie(api, headers, INSECURE_COOKIE_NAME, MAX_SESSION_BYTES)
}

/// The attempt that somebody brings back from the identity provider. The request is a redirect, which has no header of ours.
pub(crate) fn attempt_cookie<'a>(api: &ApiState, headers: &'a HeaderMap) -> Option<&'a str> {
    read_cookie(api, headers, ATTEMPT_COOKIE_NAME, MAX_ATTEMPT_BYTES)
}

/// The `Set-Cookie` header that sets the session, or deletes the cookie if there is none.
pub(crate) fn set_cookie(api: &ApiState, session: Option<&str>) -> HeaderValue {
    let max_age = session.map_or(SignedDuration::ZERO, |_| api.sign_in.session_ttl());
    write_cookie(api, INSECURE_COOKIE_NAME, session, max_age, "Strict")
}

/// The `Set-Cookie` header that sets the attempt, or deletes the cookie if there is none. It must come along when the
/// provider sends the browser back, so it is `Lax`.
pub(crate) fn set_attempt_cookie(api: &ApiState, attempt: Option<&str>) -> HeaderValue {
    let max_age = attempt.map_or(SignedDuration::ZERO, |_| ATTEMPT_TTL);
    write_cookie(api, ATTEMPT_COOKIE_NAME, attempt, max_age, "Lax")
}

fn read_cookie<'a>(api: &ApiState, headers: &'a HeaderMap, name: &str, max_bytes: usize) -> Option<&'a str> {
    let prefix = prefix(api);
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|list| list.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find(|(found, _)| found.strip_prefix(prefix) == Some(name))
        .map(|(_, value)| value)
        .filter(|value| (1..=max_bytes).contains(&value.len()))
}

fn write_cookie(
    api: &ApiState,
    name: &str,
    value: Option<&str>,
    max_age: SignedDuration,
    same_site: &str,
) -> HeaderValue {
    let (prefix, value, max_age) = (prefix(api), value.unwrap_or_default(), max_age.as_secs());
    let secure = if api.sign_in.uses_https() { "; Secure" } else { "" };
    let cookie =
        format!("{prefix}{name}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite={same_site}{secure}");
    // Values are base64url, so this cannot fail.
    HeaderValue::from_str(&cookie).unwrap_or_else(|_| HeaderValue::from_static(""))
}

fn prefix(api: &ApiState) -> &'static str {
    if api.sign_in.uses_https() { SECURE_PREFIX } else { "" }
}
