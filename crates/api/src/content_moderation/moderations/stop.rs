//! `POST /accounts/{accountId}/moderations/{moderationId}/stop`

use super::super::{
    ModerationApiError, authentication::ModerationsManage, error, path::ModerationPath,
    request::AccountRequest,
};
use crate::ApiState;
use axum::{extract::State, http::StatusCode};

/// Stop a moderation.
///
/// Takes effect within seconds; one that has ended stays as it is.
#[utoipa::path(
    post, path = "/accounts/{accountId}/moderations/{moderationId}/stop", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(ModerationPath),
    responses((status = 202, description = "The moderation is being stopped."), error::ReadErrors),
)]
pub(crate) async fn stop_moderation(
    State(api): State<ApiState>,
    request: AccountRequest<ModerationsManage, ModerationPath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin_locked(&api).await?;
    if !api.content_moderation.stop(&mut tx, request.account.id, request.path.moderation).await? {
        return Err(ModerationApiError::not_found("moderation"));
    }
    tx.commit().await?;
    Ok(StatusCode::ACCEPTED)
}
