//! `POST /accounts/{accountId}/notifications/{id}/accept`

use super::{
    super::{Problem, error, path::NotificationPath, webhooks::ReviewedNotification},
    review::{ReviewComment, ReviewRequest, review},
};
use crate::Api;
use axum::{Json, extract::State};
use domain::moderation::reviews::Word;

/// Say that a notification is right.
///
/// A later word of the same caller replaces an earlier one.
#[utoipa::path(
    post, path = "/accounts/{accountId}/notifications/{id}/accept", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(NotificationPath),
    request_body = ReviewComment,
    responses((status = 200, description = "The notification with its reviews counted.", body = ReviewedNotification), error::Writing),
)]
pub(crate) async fn accept_notification(
    State(api): State<Api>,
    request: ReviewRequest,
) -> Result<Json<ReviewedNotification>, Problem> {
    Ok(Json(review(&api, &request, Word::Accept).await?))
}
