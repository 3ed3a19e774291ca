//! `GET /accounts/{accountId}/moderations/{moderationId}/details`

use super::{
    super::{
        ModerationApiError, authentication::ModerationsView, error, path::ModerationPath,
        request::AccountRequest,
    },
    item::ModerationItem,
};
use crate::ApiState;
use axum::{Json, extract::State};
use utoipa::ToSchema;

/// A moderation, wrapped as this interface defines it.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ModerationDetails {
    /// The moderation.
    contents: ModerationItem,
}

/// See the request and the status of a moderation.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations/{moderationId}/details", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(ModerationPath),
    responses((status = 200, description = "The moderation.", body = ModerationDetails), error::ReadErrors),
)]
pub(crate) async fn moderation_details(
    State(api): State<ApiState>,
    request: AccountRequest<ModerationsView, ModerationPath>,
) -> Result<Json<ModerationDetails>, ModerationApiError> {
    let mut view = api.db.read().await?;
    let item = api.content_moderation.find(&mut view, request.account.id, request.path.moderation).await?;
    let item = item.ok_or_else(|| ModerationApiError::not_found("moderation"))?;
    Ok(Json(ModerationDetails { contents: item.into() }))
}
