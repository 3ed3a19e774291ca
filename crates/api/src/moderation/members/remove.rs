//! `DELETE /accounts/{accountId}/members/{memberId}`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::{AccountId, MemberId};
use domain::accounts::{Scope, members};

/// Remove a member.
///
/// His sessions end with it. An administrator is removed by an administrator, and the last one not at all.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/members/{memberId}", tag = "members", security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account."), ("memberId" = Uuid, Path, description = "The member.")),
    responses((status = 204, description = "He is no member any more."), Problem),
)]
pub(crate) async fn remove_member(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, member)): Ids<(AccountId, MemberId)>,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    // The rule locks the account itself, and alone: whoever held it together with others would wait for them.
    let account = caller.enter(&mut tx, account, Scope::MembersManage).await?;
    members::remove(&mut tx, account, member, caller.0.admin).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
