//! `GET /accounts/{accountId}/members/{memberId}/inbox`

use super::{
    super::{
        Problem, authentication::NotificationsView, error, path::MemberPath, query::NotificationQuery,
        request::AccountRequest,
    },
    list::Notifications,
};
use crate::{Api, http::pagination::PAGE_ITEMS};
use axum::{Json, extract::State};
use domain::accounts::{Who, members};

/// Read a member's inbox.
///
/// Notifications of moderations that named the member. Members read their own alone.
#[utoipa::path(
    get, path = "/accounts/{accountId}/members/{memberId}/inbox", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(MemberPath, NotificationQuery),
    responses((status = 200, description = "A page of it, newest first.", body = Notifications), error::Paging),
)]
pub(crate) async fn read_inbox(
    State(api): State<Api>,
    request: AccountRequest<NotificationsView, MemberPath, NotificationQuery>,
) -> Result<Json<Notifications>, Problem> {
    let (member, NotificationQuery { page, epoch }) = (request.path.member, request.input);
    let is_foreign = matches!(request.caller.who, Who::Member { member: own, .. } if own != member);
    let mut view = api.db.read().await?;
    if is_foreign || members::find(&mut view, request.account.id, member).await?.is_none() {
        return Err(Problem::missing("member"));
    }
    let found = api.moderations.inbox(&mut view, member, epoch, (page.offset(), PAGE_ITEMS)).await?;
    Ok(Json(Notifications::of(page, found)?))
}
