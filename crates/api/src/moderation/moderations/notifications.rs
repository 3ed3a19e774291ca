//! `GET /accounts/{accountId}/moderations/{moderationId}/notifications`

use super::super::{
    Problem,
    caller::Caller,
    notifications::list::{Notifications, Since},
    sent::Ids,
};
use crate::{
    Api,
    http::pagination::{PAGE_ITEMS, Page},
};
use axum::{Json, extract::State};
use base::{AccountId, ModerationId};
use domain::accounts::Scope;

/// List the notifications of a moderation.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations/{moderationId}/notifications", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("moderationId" = Uuid, Path, description = "The moderation."),
        ("page" = Option<i64>, Query, description = "From 1; 1 by default.", minimum = 1),
        ("epoch" = Option<i64>, Query, description = "Seconds since 1970: those at or after this moment alone."),
    ),
    responses((status = 200, description = "A page of them, newest first.", body = Notifications), Problem),
)]
pub(crate) async fn list_moderation_notifications(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, id)): Ids<(AccountId, ModerationId)>,
    page: Page,
    since: Since,
) -> Result<Json<Notifications>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::NotificationsView).await?;
    let known = api.moderations.details(&mut view, account, id).await?;
    known.ok_or_else(|| Problem::missing("moderation"))?;
    let found = api.moderations.notifications_of(&mut view, id, since.0, (page.offset(), PAGE_ITEMS)).await?;
    Notifications::of(page, &found)
}
