//! `GET /accounts/{accountId}/groups`

use super::{
    super::{
        ModerationApiError, authentication::ProfilesList, error, path::AccountPath, query::PageQuery,
        request::AccountRequest,
    },
    GroupBody,
};
use crate::{ApiState, http::pagination::ITEMS_PER_PAGE};
use axum::{Json, extract::State};
use utoipa::ToSchema;

/// A page of groups.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Groups)]
pub(crate) struct GroupListBody {
    /// The groups, newest first.
    #[schema(max_items = 20)]
    groups: Vec<GroupBody>,
}

/// List groups.
#[utoipa::path(
    get, path = "/accounts/{accountId}/groups", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(AccountPath, PageQuery),
    responses((status = 200, description = "A page of them; empty past the end.", body = GroupListBody), error::ListErrors),
)]
pub(crate) async fn list_groups(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesList, AccountPath, PageQuery>,
) -> Result<Json<GroupListBody>, ModerationApiError> {
    let (account, page) = (request.account.id, request.input.page);
    let mut view = api.db.read().await?;
    let groups = api.faces.list_groups(&mut view, account, ITEMS_PER_PAGE, page.offset()).await?;
    Ok(Json(GroupListBody { groups: groups.into_iter().map(Into::into).collect() }))
}
