//! `POST /age/v1/sessions/{sessionId}/attempts`

use super::{
    super::{AgeApiError, NO_STORE_HEADERS, auth::AgeEndUser, body::RequestBody, error, no_store_json},
    turn_response::TurnResponse,
};
use crate::{
    ApiState,
    http::idempotency::{IdempotencyKeyHeader, idempotent, stored_response},
};
use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use domain::age_verification::types::AgeMethod;
use utoipa::ToSchema;

/// The language of a page that names none.
const DEFAULT_LOCALE: &str = "en";
/// Longer language tags are ignored (RFC 5646, section 4.4.1).
const MAX_LOCALE_BYTES: usize = 35;

/// The method to open.
#[derive(Debug, serde::Deserialize, ToSchema)]
pub(crate) struct OpenAttemptRequest {
    /// The method.
    #[schema(value_type = AgeMethod)]
    method: Option<AgeMethod>,
    /// The language of the page, BCP 47. Codes are sent in it if it is supported.
    #[schema(default = "en", max_length = 35)]
    locale: Option<String>,
    /// Required in a session of the issuer of blind tokens: the `key` that was returned when the session began.
    key: Option<String>,
}

/// Open a method.
///
/// An unfinished attempt at another method is abandoned, and does not count. Where blind tokens are asked for or issued, no
/// answer is kept, so `Idempotency-Key` has no effect there.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/attempts", tag = "person", security(("sdk" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        IdempotencyKeyHeader,
    ),
    request_body(content = OpenAttemptRequest, example = json!({ "method": "AGE_ESTIMATION", "locale": "en" })),
    responses((status = 201, description = "What the person does first.", body = TurnResponse), error::OpenAttemptErrors),
)]
pub(crate) async fn open_age_attempt(
    State(api): State<ApiState>,
    AgeEndUser { session, relying_party: business, .. }: AgeEndUser,
    body: RequestBody,
) -> Result<Response, AgeApiError> {
    let OpenAttemptRequest { method, locale, key } = body.json()?;
    if !session.is_authorised_by(key.as_deref()) {
        return Err(AgeApiError::session_not_found());
    }
    let method = method.ok_or_else(|| {
        AgeApiError::violation("method", format!("it is one of {}", AgeMethod::VARIANTS.join(", ")))
    })?;
    let locale = locale.filter(|locale| locale.len() <= MAX_LOCALE_BYTES);
    // No answer about blind tokens is kept: it would link the issuer's session with the relying party's.
    let is_blind = method == AgeMethod::DoubleAnonymity || session.issues.is_some();
    let idempotency_key = body.idempotency_key()?.filter(|_| !is_blind);
    let identity = body.fingerprint(session.app, idempotency_key.as_deref());
    if let Some(answered) = stored_response(&api, &identity).await? {
        return Ok((NO_STORE_HEADERS, answered).into_response());
    }
    // Opening may call a provider, so no transaction is held: of two concurrent requests, the later abandons the
    // attempt of the earlier.
    let turn = api
        .age_verification
        .open_attempt(session.id, method, locale.as_deref().unwrap_or(DEFAULT_LOCALE))
        .await?;
    let answer = TurnResponse::of(&api, turn, &business);
    if identity.key.is_none() {
        return Ok((StatusCode::CREATED, no_store_json(answer)).into_response());
    }
    let answer = idempotent(&api, identity, async |_| Ok((StatusCode::CREATED, answer))).await?;
    Ok((NO_STORE_HEADERS, answer).into_response())
}
