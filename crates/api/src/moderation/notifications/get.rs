//! `GET /accounts/{accountId}/notifications/{id}`

use super::super::{
    Problem, authentication::NotificationsView, error, path::NotificationPath, request::AccountRequest,
    webhooks::ReviewedNotification,
};
use crate::Api;
use axum::{Json, extract::State};
use domain::moderation;

/// See a notification.
#[utoipa::path(
    get, path = "/accounts/{accountId}/notifications/{id}", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(NotificationPath),
    responses((status = 200, description = "The notification.", body = ReviewedNotification), error::Reading),
)]
pub(crate) async fn get_notification(
    State(api): State<Api>,
    request: AccountRequest<NotificationsView, NotificationPath>,
) -> Result<Json<ReviewedNotification>, Problem> {
    let (account, notification) = (request.account.id, request.path.notification);
    let found = moderation::find_notification(&mut api.db.read().await?, account, notification).await?;
    found.map(|found| Json(found.into())).ok_or_else(|| Problem::missing("notification"))
}
