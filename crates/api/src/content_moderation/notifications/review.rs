//! What `POST /accounts/{accountId}/notifications/{id}/accept` and `…/dismiss` have in common: the review of a
//! notification.

use super::super::{
    ModerationApiError,
    authentication::NotificationsManage,
    path::NotificationPath,
    request::{AccountRequest, CommandPayload, ReceivedCommand},
    violations::CommandViolations,
    webhooks::ReviewedNotification,
};
use crate::ApiState;
use domain::content_moderation::reviews::{ReviewDecision, ReviewError};
use utoipa::ToSchema;

/// A review of a notification.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ReviewNotificationBody {
    /// The reason for the decision.
    #[schema(max_length = 500)]
    comment: Option<String>,
}

impl CommandPayload for ReviewNotificationBody {
    type Command = String;

    fn into_command(self, _api: &ApiState, _violations: &mut CommandViolations) -> Option<String> {
        Some(self.comment.unwrap_or_default())
    }
}

pub(super) type ReviewNotificationRequest =
    AccountRequest<NotificationsManage, NotificationPath, ReceivedCommand<ReviewNotificationBody>>;

/// Stores a caller's decision on a notification.
pub(super) async fn record_review(
    api: &ApiState,
    request: &ReviewNotificationRequest,
    decision: ReviewDecision,
) -> Result<ReviewedNotification, ModerationApiError> {
    let reviewer = (request.account.id, request.caller.id());
    let (notification, comment) = (request.path.notification, &request.input.command);
    let mut tx = request.begin_locked(api).await?;
    let reviewed = api.content_moderation.review(&mut tx, reviewer, notification, decision, comment).await?;
    tx.commit().await?;
    Ok(reviewed.into())
}

impl From<ReviewError> for ModerationApiError {
    fn from(error: ReviewError) -> Self {
        match error {
            ReviewError::Invalid(invalid) => invalid.into(),
            ReviewError::Missing => Self::not_found("notification"),
            ReviewError::Db(error) => Self::unavailable(&error),
        }
    }
}
