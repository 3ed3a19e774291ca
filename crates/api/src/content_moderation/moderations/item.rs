//! A moderation, as lists and details show it.

use base::{ContentId, GroupId, MemberId, ModerationCheckId, ModerationId, ProfileId, Timestamp, Uuid};
use domain::content_moderation::{
    ModerationCheckType, ModerationParameters, ModerationProgress, ModerationState, ModerationSummary,
    contents::ContentType,
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
    /// What the moderation was started with.
    requested: RequestedModerationBody,
    /// Where notifications go.
    notifications: Vec<NotificationDestinationBody>,
    #[serde(flatten)]
    status: ModerationStatusBody,
}

/// What a moderation was started with.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = RequestedModeration)]
pub(crate) struct RequestedModerationBody {
    /// Unknown faces that look younger are reported: years.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 100, nullable = false)]
    age_estimation: Option<u8>,
    /// Whether faces that match no known profile are reported.
    unknown_faces: bool,
    /// The profiles that count as known; those that were deleted meanwhile are left out.
    #[schema(value_type = Vec<Uuid>)]
    profile_ids: Vec<ProfileId>,
    /// The groups whose profiles count as known, those that were removed meanwhile, too.
    #[schema(value_type = Vec<Uuid>)]
    group_ids: Vec<GroupId>,
    /// The member in whose inbox the notifications are put.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>, nullable = false)]
    member_id: Option<MemberId>,
    /// How similar a face must be to a profile's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1, nullable = false)]
    min_similarity: Option<f64>,
}

impl From<ModerationParameters> for RequestedModerationBody {
    fn from(parameters: ModerationParameters) -> Self {
        let ModerationParameters { age, unknown_faces, mut profiles, groups, member, min_similarity, .. } =
            parameters;
        // The deletion of a profile leaves a place that is nobody's.
        profiles.retain(|profile| *profile != Uuid::nil().into());
        Self {
            age_estimation: age,
            unknown_faces,
            profile_ids: profiles,
            group_ids: groups,
            member_id: member,
            min_similarity,
        }
    }
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
    /// The most faces of one picture that were found and not judged: of an image, 200 are judged, of each picture of a
    /// video, 50, those with the highest scores.
    #[schema(minimum = 0)]
    unjudged_faces: i64,
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
            unjudged_faces: status.unjudged_faces,
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
            checks: item.parameters.checks.iter().map(check).collect(),
            requested: item.parameters.into(),
            notifications: web.chain(slack).collect(),
            status: item.progress.into(),
        }
    }
}
