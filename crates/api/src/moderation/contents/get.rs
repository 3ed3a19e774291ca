//! `GET /accounts/{accountId}/contents/{id}`

use super::{
    super::{Problem, authentication::ContentsView, error, path::ContentPath, request::AccountRequest},
    ContentBody, find,
};
use crate::Api;
use axum::{Json, extract::State};

/// See a content.
#[utoipa::path(
    get, path = "/accounts/{accountId}/contents/{id}", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ContentPath),
    responses((status = 200, description = "The content.", body = ContentBody), error::Reading),
)]
pub(crate) async fn get_content(
    State(api): State<Api>,
    request: AccountRequest<ContentsView, ContentPath>,
) -> Result<Json<ContentBody>, Problem> {
    let mut view = api.db.read().await?;
    let content = find(&mut view, request.account.id, request.path.content).await?;
    Ok(Json(ContentBody::of(&mut view, request.account.id, content).await?))
}
