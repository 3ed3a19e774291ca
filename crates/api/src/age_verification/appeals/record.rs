//! An appeal as its application sees it.

use base::{AgeSessionId, Timestamp};
use domain::age_verification::{AgeAppeal, types::AppealState};
use utoipa::ToSchema;

/// An appeal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Appeal)]
pub(crate) struct AppealRecord {
    #[schema(value_type = Uuid)]
    session_id: AgeSessionId,
    status: AppealState,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, format = DateTime)]
    decided_at: Option<Timestamp>,
    /// When the picture is deleted at the latest. Absent: there is none, or it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, format = DateTime)]
    picture_deleted_at: Option<Timestamp>,
    /// When the session is deleted, and the appeal with it.
    #[schema(value_type = String, format = DateTime)]
    deleted_at: Timestamp,
}

impl From<AgeAppeal> for AppealRecord {
    fn from(appeal: AgeAppeal) -> Self {
        Self {
            session_id: appeal.session,
            status: appeal.state,
            created_at: appeal.created_at,
            decided_at: appeal.decided_at,
            picture_deleted_at: appeal.picture_until,
            deleted_at: appeal.deleted_at,
        }
    }
}
