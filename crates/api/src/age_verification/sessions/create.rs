//! `POST /api/v1/sessions`

use super::{
    super::{
        AgeApiError,
        auth::{AgeRelyingPartyRequest, RelyingParty},
        body::DeclaredJsonBody,
        error,
    },
    request::CreateAgeSessionRequest,
};
use crate::{
    ApiState,
    http::idempotency::{IdempotencyKeyHeader, idempotent, stored_response},
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::{AgeSessionId, Timestamp};
use domain::age_verification::{session::AgeSession, types::AgeSessionStatus};
use utoipa::ToSchema;

/// A session that was made.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct CreatedAgeSession {
    /// The session.
    #[schema(value_type = Uuid)]
    id: AgeSessionId,
    /// The state: `PENDING`, or the outcome of a verified email address, which is judged at once.
    status: AgeSessionStatus,
    /// When the session expires.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// The address of the end user's page; add `&locale=…` for a language. The sandbox's page for a session of the
    /// sandbox.
    url: String,
}

impl CreatedAgeSession {
    fn of(api: &ApiState, session: &AgeSession) -> Self {
        Self {
            id: session.id,
            status: session.state,
            expires_at: session.wanted.until,
            url: api.age_verification.page_url(session),
        }
    }
}

/// Create a session.
///
/// Send the end user to `url` of the answer. A refusal lists everything that is wrong with the request.
#[utoipa::path(
    post, path = "/api/v1/sessions", tag = "sessions", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(IdempotencyKeyHeader),
    request_body(
        content = CreateAgeSessionRequest, description = "What is asked for. Every member may be left out.",
        example = json!({
            "type": "OVER", "ttl": 900, "reference_id": "order-7041",
            "age_estimation": { "threshold": 25, "level": "PASSIVE", "retry_enabled": true, "retry_limit": 2 },
            "doc_scan": { "threshold": 18, "preset_issuing_country": "GBR" },
            "callback": { "url": "https://shop.example.com/checkout", "auto": true },
            "notification_url": "https://shop.example.com/hooks/age",
        }),
    ),
    responses((status = 200, description = "The session.", body = CreatedAgeSession), error::CreateAgeSessionErrors),
)]
pub(crate) async fn create_age_session(
    State(api): State<ApiState>,
    AgeRelyingPartyRequest(RelyingParty { app, sandbox }, DeclaredJsonBody(body)): AgeRelyingPartyRequest<
        RelyingParty,
        DeclaredJsonBody,
    >,
) -> Result<Response, AgeApiError> {
    let (request, unread) =
        CreateAgeSessionRequest::read(body.json_bytes(), &api.age_verification.settings().brand)?;
    let mut command = api.age_verification.prepare_session(app, sandbox, request, unread).await?;
    let key = body.idempotency_key()?;
    let identity = body.fingerprint(app, key.as_deref());
    // The provider is called before the transaction, which other writers would wait for; it is not called for a repeat,
    // because each call costs money.
    if command.has_verified_email()
        && let Some(answered) = stored_response(&api, &identity).await?
    {
        return Ok(answered);
    }
    api.age_verification.check_verified_email(&mut command).await?;
    idempotent(&api, identity, async |tx| {
        let session = api.age_verification.create_session(tx, command).await?;
        Ok((StatusCode::OK, CreatedAgeSession::of(&api, &session)))
    })
    .await
}
