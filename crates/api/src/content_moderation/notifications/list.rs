//! `GET /accounts/{accountId}/notifications`

use super::super::{
    ModerationApiError,
    authentication::NotificationsView,
    error,
    path::AccountPath,
    query::{self, NotificationQuery},
    request::AccountRequest,
    webhooks::ReviewedNotification,
};
use crate::{
    ApiState,
    http::pagination::{ITEMS_PER_PAGE, PageNumber},
};
use axum::{Json, extract::State};
use domain::content_moderation::NotificationPage;
use utoipa::ToSchema;

/// A page of notifications.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct NotificationList {
    /// The notifications, newest first.
    #[schema(max_items = 20)]
    notifications: Vec<ReviewedNotification>,
    /// The position of the page in the list.
    meta: PaginationMeta,
}

/// The position of a page in a list.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct PaginationMeta {
    /// How many entries the list has.
    #[schema(minimum = 0)]
    total_count: i64,
    /// The page.
    #[schema(minimum = 1)]
    page: i64,
}

impl NotificationList {
    /// The body of a page; a page past the end is refused.
    pub(crate) fn of(page: PageNumber, found: NotificationPage) -> Result<Self, ModerationApiError> {
        query::check_page(page, found.total)?;
        Ok(Self {
            notifications: found.notifications.into_iter().map(Into::into).collect(),
            meta: PaginationMeta { total_count: found.total, page: page.number() },
        })
    }
}

/// List the notifications of an account.
#[utoipa::path(
    get, path = "/accounts/{accountId}/notifications", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(AccountPath, NotificationQuery),
    responses((status = 200, description = "A page of them, newest first.", body = NotificationList), error::ListPageErrors),
)]
pub(crate) async fn list_notifications(
    State(api): State<ApiState>,
    request: AccountRequest<NotificationsView, AccountPath, NotificationQuery>,
) -> Result<Json<NotificationList>, ModerationApiError> {
    let (page, filter) = (request.input.page, request.input.filter());
    let range = (page.offset(), ITEMS_PER_PAGE);
    let mut view = api.db.read().await?;
    let found = api.content_moderation.notifications(&mut view, request.account.id, filter, range).await?;
    Ok(Json(NotificationList::of(page, found)?))
}
