//! `GET /accounts/{accountId}/moderations/{moderationId}/notifications`

use super::super::{
    Problem, authentication::NotificationsView, error, notifications::list::Notifications,
    path::ModerationPath, query::NotificationQuery, request::AccountRequest,
};
use crate::{Api, http::pagination::PAGE_ITEMS};
use axum::{Json, extract::State};

/// List the notifications of a moderation.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations/{moderationId}/notifications", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(ModerationPath, NotificationQuery),
    responses((status = 200, description = "A page of them, newest first.", body = Notifications), error::Paging),
)]
pub(crate) async fn list_moderation_notifications(
    State(api): State<Api>,
    request: AccountRequest<NotificationsView, ModerationPath, NotificationQuery>,
) -> Result<Json<Notifications>, Problem> {
    let (moderation, NotificationQuery { page, epoch }) = (request.path.moderation, request.input);
    let mut view = api.db.read().await?;
    let known = api.moderations.details(&mut view, request.account.id, moderation).await?;
    known.ok_or_else(|| Problem::missing("moderation"))?;
    let range = (page.offset(), PAGE_ITEMS);
    let found = api.moderations.notifications_of(&mut view, moderation, epoch, range).await?;
    Ok(Json(Notifications::of(page, found)?))
}
