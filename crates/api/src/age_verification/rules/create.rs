//! `POST /api/v1/rules`

use super::super::{
    AgeApiError,
    auth::{AgeRelyingPartyRequest, RelyingParty},
    body::DeclaredJsonBody,
    error,
    sessions::request::CreateAgeSessionRequest,
};
use crate::{
    ApiState,
    http::idempotency::{IdempotencyKeyHeader, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::Uuid;
use utoipa::ToSchema;

/// A rule that was made.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct CreatedRule {
    /// The rule, for `rule_id` of sessions.
    id: Uuid,
}

/// Create a rule for stored results.
///
/// A rule says which methods, thresholds and levels are enough, and in `ttl` how old a result may be.
#[utoipa::path(
    post, path = "/api/v1/rules", tag = "rules", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(IdempotencyKeyHeader),
    request_body(
        content = CreateAgeSessionRequest, description = "The methods, thresholds and levels that are enough, as for a session.",
        example = json!({
            "type": "OVER", "ttl": 604_800,
            "age_estimation": { "threshold": 25, "level": "PASSIVE" }, "doc_scan": { "authenticity": "AUTO" },
        }),
    ),
    responses((status = 201, description = "The rule.", body = CreatedRule), error::CreateAgeSessionErrors),
)]
pub(crate) async fn create_age_rule(
    State(api): State<ApiState>,
    AgeRelyingPartyRequest(RelyingParty { app, sandbox }, DeclaredJsonBody(body)): AgeRelyingPartyRequest<
        RelyingParty,
        DeclaredJsonBody,
    >,
) -> Result<Response, AgeApiError> {
    let (request, unread) =
        CreateAgeSessionRequest::read(body.json_bytes(), &api.age_verification.settings().brand)?;
    let command = api.age_verification.prepare_rule(app, sandbox, request, unread)?;
    let key = body.idempotency_key()?;
    idempotent(&api, body.fingerprint(app, key.as_deref()), async |tx| {
        let id = api.age_verification.create_rule(tx, command).await?;
        Ok((StatusCode::CREATED, CreatedRule { id }))
    })
    .await
}
