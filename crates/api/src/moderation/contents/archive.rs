//! `POST /accounts/{accountId}/archive/contents`

use super::super::{
    Problem,
    sent::{Ids, Sent},
};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::{AccountId, ContentId};
use domain::{accounts::Scope, content};
use utoipa::ToSchema;

/// What to put away.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct Archived {
    /// The content.
    #[schema(value_type = Uuid)]
    content_id: Option<ContentId>,
}

/// Put a content away.
///
/// An archived content is not moderated any more until it is restored; what was found in it stays.
#[utoipa::path(
    post, path = "/accounts/{accountId}/archive/contents", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account.")),
    request_body = Archived,
    responses((status = 204, description = "It is archived."), Problem),
)]
pub(crate) async fn archive_content(
    State(api): State<Api>,
    Ids(account): Ids<AccountId>,
    sent: Sent<Archived>,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    let account = sent.caller.enter_to_write(&mut tx, account, Scope::ContentsManage).await?;
    let id = sent.body.content_id.ok_or_else(|| Problem::violation("content_id", "it is required"))?;
    content::archive(&mut tx, account, id, true).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
