//! `DELETE /accounts/{accountId}/admin/{memberId}`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::{AccountId, MemberId};
use domain::accounts::{Scope, members};

/// Make an administrator an ordinary member.
///
/// The last administrator stays one.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/admin/{memberId}", tag = "members", security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account."), ("memberId" = Uuid, Path, description = "The member.")),
    responses((status = 204, description = "He is none any more."), Problem),
)]
pub(crate) async fn demote(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, member)): Ids<(AccountId, MemberId)>,
) -> Result<StatusCode, Problem> {
    caller.administers()?;
    let mut tx = api.db.write().await?;
    // The rule locks the account itself, and alone: whoever held it together with others would wait for them.
    let account = caller.enter(&mut tx, account, Scope::MembersManage).await?;
    members::demote(&mut tx, account, member).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
