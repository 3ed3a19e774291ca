//! Notifications, as they are sent to the application's servers and to Slack, and as lists have them.

use super::moderations::item::ModerationFailureBody;
use crate::{
    WebhookFormatter,
    http::openapi::{WebhookDescription, add_webhook},
};
use base::{AccountId, ContentId, ModerationFindingId, ModerationId, NotificationId, ProfileId, Timestamp};
use domain::content_moderation::{
    AgeGroup, ModerationNotification, ModerationWebhookFormat, NotificationReason, NotificationType,
    contents::ContentType,
};
use serde::Serialize;
use utoipa::{ToSchema, openapi::OpenApi};

/// Longer addresses of contents are cut for Slack; escaped, this many characters stay below a section's limit of 3000.
const MAX_SLACK_URL_CHARS: usize = 500;

/// A notification.
#[derive(Serialize, ToSchema)]
#[schema(as = Notification)]
pub(crate) struct NotificationBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: NotificationId,
    /// The account that it belongs to.
    #[schema(value_type = Uuid)]
    account_id: AccountId,
    /// What it is about.
    r#type: NotificationType,
    /// When it was created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// The details.
    data: NotificationData,
}

/// The details of a notification. Members of a face are absent if it is not about one.
#[derive(Serialize, ToSchema)]
pub(crate) struct NotificationData {
    /// The moderation.
    #[schema(value_type = Uuid)]
    moderation_id: ModerationId,
    /// The content.
    #[schema(value_type = Uuid)]
    content_id: ContentId,
    /// The content's address; none of a file that was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The kind of content.
    content_type: ContentType,
    /// The reason for the notification; always one.
    #[schema(min_items = 1, max_items = 1)]
    reasons: [NotificationReason; 1],
    /// When it was seen, seconds since 1970.
    observed_at: f64,
    /// Where in the content the face was seen best, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    frame_time: Option<f64>,
    /// Upper edge of the face, pixels of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    top: Option<i64>,
    /// Left edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<i64>,
    /// Lower edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    bottom: Option<i64>,
    /// Right edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<i64>,
    /// Why the moderation failed; only where `FAILED` is the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ModerationFailureBody>,
    /// The age group that the face looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    age_group: Option<AgeGroup>,
    /// The profile that the face belongs to, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    profile_id: Option<ProfileId>,
    /// The line of the moderation's report that it is about: the `id` in `face_check_results`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    finding_id: Option<ModerationFindingId>,
    /// `true` where it tells of the past: the person was banned after they had been seen. `observed_at` says when that
    /// was, `created_at` when it was told. Absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    retroactive: bool,
}

/// A notification with the summary of its reviews.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReviewedNotification {
    #[serde(flatten)]
    notification: NotificationBody,
    /// The mean of the reviews' scores; 0 where there is none.
    #[schema(minimum = 0, maximum = 100)]
    average_score: i64,
    /// The number of reviews. The spelling of the member is the interface's.
    #[serde(rename = "total_revies")]
    #[schema(minimum = 0)]
    total_reviews: i64,
}

impl From<&ModerationNotification> for NotificationBody {
    fn from(notification: &ModerationNotification) -> Self {
        Self {
            id: notification.id,
            account_id: notification.account_id,
            r#type: notification.notification_type,
            created_at: notification.created_at,
            data: NotificationData {
                moderation_id: notification.moderation_id,
                content_id: notification.content_id,
                url: notification.location.url().map(str::to_owned),
                content_type: notification.content_type,
                reasons: [notification.reason],
                observed_at: notification.observed_at,
                frame_time: notification.frame_time,
                top: notification.face_top,
                left: notification.face_left,
                bottom: notification.face_bottom,
                right: notification.face_right,
                error: notification.error_code.clone().zip(notification.error.clone()).map(Into::into),
                age_group: notification.age_group(),
                profile_id: notification.profile_id,
                finding_id: notification.finding_id,
                retroactive: notification.retroactive,
            },
        }
    }
}

impl From<ModerationNotification> for ReviewedNotification {
    fn from(notification: ModerationNotification) -> Self {
        Self {
            notification: (&notification).into(),
            average_score: notification.average_score(),
            total_reviews: notification.reviews,
        }
    }
}

