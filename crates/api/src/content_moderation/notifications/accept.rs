//! `POST /accounts/{accountId}/notifications/{id}/accept`

use super::{
    super::{ModerationApiError, error, path::NotificationPath, webhooks::ReviewedNotification},
    review::{ReviewNotificationBody, ReviewNotificationRequest, record_review},
};
use crate::ApiState;
use axum::{Json, extract::State};
use domain::content_moderation::reviews::ReviewDecision;

/// Accept a notification as right.
///
/// A later decision of the same caller replaces the earlier one.
#[utoipa::path(
    post, path = "/accounts/{accountId}/notifications/{id}/accept", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(NotificationPath),
    request_body = ReviewNotificationBody,
    responses((status = 200, description = "The notification with its reviews counted.", body = ReviewedNotification), error::WriteErrors),
)]
pub(crate) async fn accept_notification(
    State(api): State<ApiState>,
    request: ReviewNotificationRequest,
) -> Result<Json<ReviewedNotification>, ModerationApiError> {
    Ok(Json(record_review(&api, &request, ReviewDecision::Accept).await?))
}
