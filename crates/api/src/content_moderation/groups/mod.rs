//! Groups of profiles.

pub(super) mod join;
pub(super) mod leave;
pub(super) mod list;
pub(super) mod make;
pub(super) mod remove;

use base::GroupId;
use domain::faces::ProfileGroup;
use utoipa::ToSchema;

/// A group.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Group)]
pub(crate) struct GroupBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: GroupId,
    /// Its label.
    #[schema(example = "Staff")]
    label: String,
}

impl From<ProfileGroup> for GroupBody {
    fn from(ProfileGroup { id, label }: ProfileGroup) -> Self {
        Self { id, label }
    }
}
