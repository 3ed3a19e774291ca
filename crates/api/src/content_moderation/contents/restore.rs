//! `DELETE /accounts/{accountId}/archive/contents/{id}`

use super::super::{
    ModerationApiError, authentication::ContentsArchive, error, path::ContentPath, request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};
use domain::content_moderation::contents;

/// Take a content out of the archive.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/archive/contents/{id}", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ContentPath),
    responses((status = 204, description = "The content is no longer archived."), error::ReadErrors),
)]
pub(crate) async fn restore_content(
    State(api): State<ApiState>,
    request: AccountRequest<ContentsArchive, ContentPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    contents::set_archived(&mut tx, request.account.id, request.path.content, false).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
