//! Contents, their profiles, reports and archive.

pub(super) mod archive;
pub(super) mod attach_profile;
pub(super) mod delete;
pub(super) mod detach_profile;
pub(super) mod get;
pub(super) mod list;
pub(super) mod moderations;
pub(super) mod register;
pub(super) mod register_many;
pub(super) mod report;
pub(super) mod reports;
pub(super) mod resolve_report;
pub(super) mod restore;
pub(super) mod upload;

use super::ModerationApiError;
use base::{ContentId, ContentUploadId, ProfileId, Timestamp, Uuid};
use db::{DbError, ReadTx};
use domain::content_moderation::contents::{self, Content, ContentError};
use utoipa::ToSchema;

/// A content.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Content)]
pub(crate) struct ContentBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: ContentId,
    /// Its address; none of a file that was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://media.example.com/1.jpg")]
    url: Option<String>,
    /// The file that was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    upload_id: Option<ContentUploadId>,
    /// The kind of content.
    r#type: contents::ContentType,
    /// Profiles that are known to be in it.
    #[schema(value_type = Vec<Uuid>)]
    profile_ids: Vec<ProfileId>,
    /// Who uploaded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    uploader_id: Option<Uuid>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Whether it is archived.
    archived: bool,
    /// When it was registered.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl ContentBody {
    async fn of(view: &mut ReadTx, account: base::AccountId, content: Content) -> Result<Self, DbError> {
        Ok(Self::new(contents::profiles(view, account, content.id).await?, content))
    }

    fn new(profile_ids: Vec<ProfileId>, content: Content) -> Self {
        Self {
            profile_ids,
            id: content.id,
            url: content.location.url().map(str::to_owned),
            upload_id: content.location.upload(),
            r#type: content.content_type,
            uploader_id: content.uploader_id,
            title: content.title,
            archived: content.archived,
            created_at: content.created_at,
        }
    }
}

/// Finds a content; refuses with 404 if there is none.
async fn require_content(
    view: &mut ReadTx,
    account: base::AccountId,
    id: ContentId,
) -> Result<Content, ModerationApiError> {
    contents::find(view, account, id).await?.ok_or_else(|| ModerationApiError::not_found("content"))
}

impl From<ContentError> for ModerationApiError {
    fn from(error: ContentError) -> Self {
        match error {
            ContentError::Invalid(invalid) => invalid.into(),
            ContentError::Missing(what) => Self::not_found(what),
            ContentError::Db(error) => Self::unavailable(&error),
        }
    }
}
