//! `GET /accounts/{accountId}/contents/{id}/moderations`

use super::{
    super::{
        Problem, authentication::ModerationsView, error, moderations::list::ModerationList,
        path::ContentPath, query::PageQuery, request::AccountRequest,
    },
    find,
};
use crate::{Api, http::pagination::PAGE_ITEMS};
use axum::{Json, extract::State};

/// List the moderations of a content.
#[utoipa::path(
    get, path = "/accounts/{accountId}/contents/{id}/moderations", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ContentPath, PageQuery),
    responses((status = 200, description = "A page of them; empty past the end.", body = ModerationList), error::Listing),
)]
pub(crate) async fn list_content_moderations(
    State(api): State<Api>,
    request: AccountRequest<ModerationsView, ContentPath, PageQuery>,
) -> Result<Json<ModerationList>, Problem> {
    let (account, content) = (request.account.id, request.path.content);
    let range = (request.input.page.offset(), PAGE_ITEMS);
    let mut view = api.db.read().await?;
    find(&mut view, account, content).await?;
    Ok(Json(api.moderations.of_content(&mut view, account, content, range).await?.into()))
}
