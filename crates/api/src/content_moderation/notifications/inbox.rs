//! `GET /accounts/{accountId}/members/{memberId}/inbox`

use super::{
    super::{
        ModerationApiError,
        authentication::{AnyCaller, NotificationsView, Permission as _},
        error,
        path::MemberPath,
        query::NotificationQuery,
        request::AccountRequest,
    },
    list::NotificationList,
};
use crate::{ApiState, http::pagination::ITEMS_PER_PAGE};
use axum::{Json, extract::State};
use domain::accounts::{PrincipalKind, members};

/// Read a member's inbox.
///
/// It has the notifications of moderations that named the member. Members can read only their own, and need no scope for
/// it; an API key needs `notifications:view`.
#[utoipa::path(
    get, path = "/accounts/{accountId}/members/{memberId}/inbox", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(MemberPath, NotificationQuery),
    responses((status = 200, description = "A page of it, newest first.", body = NotificationList), error::ListPageErrors),
)]
pub(crate) async fn read_inbox(
    State(api): State<ApiState>,
    request: AccountRequest<AnyCaller, MemberPath, NotificationQuery>,
) -> Result<Json<NotificationList>, ModerationApiError> {
    let (member, page, filter) = (request.path.member, request.input.page, request.input.filter());
    let own = match request.caller.kind {
        PrincipalKind::Member { member, .. } => Some(member),
        PrincipalKind::ApiKey(_) => None,
    };
    if own != Some(member) {
        NotificationsView::authorise(&request.caller)?;
    }
    let is_foreign = own.is_some_and(|own| own != member);
    let mut view = api.db.read().await?;
    if is_foreign || members::find(&mut view, request.account.id, member).await?.is_none() {
        return Err(ModerationApiError::not_found("member"));
    }
    let found = api
        .content_moderation
        .inbox_notifications(&mut view, member, filter, (page.offset(), ITEMS_PER_PAGE))
        .await?;
    Ok(Json(NotificationList::of(page, found)?))
}
