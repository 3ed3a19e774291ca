//! `POST /age/v1/sessions/{sessionId}/cancel`

use super::{
    super::{
        AgeApiError, NoStoreJson,
        auth::{AdmitBlockedLocations, AgeEndUser},
        error, no_store_json,
    },
    page_session::PageSession,
};
use crate::ApiState;
use axum::extract::State;

/// Cancel the session.
#[utoipa::path(
    post, path = "/age/v1/sessions/{sessionId}/cancel", tag = "person", security(("sdk" = [])),
    params(("sessionId" = Uuid, Path, description = "The session.")),
    responses((status = 200, description = "The cancelled session.", body = PageSession), error::CancelErrors),
)]
pub(crate) async fn cancel_age_session(
    State(api): State<ApiState>,
    user: AgeEndUser<AdmitBlockedLocations>,
) -> Result<NoStoreJson<PageSession>, AgeApiError> {
    let session = api.age_verification.cancel_session(user.session.id).await?;
    Ok(no_store_json(PageSession::of(&api, &session, &user.relying_party)))
}
