//! Contents as callers send them, and the rules that can be checked without the database.

use super::ContentType;
use crate::{
    delivery::Outbox,
    violation::{Violation, check_max_chars, check_max_items, violation},
};
use base::{ProfileId, Uuid};
use std::borrow::Cow;

/// The longest title, in characters.
pub const MAX_TITLE_CHARS: usize = 200;
/// The longest address, in characters.
pub const MAX_URL_CHARS: usize = 4096;
/// How many profiles one content may have.
pub const MAX_PROFILES_PER_CONTENT: usize = 100;

/// A content as a caller sent it, not validated.
#[derive(Clone, Debug, Default)]
pub struct ContentInput {
    /// Its address, https.
    pub url: Option<String>,
    pub content_type: Option<ContentType>,
    /// The profiles of people who are known to be in it.
    pub profile_ids: Vec<ProfileId>,
    /// Who uploaded it: an id of the application's own, which may be a profile's.
    pub uploader_id: Option<Uuid>,
    /// At most [`MAX_TITLE_CHARS`] characters.
    pub title: Option<String>,
}

/// A content that is valid, as far as that can be told without looking at what the account has.
#[derive(Clone, Debug)]
pub struct ContentRequest {
    pub(super) url: String,
    pub(super) content_type: ContentType,
    pub(super) profile_ids: Vec<ProfileId>,
    pub(super) uploader_id: Option<Uuid>,
    pub(super) title: Option<String>,
}

impl ContentInput {
    /// Checks every rule that does not depend on what the account has; the error lists all that are broken.
    pub fn validate(self, outbox: &Outbox) -> Result<ContentRequest, Vec<Violation>> {
        let Self { url, content_type, profile_ids, uploader_id, title } = self;
        let mut violations = Vec::new();
        if let Some(url) = &url {
            violations.extend(check_url(outbox, "url", url).err());
        } else {
            violations.push(violation("url", "it is required"));
        }
        if content_type.is_none() {
            violations.push(violation("type", "it is required"));
        }
        if let Some(title) = &title {
            let length = title.chars().count();
            violations
                .extend(check_max_chars("title", "it has", length, MAX_TITLE_CHARS, "shorten it").err());
        }
        let profiles = profile_ids.len();
        violations.extend(
            check_max_items("profile_ids", profiles, MAX_PROFILES_PER_CONTENT, "attach fewer profiles").err(),
        );
        match (url, content_type) {
            (Some(url), Some(content_type)) if violations.is_empty() => {
                Ok(ContentRequest { url, content_type, profile_ids, uploader_id, title })
            }
            _ => Err(violations),
        }
    }
}

/// Refuses an address that is too long, or that this server is not allowed to call. `path` is the member's path in the
/// request.
pub(in crate::content_moderation) fn check_url(
    outbox: &Outbox,
    path: impl Into<Cow<'static, str>>,
    url: &str,
) -> Result<(), Violation> {
    let path = path.into();
    check_max_chars(path.clone(), "it has", url.chars().count(), MAX_URL_CHARS, "use a shorter address")?;
    outbox.check_destination(url, true).map_err(|refused| violation(path, refused.to_string()))
}
