//! `POST /api/v1/sessions`

use super::{
    super::{Problem, auth::RelyingParty, body::DeclaredJson, error},
    request::CreateSessionRequest,
};
use crate::{
    Api,
    http::idempotency::{earlier_answer, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::{AgeSessionId, Timestamp};
use domain::ages::{session::Session, words::AgeSessionStatus};
use utoipa::ToSchema;

/// A session that was made.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct CreatedSession {
    /// The session.
    #[schema(value_type = Uuid)]
    id: AgeSessionId,
    /// How far it is: `PENDING`, or what came of an address that was judged at once.
    status: AgeSessionStatus,
    /// When its time is over.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// The address of the end user's page; add `&locale=…` for a language. The sandbox's page for a session of the sandbox.
    url: String,
}

impl CreatedSession {
    fn of(api: &Api, session: &Session) -> Self {
        Self {
            id: session.id,
            status: session.state,
            expires_at: session.wanted.until,
            url: api.ages.page_url(session),
        }
    }
}

/// Create a session.
///
/// Send the end user to `url` of the answer. Everything that is wrong with the request is told at once.
#[utoipa::path(
    post, path = "/api/v1/sessions", tag = "sessions", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("Idempotency-Key" = Option<String>, Header, max_length = 255, description = "Repeats with the same key and body are answered alike, for 24 hours.")),
    request_body(
        content = CreateSessionRequest, description = "What is asked for. Every member may be left out.",
        example = json!({
            "type": "OVER", "ttl": 900, "reference_id": "order-7041",
            "age_estimation": { "threshold": 25, "level": "PASSIVE", "retry_enabled": true, "retry_limit": 2 },
            "doc_scan": { "threshold": 18, "preset_issuing_country": "GBR" },
            "callback": { "url": "https://shop.example.com/checkout", "auto": true },
            "notification_url": "https://shop.example.com/hooks/age",
        }),
    ),
    responses((status = 200, description = "The session.", body = CreatedSession), error::Creating),
)]
pub(crate) async fn create_age_session(
    State(api): State<Api>,
    RelyingParty { app, sandbox }: RelyingParty,
    DeclaredJson(body): DeclaredJson,
) -> Result<Response, Problem> {
    let (request, unread) = CreateSessionRequest::read(body.json_bytes(), &api.ages.settings().brand)?;
    let mut command = api.ages.prepare(app, sandbox, request, unread).await?;
    let key = body.idempotency_key()?;
    let identity = body.identity(app, key.as_deref());
    // A provider is asked before the transaction, which everybody else would wait for; and not for a repeat, as it has its
    // price.
    if command.has_verified_email()
        && let Some(answered) = earlier_answer(&api, &identity).await?
    {
        return Ok(answered);
    }
    api.ages.judge_email(&mut command).await?;
    idempotent(&api, identity, async |tx| {
        let session = api.ages.create(tx, command).await?;
        Ok((StatusCode::OK, CreatedSession::of(&api, &session)))
    })
    .await
}
