//! `GET /accounts/{accountId}/moderations`

use super::{
    super::{
        Problem,
        caller::Caller,
        sent::{Ids, Parameter},
    },
    item::{ItemBody, Listing},
};
use crate::{
    Api,
    http::pagination::{PAGE_ITEMS, Page},
};
use axum::{Json, extract::State};
use base::AccountId;
use domain::{accounts::Scope, content::ContentType};

/// List the moderations of an account.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("page" = Option<i64>, Query, description = "From 1; 1 by default.", minimum = 1),
        ("type" = Option<String>, Query, description = "`IMAGE`, `VIDEO` or `LIVE_VIDEO`: of contents of this type alone."),
    ),
    responses((status = 200, description = "A page of them, newest first; empty past the end.", body = Listing<Vec<ItemBody>>), Problem),
)]
pub(crate) async fn list_moderations(
    State(api): State<Api>,
    caller: Caller,
    Ids(account): Ids<AccountId>,
    page: Page,
    parameters: Parameter,
) -> Result<Json<Listing<Vec<ItemBody>>>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::ModerationsView).await?;
    let content_type: Option<ContentType> = match parameters.get("type") {
        None => None,
        Some(word) => Some(word.parse().map_err(|_| {
            Problem::violation("type", format!("it is one of {}", ContentType::WORDS.join(", ")))
        })?),
    };
    let items = api.moderations.list(&mut view, account, content_type, (page.offset(), PAGE_ITEMS)).await?;
    Ok(Json(Listing { contents: items.into_iter().map(Into::into).collect() }))
}
