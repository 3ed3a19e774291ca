//! `GET /accounts/{accountId}/notifications/{id}`

use super::super::{
    ModerationApiError, authentication::NotificationsView, error, path::NotificationPath,
    request::AccountRequest, webhooks::ReviewedNotification,
};
use crate::ApiState;
use axum::{Json, extract::State};
use domain::content_moderation;

/// See a notification.
#[utoipa::path(
    get, path = "/accounts/{accountId}/notifications/{id}", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(NotificationPath),
    responses((status = 200, description = "The notification.", body = ReviewedNotification), error::ReadErrors),
)]
pub(crate) async fn get_notification(
    State(api): State<ApiState>,
    request: AccountRequest<NotificationsView, NotificationPath>,
) -> Result<Json<ReviewedNotification>, ModerationApiError> {
    let (account, notification) = (request.account.id, request.path.notification);
    let found =
        content_moderation::find_notification(&mut api.db.read().await?, account, notification).await?;
    found.map(|found| Json(found.into())).ok_or_else(|| ModerationApiError::not_found("notification"))
}
