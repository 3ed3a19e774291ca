//! `GET /accounts/{accountId}/moderations`

use super::{
    super::{
        Problem, authentication::ModerationsView, error, path::AccountPath, query::ModerationQuery,
        request::AccountRequest,
    },
    item::ModerationItem,
};
use crate::{Api, http::pagination::PAGE_ITEMS};
use axum::{Json, extract::State};
use domain::moderation::Item;
use utoipa::ToSchema;

/// A page of moderations.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ModerationList {
    /// The moderations, newest first.
    #[schema(max_items = 20)]
    contents: Vec<ModerationItem>,
}

/// List the moderations of an account.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(AccountPath, ModerationQuery),
    responses((status = 200, description = "A page of them; empty past the end.", body = ModerationList), error::Listing),
)]
pub(crate) async fn list_moderations(
    State(api): State<Api>,
    request: AccountRequest<ModerationsView, AccountPath, ModerationQuery>,
) -> Result<Json<ModerationList>, Problem> {
    let ModerationQuery { page, r#type } = request.input;
    let range = (page.offset(), PAGE_ITEMS);
    let mut view = api.db.read().await?;
    Ok(Json(api.moderations.list(&mut view, request.account.id, r#type, range).await?.into()))
}

impl From<Vec<Item>> for ModerationList {
    fn from(items: Vec<Item>) -> Self {
        Self { contents: items.into_iter().map(Into::into).collect() }
    }
}
