//! `GET /accounts/{accountId}/notifications/{id}`

use super::{
    super::{Problem, caller::Caller, sent::Ids},
    list::NotificationBody,
};
use crate::Api;
use axum::{Json, extract::State};
use base::{AccountId, NotificationId};
use domain::{accounts::Scope, moderation};
use serde_json::Value;

/// See a notification.
#[utoipa::path(
    get, path = "/accounts/{accountId}/notifications/{id}", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("id" = Uuid, Path, description = "The notification."),
    ),
    responses((status = 200, description = "The notification.", body = NotificationBody), Problem),
)]
pub(crate) async fn get_notification(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, id)): Ids<(AccountId, NotificationId)>,
) -> Result<Json<Value>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::NotificationsView).await?;
    let found = moderation::find_notification(&mut view, account, id).await?;
    Ok(Json(found.ok_or_else(|| Problem::missing("notification"))?.to_reviewed_json()))
}
