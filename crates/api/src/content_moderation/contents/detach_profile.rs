//! `DELETE /accounts/{accountId}/contents/{id}/profiles/{profileId}`

use super::super::{
    ModerationApiError, authentication::ContentsManage, error, path::ContentProfilePath,
    request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};
use domain::content_moderation::contents;

/// Withdraw that a profile is known to be in a content.
///
/// The interface's documentation shows a body beside the status 204, but HTTP allows none.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/contents/{id}/profiles/{profileId}", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ContentProfilePath),
    responses((status = 204, description = "The profile is detached."), error::ReadErrors),
)]
pub(crate) async fn detach_profile(
    State(api): State<ApiState>,
    request: AccountRequest<ContentsManage, ContentProfilePath>,
) -> Result<StatusCode, ModerationApiError> {
    let ContentProfilePath { content, profile, .. } = request.path;
    let mut tx = request.begin_locked(&api).await?;
    contents::detach_profile(&mut tx, request.account.id, content, profile).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
