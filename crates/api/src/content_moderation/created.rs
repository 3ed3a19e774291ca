//! The answers of operations that create something.

use super::{ModerationApiError, ModerationErrorCode, error::ModerationErrorBody};
use crate::http::ErrorTable as _;
use base::Uuid;
use serde_json::Value;
use utoipa::ToSchema;

/// What was created.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct CreatedResource {
    /// Its id.
    id: Uuid,
}

impl CreatedResource {
    pub(crate) fn new(id: impl Into<Uuid>) -> Self {
        Self { id: id.into() }
    }
}

/// What became of the items of a request that creates many.
#[derive(serde::Serialize, ToSchema)]
#[schema(bound = "T: ToSchema")]
pub(crate) struct BulkResults<T> {
    /// How many were created.
    #[schema(minimum = 0, maximum = 1000)]
    created: usize,
    /// How many were refused.
    #[schema(minimum = 0, maximum = 1000)]
    refused: usize,
    /// One for each item, in the order of the request.
    #[schema(max_items = 1000)]
    results: Vec<BulkResult<T>>,
}

/// What became of an item: what was created, or why it was refused.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct BulkResult<T> {
    /// What was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    created: Option<T>,
    /// The refusal, as the operation for a single item would answer it; its paths begin at the item.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ModerationErrorBody<'static>>, nullable = false)]
    error: Option<RefusedItem>,
}

/// The refusal of an item, as it is answered.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(transparent)]
pub(crate) struct RefusedItem(Value);

impl From<ModerationApiError> for RefusedItem {
    fn from(refusal: ModerationApiError) -> Self {
        Self(serde_json::json!(ModerationErrorCode::body(&refusal)))
    }
}

impl<T> FromIterator<Result<T, RefusedItem>> for BulkResults<T> {
    fn from_iter<I: IntoIterator<Item = Result<T, RefusedItem>>>(items: I) -> Self {
        let result = |item: Result<T, RefusedItem>| match item {
            Ok(created) => BulkResult { created: Some(created), error: None },
            Err(refusal) => BulkResult { created: None, error: Some(refusal) },
        };
        let results: Vec<_> = items.into_iter().map(result).collect();
        let created = results.iter().filter(|result| result.created.is_some()).count();
        Self { created, refused: results.len() - created, results }
    }
}
