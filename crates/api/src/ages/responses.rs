//! `PUT /sandbox/api/v1/sessions/{sessionId}/response-config`: what a sandbox's session comes to.

use super::{Business, Problem, described, error, view};
use crate::Api;
use axum::{
    Json,
    extract::{Path, State},
};
use domain::ages::Response;
use serde_json::Value;
use utoipa::ToSchema;

/// What a session comes to.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body, which is read member by member")]
pub(crate) struct ResponseConfig {
    /// The state that it takes.
    status: described::State,
    /// The age, years; told by sessions of the type AGE.
    #[schema(minimum = 0, maximum = 120)]
    age: Option<i64>,
    /// The method that it came of. Default: the first that is allowed.
    method: Option<described::Method>,
}

/// Set what a session of the sandbox comes to. It takes that state at once, and its webhook is sent.
#[utoipa::path(
    put, path = "/api/v1/sessions/{sessionId}/response-config", tag = "sandbox", security(("key" = [], "sdk" = []), ("bearer" = [], "sdk" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    request_body = ResponseConfig,
    responses((status = 200, description = "It came to that.", body = described::Record), error::Responding),
)]
pub(crate) async fn set_age_response(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<Json<Value>, Problem> {
    if !business.sandbox {
        return Err(Problem::new(super::Code::NotFound, "response configurations are the sandbox's"));
    }
    let session = business.session(&api, &id).await?;
    let response = Response::read(&business.sent.json()?)?;
    Ok(Json(view::record(&api, &api.ages.respond(session.id, &response).await?)))
}
