//! `POST /accounts/{accountId}/profiles/{profileId}/unban`

use super::super::{
    ModerationApiError, authentication::ProfilesFlag, error, path::ProfilePath, request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};

/// Lift the ban on a person.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles/{profileId}/unban", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(ProfilePath),
    responses((status = 204, description = "The person is not banned."), error::ReadErrors),
)]
pub(crate) async fn unban_profile(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesFlag, ProfilePath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    api.faces.unban(&mut tx, request.account.id, request.path.profile).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
