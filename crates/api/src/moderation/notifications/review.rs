//! What somebody says of a notification: `POST /accounts/{accountId}/notifications/{id}/accept` and `…/dismiss` alike.

use super::super::{
    Problem,
    authentication::NotificationsManage,
    path::NotificationPath,
    request::{AccountRequest, Payload, Sent},
    violations::Violations,
    webhooks::ReviewedNotification,
};
use crate::Api;
use domain::moderation::reviews::{NotReviewed, Word};
use utoipa::ToSchema;

/// What somebody says of a notification.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ReviewComment {
    /// Why.
    #[schema(max_length = 500)]
    comment: Option<String>,
}

impl Payload for ReviewComment {
    type Command = String;

    fn into_command(self, _api: &Api, _violations: &mut Violations) -> Option<String> {
        Some(self.comment.unwrap_or_default())
    }
}

/// A review that was sent.
pub(super) type ReviewRequest = AccountRequest<NotificationsManage, NotificationPath, Sent<ReviewComment>>;

/// Notes a caller's word.
pub(super) async fn review(
    api: &Api,
    request: &ReviewRequest,
    word: Word,
) -> Result<ReviewedNotification, Problem> {
    let whose = (request.account.id, request.caller.id());
    let (notification, comment) = (request.path.notification, &request.input.command);
    let mut tx = request.begin(api).await?;
    let reviewed = api.moderations.review(&mut tx, whose, notification, word, comment).await?;
    tx.commit().await?;
    Ok(reviewed.into())
}

impl From<NotReviewed> for Problem {
    fn from(no: NotReviewed) -> Self {
        match no {
            NotReviewed::Invalid(invalid) => invalid.into(),
            NotReviewed::Missing => Self::missing("notification"),
            NotReviewed::Db(error) => Self::unavailable(&error),
        }
    }
}
