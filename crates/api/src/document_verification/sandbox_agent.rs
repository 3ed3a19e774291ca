//! `POST /sandbox/idverify/v1/sessions/{sessionId}/agent`

use super::{
    DocumentApiError,
    auth::{AuthenticatedRequest, SessionOwner},
    error,
    sessions::view::SessionView,
};
use crate::{ApiState, http::json};
use axum::{Json, extract::State};
use domain::document_verification::{
    sandbox_agent::{SandboxPlayOptions, SandboxPlayOutcome},
    types::IdDocumentType,
};
use utoipa::ToSchema;

/// How the end user is to behave.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct SandboxAgentRequest {
    /// The type of identity documents, upper or lower case. Default: the first that the session accepts.
    #[serde(default, deserialize_with = "json::enum_value")]
    document_type: Option<IdDocumentType>,
    /// Their issuing country, ISO 3166-1 alpha-3.
    #[schema(example = "SWE")]
    issuing_country: Option<String>,
    /// Whether the end user leaves before they have finished.
    #[schema(default = false)]
    leaves: Option<bool>,
}

/// The result of playing the end user.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SandboxAgentReport {
    outcome: SandboxAgentOutcome,
    /// The session afterwards.
    session: SessionView,
}

/// How playing the end user ended.
#[derive(serde::Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SandboxAgentOutcome {
    /// The end user has finished; the checks begin.
    Finished,
    /// They have supplied everything, and left.
    Left,
    /// They would have to try something again, or wait.
    Stuck,
}

impl From<SandboxPlayOutcome> for SandboxAgentOutcome {
    fn from(played: SandboxPlayOutcome) -> Self {
        match played {
            SandboxPlayOutcome::Finished => Self::Finished,
            SandboxPlayOutcome::Abandoned => Self::Left,
            SandboxPlayOutcome::Stuck => Self::Stuck,
        }
    }
}

/// In a sandbox: play the end user, who supplies what the session asks for and finishes.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/agent", tag = "sandbox", security(("signature" = []), ("bearer" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    request_body(content = SandboxAgentRequest, example = json!({ "document_type": "PASSPORT", "issuing_country": "SWE" })),
    responses((status = 200, description = "How the run ended, and the state of the session.", body = SandboxAgentReport), error::PlayAgentErrors),
)]
pub(crate) async fn play_agent(
    State(api): State<ApiState>,
    AuthenticatedRequest { caller, body }: AuthenticatedRequest<SessionOwner, SandboxAgentRequest>,
) -> Result<Json<SandboxAgentReport>, DocumentApiError> {
    let SessionOwner { party, stored: held } = caller;
    if !party.sandbox {
        // Sandbox only.
        return Err(DocumentApiError::session_not_found());
    }
    let SandboxAgentRequest { document_type, issuing_country, leaves } = body;
    let play =
        SandboxPlayOptions { document_type, issuing_country, abandons_session: leaves.unwrap_or(false) };
    let outcome = api.document_verification.run_sandbox_agent(held.session.id, &play).await?.into();
    let held =
        api.document_verification.find_for_relying_party(party.app, held.session.id, party.sandbox).await?;
    Ok(Json(SandboxAgentReport { outcome, session: SessionView::of(&held.session, api.environment.now()) }))
}
