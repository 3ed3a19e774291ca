//! `DELETE /accounts/{accountId}/groups/{groupId}`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::{AccountId, GroupId};
use domain::accounts::Scope;

/// Remove a group. Its profiles stay.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/groups/{groupId}", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("groupId" = Uuid, Path, description = "The group."),
    ),
    responses((status = 204, description = "It is gone."), Problem),
)]
pub(crate) async fn remove_group(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, group)): Ids<(AccountId, GroupId)>,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    let account = caller.enter_to_write(&mut tx, account, Scope::ProfilesManage).await?;
    api.faces.remove_group(&mut tx, account, group).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
