//! `DELETE /accounts/{accountId}/profiles/{profileId}/faces/{faceId}`

use super::super::{
    ModerationApiError, authentication::ProfilesManage, error, path::FacePath, request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};

/// Delete a face of a profile.
///
/// Its picture and embedding are deleted before this is answered.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/profiles/{profileId}/faces/{faceId}", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(FacePath),
    responses((status = 204, description = "The face is deleted."), error::ChangeErrors),
)]
pub(crate) async fn delete_face(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesManage, FacePath>,
) -> Result<StatusCode, ModerationApiError> {
    let (account, FacePath { profile, face, .. }) = (request.account.id, &request.path);
    let mut tx = request.begin_locked(&api).await?;
    api.faces.remove_face(&mut tx, account, *profile, *face).await?;
    tx.commit().await?;
    api.faces.apply_committed_changes(account).await;
    Ok(StatusCode::NO_CONTENT)
}
