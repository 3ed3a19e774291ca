//! `POST /accounts/{accountId}/profiles/{profileId}/ban`

use super::super::{
    ModerationApiError, authentication::ProfilesManage, error, path::ProfilePath, request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};

/// Ban a person.
///
/// From now on, every moderation of the account notifies about this person. Banning them again changes nothing. A profile
/// that nobody can be recognised by, of `profile_type` 2 or without a face, is refused.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles/{profileId}/ban", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(ProfilePath),
    responses((status = 204, description = "The person is banned."), error::ChangeErrors),
)]
pub(crate) async fn ban_profile(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesManage, ProfilePath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    api.faces.set_banned(&mut tx, request.account.id, request.path.profile, true).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
