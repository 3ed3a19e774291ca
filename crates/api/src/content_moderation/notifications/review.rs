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
use base::{MemberId, Uuid};
use domain::{
    Violation,
    accounts::members,
    content_moderation::{
        StatementDecision,
        reviews::{ReviewDecision, ReviewError},
    },
};
use utoipa::ToSchema;

/// A review of a notification.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ReviewNotificationBody {
    /// The reason for the decision.
    #[schema(max_length = 500)]
    comment: Option<String>,
    /// The member whose decision it is, if an API key passes it on; without one, the key's own. A member decides for
    /// themselves.
    #[schema(value_type = Option<Uuid>)]
    member_id: Option<MemberId>,
}

/// A decision on a notification.
pub(crate) struct NotificationDecision {
    pub(super) comment: String,
    pub(super) member: Option<MemberId>,
    /// What the platform says of it; nothing, where it is dismissed.
    pub(super) decided: StatementDecision,
}

impl CommandPayload for ReviewNotificationBody {
    type Command = NotificationDecision;

    fn into_command(
        self,
        _api: &ApiState,
        _violations: &mut CommandViolations,
    ) -> Option<NotificationDecision> {
        Some(NotificationDecision {
            comment: self.comment.unwrap_or_default(),
            member: self.member_id,
            decided: StatementDecision::default(),
        })
    }
}

pub(super) type ReviewNotificationRequest<B> =
    AccountRequest<NotificationsManage, NotificationPath, ReceivedCommand<B>>;

/// Stores a caller's decision on a notification.
pub(super) async fn record_review<B: CommandPayload<Command = NotificationDecision>>(
    api: &ApiState,
    request: &ReviewNotificationRequest<B>,
    decision: ReviewDecision,
) -> Result<ReviewedNotification, ModerationApiError> {
    let account = request.account.id;
    let NotificationDecision { comment, member, decided } = &request.input.command;
    let mut tx = request.begin_locked(api).await?;
    let user = match *member {
        Some(member) => {
            let is_theirs = !request.caller.is_member() || request.caller.id() == Uuid::from(member);
            if !is_theirs || members::find(&mut tx, account, member).await?.is_none() {
                let words =
                    if is_theirs { "there is no such member" } else { "a member decides for themselves" };
                return Err(vec![Violation::new("member_id", words)].into());
            }
            member.into()
        }
        None => request.caller.id(),
    };
    let notification = request.path.notification;
    let reviewed = api
        .content_moderation
        .review(&mut tx, (account, user), notification, decision, comment, decided)
        .await?;
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
