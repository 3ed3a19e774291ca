//! Notifications as Slack's incoming webhooks take them.
//!
//! A message has `text` for notifications and `blocks` for the screen. Slack's documented limits: 3000 characters of a
//! section's text, 75 of a button's, 3000 of its address, 50 blocks; `&`, `<` and `>` are escaped, and nothing else is.

use super::{Notification, Reason};
use serde_json::{Value, json};

/// The longest part of a content's address that is shown, characters; escaped it stays below a section's limit.
const LONGEST_URL: usize = 500;

/// The message of a notification; `link` leads to it in the console.
pub(super) fn message(notification: &Notification, link: &str) -> Value {
    let headline = match notification.reason {
        Reason::BannedProfile => "A banned profile was seen",
        Reason::AgeEstimation => "An unknown face looks too young",
        Reason::UnknownFace => "An unknown face was seen",
        Reason::Started => "A live video is being watched",
        Reason::Stopped => "A live video is no longer watched",
    };
    let url: String = notification.url.chars().take(LONGEST_URL).collect();
    let mut lines = vec![format!("*{headline}*"), format!("{} {}", notification.content_type, escape(&url))];
    if let Some(time) = notification.frame_time {
        lines.push(format!("at {time:.1} s"));
    }
    if let Some(group) = &notification.age_group {
        lines.push(format!("age group: {group}"));
    }
    let button = json!({
        "type": "button",
        "text": { "type": "plain_text", "text": "Open in the console" },
        "url": link,
    });
    json!({
        "text": headline,
        "blocks": [
            { "type": "section", "text": { "type": "mrkdwn", "text": lines.join("\n") } },
            { "type": "actions", "elements": [button] },
        ],
    })
}

/// What Slack would read as its own, in characters that it does not.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
