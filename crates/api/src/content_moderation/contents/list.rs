//! `GET /accounts/{accountId}/contents`

use super::{
    super::{
        ModerationApiError, authentication::ContentsList, error, path::AccountPath, query::ContentQuery,
        request::AccountRequest,
    },
    ContentBody,
};
use crate::{ApiState, http::pagination::ITEMS_PER_PAGE};
use axum::{Json, extract::State, http::StatusCode};
use base::ContentId;
use domain::{
    CreationRange,
    content_moderation::contents::{self, ContentFilter},
};
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
    /// How many the account has of those that were asked for.
    #[schema(minimum = 0)]
    total_count: i64,
}

/// List the contents of an account.
///
/// The status is 201, as this interface defines it.
#[utoipa::path(
    get, path = "/accounts/{accountId}/contents", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(AccountPath, ContentQuery),
    responses((status = 201, description = "A page of them; empty past the end.", body = ContentList), error::ListErrors),
)]
pub(crate) async fn list_contents(
    State(api): State<ApiState>,
    request: AccountRequest<ContentsList, AccountPath, ContentQuery>,
) -> Result<(StatusCode, Json<ContentList>), ModerationApiError> {
    let ContentQuery { page, r#type, uploader_id, title, archived, created_from, created_before } =
        request.input;
    let filter = ContentFilter {
        content_type: r#type,
        uploader_id,
        title,
        archived,
        created: CreationRange { from: created_from, before: created_before },
    };
    let account = request.account.id;
    let mut view = api.db.read().await?;
    let range = (page.offset(), ITEMS_PER_PAGE);
    let (found, total_count) = contents::list(&mut view, account, &filter, range).await?;
    let ids: Vec<_> = found.iter().map(|content| content.id).collect();
    let mut attached = contents::profiles_of(&mut view, account, &ids).await?;
    let contents: Vec<_> = found
        .into_iter()
        .map(|content| ContentBody::new(attached.remove(&content.id).unwrap_or_default(), content))
        .collect();
    let id = contents.first().map(|content| content.id);
    Ok((StatusCode::CREATED, Json(ContentList { id, contents, total_count })))
}
