//! `GET /accounts/{accountId}/notifications`

use super::super::{
    Problem,
    authentication::NotificationsView,
    error,
    path::AccountPath,
    query::{self, NotificationQuery},
    request::AccountRequest,
    webhooks::ReviewedNotification,
};
use crate::{
    Api,
    http::pagination::{PAGE_ITEMS, Page},
};
use axum::{Json, extract::State};
use domain::moderation::NotificationPage;
use utoipa::ToSchema;

/// A page of notifications.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Notifications {
    /// The notifications, newest first.
    #[schema(max_items = 20)]
    notifications: Vec<ReviewedNotification>,
    /// Where in the list they stand.
    meta: ListPosition,
}

/// Where in a list a page stands.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ListPosition {
    /// How many the list has.
    #[schema(minimum = 0)]
    total_count: i64,
    /// The page.
    #[schema(minimum = 1)]
    page: i64,
}

impl Notifications {
    /// The body of a page that exists.
    pub(crate) fn of(page: Page, found: NotificationPage) -> Result<Self, Problem> {
        query::within(page, found.total)?;
        Ok(Self {
            notifications: found.notifications.into_iter().map(Into::into).collect(),
            meta: ListPosition { total_count: found.total, page: page.number() },
        })
    }
}

/// List the notifications of an account.
#[utoipa::path(
    get, path = "/accounts/{accountId}/notifications", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(AccountPath, NotificationQuery),
    responses((status = 200, description = "A page of them, newest first.", body = Notifications), error::Paging),
)]
pub(crate) async fn list_notifications(
    State(api): State<Api>,
    request: AccountRequest<NotificationsView, AccountPath, NotificationQuery>,
) -> Result<Json<Notifications>, Problem> {
    let NotificationQuery { page, epoch } = request.input;
    let range = (page.offset(), PAGE_ITEMS);
    let mut view = api.db.read().await?;
    let found = api.moderations.notifications(&mut view, request.account.id, epoch, range).await?;
    Ok(Json(Notifications::of(page, found)?))
}
