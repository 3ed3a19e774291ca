//! `GET /accounts/{accountId}/contents/{id}/moderations`

use super::{
    super::{
        Problem,
        caller::Caller,
        moderations::item::{ItemBody, Listing},
        sent::Ids,
    },
    find,
};
use crate::{
    Api,
    http::pagination::{PAGE_ITEMS, Page},
};
use axum::{Json, extract::State};
use base::{AccountId, ContentId};
use domain::accounts::Scope;

/// List the moderations of a content.
#[utoipa::path(
    get, path = "/accounts/{accountId}/contents/{id}/moderations", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("id" = Uuid, Path, description = "The content."),
        ("page" = Option<i64>, Query, description = "From 1; 1 by default.", minimum = 1),
    ),
    responses((status = 200, description = "A page of them; empty past the end.", body = Listing<Vec<ItemBody>>), Problem),
)]
pub(crate) async fn list_content_moderations(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, id)): Ids<(AccountId, ContentId)>,
    page: Page,
) -> Result<Json<Listing<Vec<ItemBody>>>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::ModerationsView).await?;
    find(&mut view, account, id).await?;
    let items = api.moderations.of_content(&mut view, account, id, (page.offset(), PAGE_ITEMS)).await?;
    Ok(Json(Listing { contents: items.into_iter().map(Into::into).collect() }))
}
