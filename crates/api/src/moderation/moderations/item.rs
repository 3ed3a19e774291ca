//! A moderation, as lists and details show it.

use base::{CheckId, ContentId, ModerationId, Timestamp};
use domain::{
    content::ContentType,
    moderation::{CheckType, Item, Standing, State},
};
use utoipa::ToSchema;

/// What this interface puts under `contents`.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Listing<T> {
    pub(crate) contents: T,
}

/// A moderation.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ItemBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: ModerationId,
    /// The content.
    #[schema(value_type = Uuid)]
    content_id: ContentId,
    /// `IMAGE`, `VIDEO` or `LIVE_VIDEO`.
    #[schema(value_type = String, example = "VIDEO")]
    content_type: ContentType,
    /// Where it is.
    url: String,
    /// What is checked.
    checks: Vec<CheckBody>,
    /// Where notifications go.
    notifications: Vec<DestinationBody>,
    #[serde(flatten)]
    standing: StandingBody,
}

/// A check.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct CheckBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: CheckId,
    /// `UNKNOWN_FACE`, `AGE_ESTIMATION`, `BANNED_PROFILE` or `KNOWN_FACE`.
    #[schema(value_type = String, example = "BANNED_PROFILE")]
    check_type: CheckType,
}

/// A destination.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct DestinationBody {
    /// The address.
    #[schema(pattern = "https://*")]
    destination: String,
    /// `SLACK` or `HTTP`.
    #[schema(example = "HTTP")]
    notification_type: &'static str,
}

/// How a moderation stands.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct StandingBody {
    /// `QUEUED`, `RUNNING`, `STOPPING`, `DONE`, `STOPPED` or `FAILED`.
    #[schema(value_type = String, example = "DONE")]
    state: State,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<FailureBody>,
    /// Seconds of the content that were looked at.
    position: f64,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it was begun.
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
pub(crate) struct FailureBody {
    /// A word for programs.
    #[schema(example = "NO_VIDEO_STREAM")]
    code: String,
    /// A sentence for people.
    message: String,
}

impl From<Standing> for StandingBody {
    fn from(standing: Standing) -> Self {
        Self {
            state: standing.state,
            error: standing.error.map(|(code, message)| FailureBody { code, message }),
            position: standing.position,
            created_at: standing.created_at,
            started_at: standing.started_at,
            ended_at: standing.ended_at,
        }
    }
}

impl From<Item> for ItemBody {
    fn from(item: Item) -> Self {
        let to = |notification_type| move |destination| DestinationBody { destination, notification_type };
        let web = item.destinations.web.into_iter().map(to("HTTP"));
        let slack = item.destinations.slack.into_iter().map(to("SLACK"));
        let check =
            |check: &domain::moderation::Check| CheckBody { id: check.id, check_type: check.check_type };
        Self {
            id: item.id,
            content_id: item.content_id,
            content_type: item.content_type,
            url: item.url,
            checks: item.checks.iter().map(check).collect(),
            notifications: web.chain(slack).collect(),
            standing: item.standing.into(),
        }
    }
}
