//! `DELETE /accounts/{accountId}/profiles/{profileId}`

use super::super::{
    ModerationApiError, authentication::ProfilesManage, error, path::ProfilePath, request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};

/// Delete a profile.
///
/// Its texts, faces, pictures, embeddings, groups and labels are deleted before this is answered. The profile stays in
/// lists as not active; every operation on it except GET answers 404.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/profiles/{profileId}", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(ProfilePath),
    responses((status = 204, description = "The profile is deleted."), error::ReadErrors),
)]
pub(crate) async fn delete_profile(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesManage, ProfilePath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    api.faces.delete_profile(&mut tx, request.account.id, request.path.profile).await?;
    tx.commit().await?;
    api.faces.apply_committed_changes(request.account.id).await;
    Ok(StatusCode::NO_CONTENT)
}
