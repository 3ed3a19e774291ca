//! `POST /api/v1/rules`

use super::super::{
    Problem, auth::RelyingParty, body::DeclaredJson, error, sessions::request::CreateSessionRequest,
};
use crate::{Api, http::idempotency::idempotent};
use axum::{extract::State, http::StatusCode, response::Response};
use base::Uuid;
use utoipa::ToSchema;

/// A rule that was made.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct CreatedRule {
    /// The rule, for `rule_id` of sessions.
    id: Uuid,
}

/// Create a rule for kept results.
///
/// A rule says which methods, thresholds and levels are enough, and in `ttl` how old a result may be.
#[utoipa::path(
    post, path = "/api/v1/rules", tag = "rules", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("Idempotency-Key" = Option<String>, Header, max_length = 255, description = "Repeats with the same key and body are answered alike, for 24 hours.")),
    request_body(
        content = CreateSessionRequest, description = "The methods, thresholds and levels that are enough, as for a session.",
        example = json!({
            "type": "OVER", "ttl": 604_800,
            "age_estimation": { "threshold": 25, "level": "PASSIVE" }, "doc_scan": { "authenticity": "AUTO" },
        }),
    ),
    responses((status = 201, description = "The rule.", body = CreatedRule), error::Creating),
)]
pub(crate) async fn create_age_rule(
    State(api): State<Api>,
    RelyingParty { app, sandbox }: RelyingParty,
    DeclaredJson(body): DeclaredJson,
) -> Result<Response, Problem> {
    let (request, unread) = CreateSessionRequest::read(body.json_bytes(), &api.ages.settings().brand)?;
    let command = api.ages.prepare_rule(app, sandbox, request, unread)?;
    let key = body.idempotency_key()?;
    idempotent(&api, body.identity(app, key.as_deref()), async |tx| {
        let id = api.ages.make_rule(tx, command).await?;
        Ok((StatusCode::CREATED, CreatedRule { id }))
    })
    .await
}
