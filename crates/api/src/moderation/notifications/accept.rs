//! `POST /accounts/{accountId}/notifications/{id}/accept`

use super::{
    super::{
        Problem,
        sent::{Ids, Sent},
    },
    list::NotificationBody,
};
use crate::Api;
use axum::{Json, extract::State};
use base::{AccountId, NotificationId};
use domain::{
    accounts::Scope,
    moderation::reviews::{NotReviewed, Word},
};
use serde_json::Value;
use utoipa::ToSchema;

/// What somebody says of a notification.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct Comment {
    /// Why; at most 500 characters.
    #[schema(max_length = 500)]
    comment: Option<String>,
}

/// Say that a notification is right. A later word of the same caller replaces an earlier one.
#[utoipa::path(
    post, path = "/accounts/{accountId}/notifications/{id}/accept", tag = "notifications",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("id" = Uuid, Path, description = "The notification."),
    ),
    request_body = Comment,
    responses((status = 200, description = "The notification with its reviews counted.", body = NotificationBody), Problem),
)]
pub(crate) async fn accept_notification(
    State(api): State<Api>,
    Ids((account, id)): Ids<(AccountId, NotificationId)>,
    sent: Sent<Comment>,
) -> Result<Json<Value>, Problem> {
    review(&api, account, id, &sent, Word::Accept).await
}

/// Notes a caller's word.
pub(super) async fn review(
    api: &Api,
    account: AccountId,
    id: NotificationId,
    sent: &Sent<Comment>,
    word: Word,
) -> Result<Json<Value>, Problem> {
    let mut tx = api.db.write().await?;
    let account = sent.caller.enter_to_write(&mut tx, account, Scope::NotificationsManage).await?;
    let comment = sent.body.comment.as_deref().unwrap_or_default();
    let whose = (account, sent.caller.0.id());
    let reviewed = api.moderations.review(&mut tx, whose, id, word, comment).await?;
    tx.commit().await?;
    Ok(Json(reviewed.to_reviewed_json()))
}

impl From<NotReviewed> for Problem {
    fn from(no: NotReviewed) -> Self {
        match no {
            NotReviewed::Invalid(invalid) => invalid.into(),
            NotReviewed::Missing => Self::missing("notification"),
            NotReviewed::Db(error) => Self::unavailable(&error),
        }
    }
}