/// A message as Slack's incoming webhooks take it: `text` for notifications, `blocks` for the screen.
#[derive(Serialize, ToSchema)]
pub(crate) struct SlackMessage {
    /// What happened, in a sentence.
    text: &'static str,
    /// The same with details, and a button that opens the console.
    #[schema(min_items = 2, max_items = 2)]
    blocks: [SlackBlock; 2],
}

/// A part of a message.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum SlackBlock {
    /// Text.
    Section {
        /// At most 3000 characters.
        text: SlackText,
    },
    /// Buttons.
    Actions {
        /// One button.
        #[schema(min_items = 1, max_items = 1)]
        elements: [SlackElement; 1],
    },
}

/// Text, of one of Slack's kinds.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", content = "text")]
pub(crate) enum SlackText {
    /// With Slack's own markup; `&`, `<` and `>` are escaped, and nothing else is.
    #[serde(rename = "mrkdwn")]
    Markup(String),
    /// Without markup.
    #[serde(rename = "plain_text")]
    Plain(&'static str),
}

/// An interactive element of a message.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum SlackElement {
    /// A button.
    Button {
        /// Its label, at most 75 characters.
        text: SlackText,
        /// The address that it opens.
        #[schema(max_length = 3000)]
        url: String,
    },
}

impl SlackMessage {
    fn of(notification: &ModerationNotification, link: &str) -> Self {
        let headline = match notification.reason {
            NotificationReason::BannedProfile if notification.retroactive => {
                "Somebody who is banned now had been seen before"
            }
            NotificationReason::BannedProfile => "A banned profile was seen",
            NotificationReason::AgeEstimation => "An unknown face looks too young",
            NotificationReason::UnknownFace => "An unknown face was seen",
            NotificationReason::Waiting => "A live video waits: as many are watched as this server can watch",
            NotificationReason::Started => "A live video is being watched",
            NotificationReason::Stopped if notification.content_type == ContentType::LiveVideo => {
                "A live video is no longer watched"
            }
            NotificationReason::Stopped => "A moderation was stopped",
            NotificationReason::Done => "A moderation is done",
            NotificationReason::Failed => "A moderation failed",
        };
        let place = notification.location.url().unwrap_or("that was uploaded");
        let place: String = place.chars().take(MAX_SLACK_URL_CHARS).collect();
        let mut lines =
            vec![format!("*{headline}*"), format!("{} {}", notification.content_type, escape_slack(&place))];
        lines.extend(notification.frame_time.map(|time| format!("at {time:.1} s")));
        lines.extend(notification.error.as_deref().map(escape_slack));
        lines.extend(notification.age_group().map(|group| format!("age group: {group}")));
        let text = SlackText::Plain("Open in the console");
        let button = SlackElement::Button { text, url: link.to_owned() };
        Self {
            text: headline,
            blocks: [
                SlackBlock::Section { text: SlackText::Markup(lines.join("\n")) },
                SlackBlock::Actions { elements: [button] },
            ],
        }
    }
}

/// Escapes the characters that Slack's markup reserves.
fn escape_slack(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl ModerationWebhookFormat for WebhookFormatter {
    fn notification(&self, notification: &ModerationNotification) -> String {
        to_json(&NotificationBody::from(notification))
    }

    fn slack_message(&self, notification: &ModerationNotification, link: &str) -> String {
        to_json(&SlackMessage::of(notification, link))
    }
}

fn to_json(payload: &impl Serialize) -> String {
    serde_json::to_string(payload).expect("a payload of our own is JSON")
}

/// Adds the webhooks to the interface's OpenAPI document.
pub(super) fn describe_webhooks(document: &mut OpenApi) {
    add_webhook::<NotificationBody>(
        document,
        WebhookDescription {
            name: "moderation.notification",
            summary: "Something was found, or the moderation waits, begins or ends",
            description: "Sent to each of `web_destinations`.",
            delivered_status: "2XX",
            headers: &[],
        },
    );
    add_webhook::<SlackMessage>(
        document,
        WebhookDescription {
            name: "moderation.slack",
            summary: "The same as a message for people",
            description: "Sent to each of `slack_destinations`, which are incoming webhooks of Slack.",
            delivered_status: "2XX",
            headers: &[],
        },
    );
}
