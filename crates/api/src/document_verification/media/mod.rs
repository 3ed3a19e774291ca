//! Media of a session: pictures, files and what was read.

pub(super) mod delete;
pub(super) mod get;

use super::sessions::view::MediaView;
use base::Timestamp;
use domain::document_verification::session::SessionMedia;
use utoipa::ToSchema;

/// A media that was stored.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct StoredMedia {
    media: MediaView,
}

impl StoredMedia {
    pub(super) fn of(media: &SessionMedia) -> Self {
        // It was stored just now, so it says when.
        Self { media: MediaView::new(media, Timestamp::default()) }
    }
}
