//! `POST /idverify/v1/sessions/{sessionId}/biometric-consent`

use super::{Person, Problem};
use crate::Api;
use axum::{extract::State, http::StatusCode};

/// Consent to the use of biometric data.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/biometric-consent", tag = "person", security(("session" = [])),
    params(("sessionId" = String, Path, description = "The session.")),
    responses((status = 204, description = "It is noted."), Problem),
)]
pub(crate) async fn give_consent(State(api): State<Api>, person: Person) -> Result<StatusCode, Problem> {
    api.identities.consent(person.held.session.id, person.device).await?;
    Ok(StatusCode::NO_CONTENT)
}
