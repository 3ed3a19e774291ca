//! The issuer of blind tokens (docs/ANONYMITY.md): its keys, the beginning of a session in which an age is shown to it, and
//! the one signature at its end. Nothing of a business's session comes here.

use super::{Person, Problem, caller::Anybody, error};
use crate::{Api, http::virtual_hosts::Sandbox};
use axum::{
    Extension, Json,
    extract::State,
    http::{HeaderName, StatusCode, header},
};
use serde_json::{Value, json};

/// Servers ask for keys now and then; keys overlap by hours.
const FOR_TEN_MINUTES: &str = "public, max-age=600";
/// The longest text of a blinded message: one has 348 letters.
const LONGEST: usize = 1024;

type Answer = ([(HeaderName, &'static str); 1], Json<Value>);

fn answer(value: Value) -> Answer {
    ([(header::CACHE_CONTROL, "no-store")], Json(value))
}

/// The public keys that tokens are signed with: the directory of RFC 9578, section 4. Beside the standard's members each key
/// has `threshold`, the age that its tokens show, and `not-after`, until when they count, Unix seconds.
#[utoipa::path(
    get, path = "/age/v1/anonymity/keys", tag = "tokens",
    responses(
        (status = 200, description = "The keys.", body = Value, content_type = "application/private-token-issuer-directory"),
        error::Listing,
    ),
)]
pub(crate) async fn age_token_keys(
    State(api): State<Api>,
    sandbox: Option<Extension<Sandbox>>,
) -> Result<([(HeaderName, &'static str); 2], String), Problem> {
    let (kind, directory) = api.ages.token_directory(sandbox.is_some()).await?;
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, FOR_TEN_MINUTES)];
    Ok((headers, directory.to_string()))
}

/// Begin a session in which an age is shown to the issuer: one of the operator's own application, which knows of no other.
/// `key` is for the tab that began it alone: without it no method is opened and nothing is signed in the session.
/// `redeemers` are the origins of other servers to whose pages the issuer's page may hand what is signed in it.
#[utoipa::path(
    post, path = "/age/v1/anonymity/sessions", tag = "tokens",
    request_body(content = Value, description = "`{\"threshold\": 18}`: the age of one of the keys."),
    responses((status = 201, description = "It is made: `id`, `sdk_id`, `key`, `expires_at`, `redeemers`.", body = Value), error::Beginning),
)]
pub(crate) async fn begin_age_issuing(
    State(api): State<Api>,
    anybody: Anybody,
) -> Result<(StatusCode, Answer), Problem> {
    let years = anybody.sent.json()?.get("threshold").and_then(Value::as_i64);
    let years =
        years.ok_or_else(|| Problem::new(super::Code::InvalidRequest, "threshold: an age is expected"))?;
    let (session, secret) = api.ages.begin_issuing(anybody.sandbox, years).await?;
    let begun = json!({
        "id": session.id,
        "sdk_id": session.app,
        "key": secret,
        "expires_at": session.wanted.until,
        "redeemers": api.ages.redeemers(),
    });
    Ok((StatusCode::CREATED, answer(begun)))
}

/// Have a blinded message signed when the age was shown. The same message is answered alike until the session's time is
/// over, so an answer that was lost can be had again; another one is refused (`INVALID_STATUS`).
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/token", tag = "tokens", security(("sdk" = [])),
    params(("sessionId" = String, Path, description = "A session of the issuer that is COMPLETE.")),
    request_body(content = Value, description = "`{\"token_request\": \"…\", \"key\": \"…\"}`: a TokenRequest (RFC 9578, section 6.1), base64url, and the `key` that the session began with."),
    responses((status = 200, description = "`{\"token_response\": \"…\"}`: a TokenResponse, base64url.", body = Value), error::Issuing),
)]
pub(crate) async fn issue_age_token(State(api): State<Api>, person: Person) -> Result<Answer, Problem> {
    let body = person.sent.json()?;
    let request = body.get("token_request").and_then(Value::as_str).filter(|text| text.len() <= LONGEST);
    let request =
        request.and_then(|text| base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text.trim_end_matches('=')).ok());
    let request = request.ok_or_else(|| {
        Problem::new(super::Code::InvalidRequest, "token_request: a TokenRequest in base64url is expected")
    })?;
    let secret = body.get("key").and_then(Value::as_str);
    let response = api.ages.issue(person.session.id, secret, &request).await?;
    Ok(answer(json!({ "token_response": base64_simd::URL_SAFE_NO_PAD.encode_to_string(response) })))
}
