//! `GET /accounts/{accountId}/contents/{id}/moderations`

use super::{
    super::{
        ModerationApiError, authentication::ModerationsView, error, moderations::list::ModerationList,
        path::ContentPath, query::PageQuery, request::AccountRequest,
    },
    require_content,
};
use crate::{ApiState, http::pagination::ITEMS_PER_PAGE};
use axum::{Json, extract::State};

/// List the moderations of a content.
#[utoipa::path(
    get, path = "/accounts/{accountId}/contents/{id}/moderations", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ContentPath, PageQuery),
    responses((status = 200, description = "A page of them; empty past the end.", body = ModerationList), error::ListErrors),
)]
pub(crate) async fn list_content_moderations(
    State(api): State<ApiState>,
    request: AccountRequest<ModerationsView, ContentPath, PageQuery>,
) -> Result<Json<ModerationList>, ModerationApiError> {
    let (account, content) = (request.account.id, request.path.content);
    let range = (request.input.page.offset(), ITEMS_PER_PAGE);
    let mut view = api.db.read().await?;
    require_content(&mut view, account, content).await?;
    Ok(Json(api.content_moderation.list_by_content(&mut view, account, content, range).await?.into()))
}
