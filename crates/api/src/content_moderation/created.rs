//! The answer of operations that create something.

use base::Uuid;
use utoipa::ToSchema;

/// What was created.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct CreatedResource {
    /// Its id.
    id: Uuid,
}

impl CreatedResource {
    pub(super) fn new(id: impl Into<Uuid>) -> Self {
        Self { id: id.into() }
    }
}
