//! `GET /accounts/{accountId}/members`

use super::{
    super::{Problem, caller::Caller, sent::Ids},
    MemberBody,
};
use crate::Api;
use axum::{Json, extract::State};
use base::AccountId;
use domain::accounts::{Scope, members};
use utoipa::ToSchema;

/// The members of an account.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Members {
    /// The longest there first.
    members: Vec<MemberBody>,
}

/// List the members.
#[utoipa::path(
    get, path = "/accounts/{accountId}/members", tag = "members", security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account.")),
    responses((status = 200, description = "The members.", body = Members), Problem),
)]
pub(crate) async fn list_members(
    State(api): State<Api>,
    caller: Caller,
    Ids(account): Ids<AccountId>,
) -> Result<Json<Members>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::MembersManage).await?;
    let found = members::list(&mut view, account).await?;
    Ok(Json(Members { members: found.into_iter().map(MemberBody::from).collect() }))
}
