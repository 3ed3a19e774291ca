//! `GET /accounts/{accountId}/groups`

use super::{
    super::{Problem, caller::Caller, sent::Ids},
    GroupBody,
};
use crate::{
    Api,
    http::pagination::{PAGE_ITEMS, Page},
};
use axum::{Json, extract::State};
use base::AccountId;
use domain::accounts::Scope;
use utoipa::ToSchema;

/// Groups.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct GroupsBody {
    /// At most 20, newest first.
    groups: Vec<GroupBody>,
}

/// List groups.
#[utoipa::path(
    get, path = "/accounts/{accountId}/groups", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("page" = Option<i64>, Query, minimum = 1, description = "The page, 1 by default."),
    ),
    responses((status = 200, description = "A page of groups.", body = GroupsBody), Problem),
)]
pub(crate) async fn list_groups(
    State(api): State<Api>,
    caller: Caller,
    Ids(account): Ids<AccountId>,
    page: Page,
) -> Result<Json<GroupsBody>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::ProfilesList).await?;
    let groups = api.faces.page_of_groups(&mut view, account, PAGE_ITEMS, page.offset()).await?;
    if groups.is_empty() {
        page.within(api.faces.count_groups(&mut view, account).await?)?;
    }
    Ok(Json(GroupsBody { groups: groups.into_iter().map(Into::into).collect() }))
}
