//! `GET /accounts/{accountId}/contents/{id}`

use super::{
    super::{
        ModerationApiError, authentication::ContentsView, error, path::ContentPath, request::AccountRequest,
    },
    ContentBody, require_content,
};
use crate::ApiState;
use axum::{Json, extract::State};

/// See a content.
#[utoipa::path(
    get, path = "/accounts/{accountId}/contents/{id}", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ContentPath),
    responses((status = 200, description = "The content.", body = ContentBody), error::ReadErrors),
)]
pub(crate) async fn get_content(
    State(api): State<ApiState>,
    request: AccountRequest<ContentsView, ContentPath>,
) -> Result<Json<ContentBody>, ModerationApiError> {
    let mut view = api.db.read().await?;
    let content = require_content(&mut view, request.account.id, request.path.content).await?;
    Ok(Json(ContentBody::of(&mut view, request.account.id, content).await?))
}
