//! `POST /idverify/v1/sessions`

use super::request::CreateDocumentSessionRequest;
use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::RelyingPartyRequest, error},
    http::idempotency::{IdempotencyKeyHeader, idempotent, stored_response},
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::{DocumentSessionId, Timestamp, Uuid};
use domain::document_verification::CreateDocumentSession;
use utoipa::ToSchema;

/// A session that was made.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct CreatedDocumentSession {
    /// Seconds that the end user has.
    #[schema(minimum = 0, example = 600)]
    client_session_token_ttl: i64,
    /// The token that the end user's calls send in `X-Svc-Auth-Token`.
    client_session_token: Uuid,
    /// When the end user must have finished.
    #[schema(value_type = String, format = DateTime)]
    session_deadline: Timestamp,
    /// The session.
    #[serde(rename = "sessionId")]
    #[schema(value_type = Uuid)]
    session_id: DocumentSessionId,
    /// The same, under the name that older clients read.
    #[serde(rename = "session_id")]
    #[schema(value_type = Uuid)]
    same: DocumentSessionId,
    /// The address of the end user's page, which holds the token. The sandbox's page for a session of the sandbox.
    #[schema(format = "uri")]
    url: String,
}

/// Create a session.
///
/// The answer has the address of the page on which the end user supplies what is asked for.
#[utoipa::path(
    post, path = "/idverify/v1/sessions", operation_id = "create_session", tag = "sessions", security(("signature" = []), ("bearer" = [])),
    params(IdempotencyKeyHeader),
    request_body(
        content = CreateDocumentSessionRequest,
        description = "What is asked for: at least a check, a task, a required document or a scheme.",
        example = json!({
            "client_session_token_ttl": 900,
            "user_tracking_id": "customer-4711",
            "notifications": {
                "endpoint": "https://hooks.example.com/identity",
                "topics": ["SESSION_COMPLETION"],
                "auth_type": "BEARER",
                "auth_token": "a-token-of-yours"
            },
            "requested_checks": [
                { "type": "ID_DOCUMENT_AUTHENTICITY", "config": { "manual_check": "FALLBACK" } },
                { "type": "LIVENESS", "config": { "liveness_type": "ZOOM", "max_retries": 3 } },
                { "type": "ID_DOCUMENT_FACE_MATCH" }
            ],
            "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
            "required_documents": [{
                "type": "ID_DOCUMENT",
                "filter": {
                    "type": "ORTHOGONAL_RESTRICTIONS",
                    "country_restriction": { "inclusion": "INCLUDE", "country_codes": ["GBR", "SWE"] }
                }
            }],
            "sdk_config": { "locale": "en", "success_url": "https://shop.example.com/verified" }
        }),
    ),
    responses((status = 201, description = "The session is created.", body = CreatedDocumentSession), error::CreateDocumentSessionErrors),
)]
pub(crate) async fn create_document_session(
    State(api): State<ApiState>,
    party: RelyingPartyRequest,
) -> Result<Response, DocumentApiError> {
    let RelyingPartyRequest { app, sandbox, device, request: received, .. } = party;
    let key = received.idempotency_key()?;
    let fingerprint = received.fingerprint(app, key.as_deref());
    // Before the deadline is looked at, which has come nearer since the first request.
    if let Some(answer) = stored_response(&api, &fingerprint).await? {
        return Ok(answer);
    }
    let request = CreateDocumentSessionRequest::read(&api, &received, sandbox)?;
    let now = api.environment.now();
    idempotent(&api, fingerprint, async |tx| {
        let command = CreateDocumentSession {
            app,
            sandbox,
            request,
            device,
            unrecorded: false,
            serves_age_session: false,
        };
        let session = api.document_verification.create(tx, command).await?;
        let created = CreatedDocumentSession {
            client_session_token_ttl: session.seconds_left(now),
            client_session_token: session.token,
            session_deadline: session.requested.until,
            session_id: session.id,
            same: session.id,
            url: api.document_verification.page_url(sandbox, session.id, session.token),
        };
        Ok((StatusCode::CREATED, created))
    })
    .await
}
