//! `DELETE /accounts/{accountId}/contents/{id}`

use super::super::{
    ModerationApiError, authentication::ContentsManage, error, path::ContentPath, request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};

/// Delete a content.
///
/// Its moderations with everything that they found, its reports and its links to profiles are gone when this is answered.
/// Moderations that run are stopped. The data at its address is not touched; a file that was uploaded is deleted.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/contents/{id}", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ContentPath),
    responses((status = 204, description = "The content is deleted."), error::ReadErrors),
)]
pub(crate) async fn delete_content(
    State(api): State<ApiState>,
    request: AccountRequest<ContentsManage, ContentPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    if !api.content_moderation.delete_content(&mut tx, request.account.id, request.path.content).await? {
        return Err(ModerationApiError::not_found("content"));
    }
    tx.commit().await?;
    api.content_moderation.delete_files(request.account.id).await;
    Ok(StatusCode::NO_CONTENT)
}
