//! `POST /idverify/v1/sessions/{sessionId}/biometric-consent`

use crate::{
    Api,
    identity::{Problem, caller::EndUser, error},
};
use axum::{extract::State, http::StatusCode};

/// Consent to the use of biometric data.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/biometric-consent", tag = "person", security(("session" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 204, description = "It is noted."), error::EndUserCall),
)]
pub(crate) async fn give_consent(State(api): State<Api>, user: EndUser) -> Result<StatusCode, Problem> {
    api.identities.consent(user.held.session.id, user.device).await?;
    Ok(StatusCode::NO_CONTENT)
}
