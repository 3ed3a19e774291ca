//! A moderation, as lists and details show it.

use base::{ContentId, ModerationCheckId, ModerationId, Timestamp};
use domain::content_moderation::{
    ModerationCheckType, ModerationProgress, ModerationState, ModerationSummary, contents::ContentType,
};
use utoipa::ToSchema;

/// A moderation.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ModerationItem {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: ModerationId,
    /// The content.
    #[schema(value_type = Uuid)]
    content_id: ContentId,
    /// The kind of content.
    content_type: ContentType,
    /// The content's address; none of a file that was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// What is checked.
    checks: Vec<ModerationCheckBody>,
    /// Where notifications go.
    notifications: Vec<NotificationDestinationBody>,
    #[serde(flatten)]
    status: ModerationStatusBody,
}

/// A check.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ModerationCheck)]
pub(crate) struct ModerationCheckBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: ModerationCheckId,
    /// What is checked.
    check_type: ModerationCheckType,
}

/// A destination of notifications.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = NotificationDestination)]
pub(crate) struct NotificationDestinationBody {
    /// The address.
    #[schema(pattern = "^https://")]
    destination: String,
    /// How notifications are sent to it.
    notification_type: NotificationDestinationType,
}

/// How notifications are sent to a destination.
#[derive(Clone, Copy, serde::Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum NotificationDestinationType {
    /// As JSON, signed.
    Http,
    /// As a message to an incoming webhook of Slack.
    Slack,
}

/// The status of a moderation.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ModerationStatus)]
pub(crate) struct ModerationStatusBody {
    /// The state of the moderation.
    state: ModerationState,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ModerationFailureBody>,
    /// Seconds of the content that have been checked.
    #[schema(minimum = 0)]
    position: f64,
    /// When it was requested.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
}

/// Why a moderation failed.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ModerationFailure)]
pub(crate) struct ModerationFailureBody {
    /// A code for programs.
    #[schema(example = "NO_VIDEO_STREAM")]
    code: String,
    /// A sentence for people.
    message: String,
}

impl From<(String, String)> for ModerationFailureBody {
    fn from((code, message): (String, String)) -> Self {
        Self { code, message }
    }
}

impl From<ModerationProgress> for ModerationStatusBody {
    fn from(status: ModerationProgress) -> Self {
        Self {
            state: status.state,
            error: status.error.map(Into::into),
            position: status.position,
            created_at: status.created_at,
            started_at: status.started_at,
            ended_at: status.ended_at,
        }
    }
}

impl From<ModerationSummary> for ModerationItem {
    fn from(item: ModerationSummary) -> Self {
        let to = |notification_type| {
            move |destination| NotificationDestinationBody { destination, notification_type }
        };
        let web = item.destinations.web.into_iter().map(to(NotificationDestinationType::Http));
        let slack = item.destinations.slack.into_iter().map(to(NotificationDestinationType::Slack));
        let check = |check: &domain::content_moderation::ModerationCheck| ModerationCheckBody {
            id: check.id,
            check_type: check.check_type,
        };
        Self {
            id: item.id,
            content_id: item.content_id,
            content_type: item.content_type,
            url: item.location.url().map(str::to_owned),
            checks: item.checks.iter().map(check).collect(),
            notifications: web.chain(slack).collect(),
            status: item.progress.into(),
        }
    }
}
