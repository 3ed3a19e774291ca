//! Contents as callers send them, and the rules that can be checked without the database.

use super::{ContentType, camera_credentials, uploads::ContentLocation};
use crate::{
    delivery::Outbox,
    violation::{Violation, check_max_chars, check_max_items, violation},
};
use base::{ContentUploadId, LimitViolation, ProfileId, Uuid};
use media::{
    fetch::{MAX_ADDRESS_BYTES, StreamTarget},
    video::CameraCredentials,
};
use std::borrow::Cow;

/// The longest title, in characters.
pub const MAX_TITLE_CHARS: usize = 200;
/// How many profiles one content may have.
pub const MAX_PROFILES_PER_CONTENT: usize = 100;

/// A content as a caller sent it, not validated.
#[derive(Clone, Debug, Default)]
pub struct ContentInput {
    /// Its address, https. Exactly one of this and `upload_id` is required.
    pub url: Option<String>,
    /// The file that was uploaded; not of a live video.
    pub upload_id: Option<ContentUploadId>,
    pub content_type: Option<ContentType>,
    /// What a camera demands of whoever watches it; of an address of RTSP only.
    pub credentials: Option<CameraCredentials>,
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
    pub(super) location: ContentLocation,
    pub(super) content_type: ContentType,
    pub(super) credentials: Option<CameraCredentials>,
    pub(super) profile_ids: Vec<ProfileId>,
    pub(super) uploader_id: Option<Uuid>,
    pub(super) title: Option<String>,
}

impl ContentInput {
    /// Checks every rule that does not depend on what the account has; the error lists all that are broken.
    pub fn validate(self, outbox: &Outbox) -> Result<ContentRequest, Vec<Violation>> {
        let Self { url, upload_id, content_type, credentials, profile_ids, uploader_id, title } = self;
        let mut violations = Vec::new();
        if let Some(credentials) = &credentials {
            violations.extend(camera_credentials::check(credentials));
            if !url.as_deref().is_some_and(StreamTarget::is_stream) {
                violations.push(violation("credentials", "only an address of RTSP has any"));
            }
        }
        let location = match (url, upload_id) {
            (Some(url), None) => {
                let checked = match (StreamTarget::is_stream(&url), content_type) {
                    (true, Some(ContentType::LiveVideo)) => {
                        outbox.check_stream(&url).map_err(|refused| violation("url", refused.to_string()))
                    }
                    (true, Some(_)) => Err(violation("url", "only a live video has an address of RTSP")),
                    (_, _) => check_url(outbox, "url", &url),
                };
                violations.extend(checked.err());
                Some(ContentLocation::Url(with_lower_case_scheme(url)))
            }
            (None, Some(upload)) => {
                if content_type == Some(ContentType::LiveVideo) {
                    violations
                        .push(violation("upload_id", "a live video has an address; it cannot be uploaded"));
                }
                Some(ContentLocation::Upload(upload))
            }
            (Some(_), Some(_)) => {
                violations.push(violation("upload_id", "a content has an address or an upload, not both"));
                None
            }
            (None, None) => {
                violations.push(violation("url", "it is required, or an upload_id in its place"));
                None
            }
        };
        if content_type.is_none() {
            violations.push(violation("type", "it is required"));
        }
        if let Some(title) = &title {
            violations.extend(check_title(title).err());
        }
        let profiles = profile_ids.len();
        violations.extend(
            check_max_items("profile_ids", profiles, MAX_PROFILES_PER_CONTENT, "attach fewer profiles").err(),
        );
        match (location, content_type) {
            (Some(location), Some(content_type)) if violations.is_empty() => {
                Ok(ContentRequest { location, content_type, credentials, profile_ids, uploader_id, title })
            }
            _ => Err(violations),
        }
    }
}

/// Refuses a title, or a part of one, that is longer than titles are.
pub fn check_title(title: &str) -> Result<(), Violation> {
    check_max_chars("title", "it has", title.chars().count(), MAX_TITLE_CHARS, "shorten it")
}

/// The address with its scheme in lower case, as the interface shows addresses: case means nothing in a scheme (RFC 3986,
/// section 3.1).
pub(in crate::content_moderation) fn with_lower_case_scheme(mut url: String) -> String {
    let end = url.find("://").unwrap_or_default();
    if let Some(scheme) = url.get_mut(..end) {
        scheme.make_ascii_lowercase();
    }
    url
}

/// Refuses an address that is too long, or that this server is not allowed to call. `path` is the member's path in the
/// request.
pub(in crate::content_moderation) fn check_url(
    outbox: &Outbox,
    path: impl Into<Cow<'static, str>>,
    url: &str,
) -> Result<(), Violation> {
    let path = path.into();
    if url.len() > MAX_ADDRESS_BYTES {
        let limit = format!("at most {MAX_ADDRESS_BYTES} bytes");
        let measured = LimitViolation::new(url.len() as f64, limit, "use a shorter address");
        return Err(Violation::with_limit(path, format!("it has {} bytes", url.len()), measured));
    }
    outbox.check_destination(url, true).map_err(|refused| violation(path, refused.to_string()))
}
