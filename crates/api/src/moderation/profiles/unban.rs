//! `POST /accounts/{accountId}/profiles/{profileId}/unban`

use super::super::{
    Problem, authentication::ProfilesManage, error, path::ProfilePath, request::AccountRequest,
};
use crate::Api;
use axum::{extract::State, http::StatusCode};

/// Take a ban back.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles/{profileId}/unban", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(ProfilePath),
    responses((status = 204, description = "The person is not banned."), error::Reading),
)]
pub(crate) async fn unban_profile(
    State(api): State<Api>,
    request: AccountRequest<ProfilesManage, ProfilePath>,
) -> Result<StatusCode, Problem> {
    let mut tx = request.begin(&api).await?;
    api.faces.ban(&mut tx, request.account.id, request.path.profile, false).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
