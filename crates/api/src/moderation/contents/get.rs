//! `GET /accounts/{accountId}/contents/{id}`

use super::{
    super::{Problem, caller::Caller, sent::Ids},
    ContentBody, find,
};
use crate::Api;
use axum::{Json, extract::State};
use base::{AccountId, ContentId};
use domain::accounts::Scope;

/// See a content.
#[utoipa::path(
    get, path = "/accounts/{accountId}/contents/{id}", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("id" = Uuid, Path, description = "The content."),
    ),
    responses((status = 200, description = "The content.", body = ContentBody), Problem),
)]
pub(crate) async fn get_content(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, id)): Ids<(AccountId, ContentId)>,
) -> Result<Json<ContentBody>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::ContentsView).await?;
    let content = find(&mut view, account, id).await?;
    Ok(Json(ContentBody::of(&mut view, account, content).await?))
}
