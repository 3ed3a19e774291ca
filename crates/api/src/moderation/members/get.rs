//! `GET /accounts/{accountId}/members/{memberId}`

use super::{
    super::{Problem, caller::Caller, sent::Ids},
    MemberBody,
};
use crate::Api;
use axum::{Json, extract::State};
use base::{AccountId, MemberId};
use domain::accounts::{Scope, members};

/// See a member.
#[utoipa::path(
    get, path = "/accounts/{accountId}/members/{memberId}", tag = "members", security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account."), ("memberId" = Uuid, Path, description = "The member.")),
    responses((status = 200, description = "The member.", body = MemberBody), Problem),
)]
pub(crate) async fn get_member(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, member)): Ids<(AccountId, MemberId)>,
) -> Result<Json<MemberBody>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::MembersManage).await?;
    let member = members::find(&mut view, account, member).await?;
    member.map(|member| Json(member.into())).ok_or_else(|| Problem::missing("member"))
}
