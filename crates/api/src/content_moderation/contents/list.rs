//! `GET /accounts/{accountId}/contents`

use super::{
    super::{
        ModerationApiError, authentication::ContentsList, error, path::AccountPath, query::PageQuery,
        request::AccountRequest,
    },
    ContentBody,
};
use crate::{ApiState, http::pagination::ITEMS_PER_PAGE};
use axum::{Json, extract::State, http::StatusCode};
use base::ContentId;
use domain::content_moderation::contents;
use utoipa::ToSchema;

/// A page of contents.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ContentList {
    /// The id of the first content on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    id: Option<ContentId>,
    /// The contents, newest first.
    #[schema(max_items = 20)]
    contents: Vec<ContentBody>,
    /// How many the account has.
    #[schema(minimum = 0)]
    total_count: i64,
}

/// List the contents of an account.
///
/// The status is 201, as this interface defines it.
#[utoipa::path(
    get, path = "/accounts/{accountId}/contents", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(AccountPath, PageQuery),
    responses((status = 201, description = "A page of them; empty past the end.", body = ContentList), error::ListErrors),
)]
pub(crate) async fn list_contents(
    State(api): State<ApiState>,
    request: AccountRequest<ContentsList, AccountPath, PageQuery>,
) -> Result<(StatusCode, Json<ContentList>), ModerationApiError> {
    let (account, offset) = (request.account.id, request.input.page.offset());
    let mut view = api.db.read().await?;
    let (found, total_count) = contents::list(&mut view, account, offset, ITEMS_PER_PAGE).await?;
    let mut contents = Vec::with_capacity(found.len());
    for content in found {
        contents.push(ContentBody::of(&mut view, account, content).await?);
    }
    let id = contents.first().map(|content| content.id);
    Ok((StatusCode::CREATED, Json(ContentList { id, contents, total_count })))
}
