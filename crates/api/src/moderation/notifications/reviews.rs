//! `GET /accounts/{accountId}/notifications/{id}/reviews`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::{
    Api,
    http::pagination::{PAGE_ITEMS, Page},
};
use axum::{Json, extract::State};
use base::{AccountId, NotificationId, ReviewId, Timestamp, Uuid};
use domain::{
    accounts::Scope,
    moderation::{
        self,
        reviews::{self, Review},
    },
};
use utoipa::ToSchema;

/// A page of reviews.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Reviews {
    /// The reviews, newest first, 20 on a page.
    reviews: Vec<ReviewBody>,
    /// How many the notification has.
    total_count: i64,
}

/// A review.
#[derive(serde::Serialize, ToSchema)]
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
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("id" = Uuid, Path, description = "The notification."),
        ("page" = Option<i64>, Query, description = "From 1; 1 by default.", minimum = 1),
    ),
    responses((status = 200, description = "A page of them; empty past the end.", body = Reviews), Problem),
)]
pub(crate) async fn list_reviews(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, id)): Ids<(AccountId, NotificationId)>,
    page: Page,
) -> Result<Json<Reviews>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::NotificationsView).await?;
    let known = moderation::find_notification(&mut view, account, id).await?;
    known.ok_or_else(|| Problem::missing("notification"))?;
    let (found, total_count) = reviews::list(&mut view, account, id, page.offset(), PAGE_ITEMS).await?;
    Ok(Json(Reviews { reviews: found.into_iter().map(Into::into).collect(), total_count }))
}
