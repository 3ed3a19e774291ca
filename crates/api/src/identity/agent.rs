//! `POST /sandbox/idverify/v1/sessions/{sessionId}/agent`

use super::{Business, Problem, view};
use crate::Api;
use axum::{
    Json,
    extract::{Path, State},
};
use domain::identity::agent::{Play, Played};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// How the person is played.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body, which is read member by member")]
pub(crate) struct AgentBody {
    /// The type of identity documents. Default: the first that the session takes.
    document_type: Option<String>,
    /// Their country.
    issuing_country: Option<String>,
    /// Whether the person leaves before he is through. Default: false.
    leaves: Option<bool>,
}

/// In a sandbox: play the person, who supplies what the session asks for and is through.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/agent", tag = "sandbox", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    request_body = AgentBody,
    responses((status = 200, description = "`outcome` is `FINISHED`, `LEFT` or `STUCK`, and `session` how it stands.", body = Value), Problem),
)]
pub(crate) async fn play_agent(
    State(api): State<Api>,
    Path(id): Path<String>,
    business: Business,
) -> Result<Json<Value>, Problem> {
    if !business.sandbox {
        // Nobody is played in production.
        return Err(Problem::no_session());
    }
    let held = business.session(&api, &id).await?;
    let body = business.sent.json()?;
    let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    let play = Play {
        document_type: text("document_type"),
        issuing_country: text("issuing_country"),
        leaves: body.get("leaves").and_then(Value::as_bool).unwrap_or(false),
    };
    let outcome = match api.identities.play(held.session.id, &play).await? {
        Played::Finished => "FINISHED",
        Played::Left => "LEFT",
        Played::Stuck => "STUCK",
    };
    let held = business.session(&api, &id).await?;
    Ok(Json(json!({ "outcome": outcome, "session": view::session(&held.session, api.world.now()) })))
}
