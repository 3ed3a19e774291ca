//! `POST /accounts/{accountId}/notifications/{id}/dismiss`

use super::{
    super::{ModerationApiError, error, path::NotificationPath, webhooks::ReviewedNotification},
    review::{ReviewNotificationBody, ReviewNotificationRequest, record_review},
};
use crate::ApiState;
use axum::{Json, extract::State};
use domain::content_moderation::reviews::ReviewDecision;

/// Dismiss a notification as wrong.
///
/// The face is not matched to that profile again, nor are faces that are nearer to it than to the profile's own. Where it is
/// hardly another face than the profile's, that holds in this content alone. It can be listed and undone at the profile; to
/// accept the notification undoes it, too. A later decision of the same caller replaces the earlier one.
#[utoipa::path(
    post, path = "/accounts/{accountId}/notifications/{id}/dismiss", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(NotificationPath),
    request_body = ReviewNotificationBody,
    responses((status = 200, description = "The notification with its reviews counted.", body = ReviewedNotification), error::WriteErrors),
)]
pub(crate) async fn dismiss_notification(
    State(api): State<ApiState>,
    request: ReviewNotificationRequest<ReviewNotificationBody>,
) -> Result<Json<ReviewedNotification>, ModerationApiError> {
    Ok(Json(record_review(&api, &request, ReviewDecision::Dismiss).await?))
}
