//! `GET /accounts/{accountId}/moderations/{moderationId}/notifications`

use super::super::{
    ModerationApiError, authentication::NotificationsView, error, notifications::list::NotificationList,
    path::ModerationPath, query::NotificationQuery, request::AccountRequest,
};
use crate::{ApiState, http::pagination::ITEMS_PER_PAGE};
use axum::{Json, extract::State};

/// List the notifications of a moderation.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations/{moderationId}/notifications", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(ModerationPath, NotificationQuery),
    responses((status = 200, description = "A page of them, newest first.", body = NotificationList), error::ListPageErrors),
)]
pub(crate) async fn list_moderation_notifications(
    State(api): State<ApiState>,
    request: AccountRequest<NotificationsView, ModerationPath, NotificationQuery>,
) -> Result<Json<NotificationList>, ModerationApiError> {
    let (moderation, page) = (request.path.moderation, request.input.page);
    let mut view = api.db.read().await?;
    let known = api.content_moderation.find(&mut view, request.account.id, moderation).await?;
    known.ok_or_else(|| ModerationApiError::not_found("moderation"))?;
    let range = (page.offset(), ITEMS_PER_PAGE);
    let filter = request.input.filter();
    let found = api.content_moderation.moderation_notifications(&mut view, moderation, filter, range).await?;
    Ok(Json(NotificationList::of(page, found)?))
}
