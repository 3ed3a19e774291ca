//! `POST /accounts/{accountId}/notifications/{id}/dismiss`

use super::{
    super::{
        Problem,
        sent::{Ids, Sent},
    },
    accept::{Comment, review},
    list::NotificationBody,
};
use crate::Api;
use axum::{Json, extract::State};
use base::{AccountId, NotificationId};
use domain::moderation::reviews::Word;
use serde_json::Value;

/// Say that a notification is wrong. The face is not matched to that profile again.
#[utoipa::path(
    post, path = "/accounts/{accountId}/notifications/{id}/dismiss", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("id" = Uuid, Path, description = "The notification."),
    ),
    request_body = Comment,
    responses((status = 200, description = "The notification with its reviews counted.", body = NotificationBody), Problem),
)]
pub(crate) async fn dismiss_notification(
    State(api): State<Api>,
    Ids((account, id)): Ids<(AccountId, NotificationId)>,
    sent: Sent<Comment>,
) -> Result<Json<Value>, Problem> {
    review(&api, account, id, &sent, Word::Dismiss).await
}
