//! `GET /accounts/{accountId}/groups`

use super::{
    super::{
        Problem,
        authentication::ProfilesList,
        error,
        path::AccountPath,
        query::{self, PageQuery},
        request::AccountRequest,
    },
    GroupBody,
};
use crate::{Api, http::pagination::PAGE_ITEMS};
use axum::{Json, extract::State};
use utoipa::ToSchema;

/// A page of groups.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Groups)]
pub(crate) struct GroupsBody {
    /// The groups, newest first.
    #[schema(max_items = 20)]
    groups: Vec<GroupBody>,
}

/// List groups.
#[utoipa::path(
    get, path = "/accounts/{accountId}/groups", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(AccountPath, PageQuery),
    responses((status = 200, description = "A page of groups.", body = GroupsBody), error::Paging),
)]
pub(crate) async fn list_groups(
    State(api): State<Api>,
    request: AccountRequest<ProfilesList, AccountPath, PageQuery>,
) -> Result<Json<GroupsBody>, Problem> {
    let (account, page) = (request.account.id, request.input.page);
    let mut view = api.db.read().await?;
    let groups = api.faces.page_of_groups(&mut view, account, PAGE_ITEMS, page.offset()).await?;
    if groups.is_empty() {
        query::within(page, api.faces.count_groups(&mut view, account).await?)?;
    }
    Ok(Json(GroupsBody { groups: groups.into_iter().map(Into::into).collect() }))
}
