//! `GET /accounts/{accountId}/notifications/{id}/reviews`

use super::super::{
    Problem, authentication::NotificationsView, error, path::NotificationPath, query::PageQuery,
    request::AccountRequest,
};
use crate::{Api, http::pagination::PAGE_ITEMS};
use axum::{Json, extract::State};
use base::{NotificationId, ReviewId, Timestamp, Uuid};
use domain::moderation::{
    self,
    reviews::{self, Review},
};
use utoipa::ToSchema;

/// A page of reviews.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Reviews {
    /// The reviews, newest first.
    #[schema(max_items = 20)]
    reviews: Vec<ReviewBody>,
    /// How many the notification has.
    #[schema(minimum = 0)]
    total_count: i64,
}

/// A review.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Review)]
pub(crate) struct ReviewBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: ReviewId,
    /// The notification.
    #[schema(value_type = Uuid)]
    notification_id: NotificationId,
    /// Who said it: a member, or an API key.
    user_id: Uuid,
    /// Why.
    description: String,
    /// 100 where it was accepted, 0 where it was dismissed.
    #[schema(minimum = 0, maximum = 100)]
    score: i64,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<Review> for ReviewBody {
    fn from(review: Review) -> Self {
        let Review { id, notification_id, user_id, description, score, created_at } = review;
        Self { id, notification_id, user_id, description, score, created_at }
    }
}

/// List what was said of a notification.
#[utoipa::path(
    get, path = "/accounts/{accountId}/notifications/{id}/reviews", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(NotificationPath, PageQuery),
    responses((status = 200, description = "A page of them; empty past the end.", body = Reviews), error::Listing),
)]
pub(crate) async fn list_reviews(
    State(api): State<Api>,
    request: AccountRequest<NotificationsView, NotificationPath, PageQuery>,
) -> Result<Json<Reviews>, Problem> {
    let (account, notification) = (request.account.id, request.path.notification);
    let offset = request.input.page.offset();
    let mut view = api.db.read().await?;
    let known = moderation::find_notification(&mut view, account, notification).await?;
    known.ok_or_else(|| Problem::missing("notification"))?;
    let (found, total_count) = reviews::list(&mut view, account, notification, offset, PAGE_ITEMS).await?;
    Ok(Json(Reviews { reviews: found.into_iter().map(Into::into).collect(), total_count }))
}
