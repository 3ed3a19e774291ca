//! `POST /age/v1/sessions/{sessionId}/proof`

use super::super::{AgeApiError, NoStoreJson, auth::AgeEndUser, error, no_store_json};
use crate::ApiState;
use axum::extract::State;
use utoipa::ToSchema;

/// An invitation to the holder's page.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct ProofInvitation {
    /// The address; it works once.
    url: String,
}

/// Get a proof of age to take along, for use at tills.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/proof", tag = "person", security(("sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "The invitation.", body = ProofInvitation), error::TakeProofErrors),
)]
pub(crate) async fn take_age_proof(
    State(api): State<ApiState>,
    user: AgeEndUser,
) -> Result<NoStoreJson<ProofInvitation>, AgeApiError> {
    Ok(no_store_json(ProofInvitation {
        url: api.age_verification.create_proof_invitation(user.session.id).await?,
    }))
}
