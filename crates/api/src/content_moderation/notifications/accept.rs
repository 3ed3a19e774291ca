//! `POST /accounts/{accountId}/notifications/{id}/accept`

use super::{
    super::{
        ModerationApiError, error, path::NotificationPath, request::CommandPayload,
        violations::CommandViolations, webhooks::ReviewedNotification,
    },
    review::{NotificationDecision, ReviewNotificationRequest, record_review},
};
use crate::{ApiState, http::json::object};
use axum::{Json, extract::State};
use base::MemberId;
use domain::content_moderation::{StatementDecision, reviews::ReviewDecision};
use utoipa::ToSchema;

/// The acceptance of a notification.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct AcceptNotificationBody {
    /// The reason for the decision.
    #[schema(max_length = 500)]
    comment: Option<String>,
    /// The member whose decision it is, if an API key passes it on; without one, the key's own. A member decides for
    /// themselves.
    #[schema(value_type = Option<Uuid>)]
    member_id: Option<MemberId>,
    /// What the platform decides about the content or its author, for the statement of reasons. Stored encrypted.
    #[serde(default, deserialize_with = "object")]
    decision: Option<StatementDecision>,
}

impl CommandPayload for AcceptNotificationBody {
    type Command = NotificationDecision;

    fn into_command(
        self,
        _api: &ApiState,
        violations: &mut CommandViolations,
    ) -> Option<NotificationDecision> {
        let decided = self.decision.unwrap_or_default();
        violations.check_all(decided.check());
        Some(NotificationDecision {
            comment: self.comment.unwrap_or_default(),
            member: self.member_id,
            decided,
        })
    }
}

/// Accept a notification as right.
///
/// A later decision of the same caller replaces the earlier one, and what it said of the platform's decision.
#[utoipa::path(
    post, path = "/accounts/{accountId}/notifications/{id}/accept", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(NotificationPath),
    request_body = AcceptNotificationBody,
    responses((status = 200, description = "The notification with its reviews counted.", body = ReviewedNotification), error::WriteErrors),
)]
pub(crate) async fn accept_notification(
    State(api): State<ApiState>,
    request: ReviewNotificationRequest<AcceptNotificationBody>,
) -> Result<Json<ReviewedNotification>, ModerationApiError> {
    Ok(Json(record_review(&api, &request, ReviewDecision::Accept).await?))
}
