//! `DELETE /accounts/{accountId}/moderations/{moderationId}`

use super::super::{
    ModerationApiError, authentication::ModerationsManage, error, path::ModerationPath,
    request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};

/// Delete a moderation.
///
/// Its findings with their embeddings, notifications and reviews are gone when this is answered. One that runs is stopped.
/// The content stays.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/moderations/{moderationId}", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(ModerationPath),
    responses((status = 204, description = "The moderation is deleted."), error::ReadErrors),
)]
pub(crate) async fn delete_moderation(
    State(api): State<ApiState>,
    request: AccountRequest<ModerationsManage, ModerationPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    if !api.content_moderation.delete(&mut tx, request.account.id, request.path.moderation).await? {
        return Err(ModerationApiError::not_found("moderation"));
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
