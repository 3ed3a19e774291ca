//! What is answered where something was made.

use base::Uuid;
use utoipa::ToSchema;

/// What was made.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct CreatedResource {
    /// Its id.
    id: Uuid,
}

impl CreatedResource {
    /// What has this id now.
    pub(super) fn new(id: impl Into<Uuid>) -> Self {
        Self { id: id.into() }
    }
}
