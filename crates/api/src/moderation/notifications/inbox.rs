//! `GET /accounts/{accountId}/members/{memberId}/inbox`

use super::{
    super::{Code, Problem, caller::Caller, sent::Ids},
    list::{Notifications, Since},
};
use crate::{
    Api,
    http::pagination::{PAGE_ITEMS, Page},
};
use axum::{Json, extract::State};
use base::{AccountId, MemberId};
use domain::accounts::{Scope, Who};

/// Read a member's inbox: notifications of moderations that named him. A member reads his own alone.
#[utoipa::path(
    get, path = "/accounts/{accountId}/members/{memberId}/inbox", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("memberId" = Uuid, Path, description = "The member."),
        ("page" = Option<i64>, Query, description = "From 1; 1 by default.", minimum = 1),
        ("epoch" = Option<i64>, Query, description = "Seconds since 1970: those at or after this moment alone."),
    ),
    responses((status = 200, description = "A page of it, newest first.", body = Notifications), Problem),
)]
pub(crate) async fn read_inbox(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, member)): Ids<(AccountId, MemberId)>,
    page: Page,
    since: Since,
) -> Result<Json<Notifications>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::NotificationsView).await?;
    if let Who::Member { member: own, .. } = caller.0.who
        && own != member
    {
        return Err(Problem::new(Code::NotFound, "there is no such member"));
    }
    let known = view
        .count(db::sql!("SELECT count(*) FROM members WHERE id = $1 AND account_id = $2", member, account))
        .await?;
    if known == 0 {
        return Err(Problem::missing("member"));
    }
    let found = api.moderations.inbox(&mut view, member, since.0, (page.offset(), PAGE_ITEMS)).await?;
    Notifications::of(page, &found)
}
