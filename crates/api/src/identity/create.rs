//! `POST /idverify/v1/sessions`

use super::{Business, Problem};
use crate::{Api, http::idempotency::idempotent};
use axum::{extract::State, http::StatusCode, response::Response};
use base::{SessionId, Uuid};
use domain::identity::wanted::Wanted;
use serde_json::Value;
use utoipa::ToSchema;

/// A session that was made.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Created {
    /// Seconds that the person has.
    client_session_token_ttl: i64,
    /// What the person's calls carry, in `X-Svc-Auth-Token`.
    client_session_token: Uuid,
    /// The session.
    #[serde(rename = "sessionId")]
    #[schema(value_type = Uuid)]
    session_id: SessionId,
    /// The same, as older clients read it.
    #[serde(rename = "session_id")]
    #[schema(value_type = Uuid)]
    same: SessionId,
    /// The address of the end user's page, which holds the token. The sandbox's page for a session of the sandbox.
    url: String,
}

/// Make a session.
#[utoipa::path(
    post, path = "/idverify/v1/sessions", tag = "sessions", security(("signature" = []), ("bearer" = [])),
    params(("Idempotency-Key" = Option<String>, Header, description = "Repeats with the same key and body are answered alike, for 24 hours.")),
    request_body(content = super::view::CreatePayload, description = "What is asked for. Every member may be left out."),
    responses((status = 201, description = "It is made.", body = Created), Problem),
)]
pub(crate) async fn create_session(State(api): State<Api>, business: Business) -> Result<Response, Problem> {
    let payload: serde_json::Map<String, Value> = business.sent.json()?;
    let now = api.world.now();
    let wanted = Wanted::read(&payload, now, api.identities.outbox())?;

    let Business { app, sandbox, device, sent } = business;
    let key = sent.idempotency_key()?;
    idempotent(&api, sent.identity(app, key.as_deref()), async |tx| {
        let session = api.identities.create(tx, app, sandbox, wanted, device).await?;
        let created = Created {
            client_session_token_ttl: session.seconds_left(now),
            client_session_token: session.token,
            session_id: session.id,
            same: session.id,
            url: api.identities.page_url(sandbox, session.id, session.token),
        };
        Ok((StatusCode::CREATED, created))
    })
    .await
}
