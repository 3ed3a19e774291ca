//! `POST /age/v1/sessions/{sessionId}/proof`

use super::super::{NoStore, Problem, auth::EndUser, error, no_store};
use crate::Api;
use axum::extract::State;
use utoipa::ToSchema;

/// An invitation to the holder's page.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct ProofInvitation {
    /// The address, which is good once.
    url: String,
}

/// Take a proof of age along, for tills.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/proof", tag = "person", security(("sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "The invitation.", body = ProofInvitation), error::Proving),
)]
pub(crate) async fn take_age_proof(
    State(api): State<Api>,
    user: EndUser,
) -> Result<NoStore<ProofInvitation>, Problem> {
    Ok(no_store(ProofInvitation { url: api.ages.give_proof(user.session.id).await? }))
}
