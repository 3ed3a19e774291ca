//! `GET /accounts/{accountId}/notifications/{id}/reviews`

use super::super::{
    ModerationApiError, authentication::NotificationsView, error, path::NotificationPath, query::PageQuery,
    request::AccountRequest,
};
use crate::{ApiState, http::pagination::ITEMS_PER_PAGE};
use axum::{Json, extract::State};
use base::{NotificationId, ReviewId, Timestamp, Uuid};
use domain::content_moderation::{self, reviews::NotificationReview};
use utoipa::ToSchema;

/// A page of reviews.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct NotificationReviewList {
    /// The reviews, newest first.
    #[schema(max_items = 20)]
    reviews: Vec<NotificationReviewBody>,
    /// How many the notification has.
    #[schema(minimum = 0)]
    total_count: i64,
}

/// A review.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Review)]
pub(crate) struct NotificationReviewBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: ReviewId,
    /// The notification.
    #[schema(value_type = Uuid)]
    notification_id: NotificationId,
    /// Who reviewed it: a member, or an API key.
    user_id: Uuid,
    /// The reviewer's comment.
    description: String,
    /// 100 where it was accepted, 0 where it was dismissed.
    #[schema(minimum = 0, maximum = 100)]
    score: i64,
    /// When it was reviewed.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<NotificationReview> for NotificationReviewBody {
    fn from(review: NotificationReview) -> Self {
        let NotificationReview { id, notification_id, user_id, description, score, created_at } = review;
        Self { id, notification_id, user_id, description, score, created_at }
    }
}

/// List the reviews of a notification.
#[utoipa::path(
    get, path = "/accounts/{accountId}/notifications/{id}/reviews", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(NotificationPath, PageQuery),
    responses((status = 200, description = "A page of them; empty past the end.", body = NotificationReviewList), error::ListErrors),
)]
pub(crate) async fn list_reviews(
    State(api): State<ApiState>,
    request: AccountRequest<NotificationsView, NotificationPath, PageQuery>,
) -> Result<Json<NotificationReviewList>, ModerationApiError> {
    let (account, notification) = (request.account.id, request.path.notification);
    let offset = request.input.page.offset();
    let mut view = api.db.read().await?;
    let known = content_moderation::find_notification(&mut view, account, notification).await?;
    known.ok_or_else(|| ModerationApiError::not_found("notification"))?;
    let (found, total_count) =
        api.content_moderation.reviews(&mut view, (account, notification), offset, ITEMS_PER_PAGE).await?;
    Ok(Json(NotificationReviewList { reviews: found.into_iter().map(Into::into).collect(), total_count }))
}
