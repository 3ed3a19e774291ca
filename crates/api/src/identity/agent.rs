//! `POST /sandbox/idverify/v1/sessions/{sessionId}/agent`

use super::{
    Problem,
    caller::{AuthenticatedRequest, SessionOwner},
    error,
    sessions::view::SessionView,
};
use crate::{Api, http::json};
use axum::{Json, extract::State};
use domain::identity::{
    agent::{Play, Played},
    words::IdDocumentType,
};
use utoipa::ToSchema;

/// How the end user is played.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct AgentRequest {
    /// The type of identity documents, in any case. Default: the first that the session takes.
    #[serde(default, deserialize_with = "json::word")]
    document_type: Option<IdDocumentType>,
    /// Their country, ISO 3166-1 alpha-3.
    #[schema(example = "SWE")]
    issuing_country: Option<String>,
    /// Whether the end user leaves before they are through.
    #[schema(default = false)]
    leaves: Option<bool>,
}

/// What came of it.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AgentReport {
    outcome: AgentOutcome,
    /// How the session stands.
    session: SessionView,
}

/// How a play ended.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum AgentOutcome {
    /// The end user is through; the checks begin.
    Finished,
    /// They have supplied everything, and left.
    Left,
    /// They would have to try something again, or wait.
    Stuck,
}

impl From<Played> for AgentOutcome {
    fn from(played: Played) -> Self {
        match played {
            Played::Finished => Self::Finished,
            Played::Left => Self::Left,
            Played::Stuck => Self::Stuck,
        }
    }
}

/// In a sandbox: play the end user, who supplies what the session asks for and is through.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/agent", tag = "sandbox", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body(content = AgentRequest, example = json!({ "document_type": "PASSPORT", "issuing_country": "SWE" })),
    responses((status = 200, description = "How it ended, and how the session stands.", body = AgentReport), error::Playing),
)]
pub(crate) async fn play_agent(
    State(api): State<Api>,
    AuthenticatedRequest { caller, body }: AuthenticatedRequest<SessionOwner, AgentRequest>,
) -> Result<Json<AgentReport>, Problem> {
    let SessionOwner { party, held } = caller;
    if !party.sandbox {
        // Nobody is played in production.
        return Err(Problem::no_session());
    }
    let AgentRequest { document_type, issuing_country, leaves } = body;
    let play = Play { document_type, issuing_country, leaves: leaves.unwrap_or(false) };
    let outcome = api.identities.play(held.session.id, &play).await?.into();
    let held = api.identities.of(party.app, held.session.id, party.sandbox).await?;
    Ok(Json(AgentReport { outcome, session: SessionView::of(&held.session, api.world.now()) }))
}
