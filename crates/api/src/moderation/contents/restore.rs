//! `DELETE /accounts/{accountId}/archive/contents/{id}`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::{AccountId, ContentId};
use domain::{accounts::Scope, content};

/// Take a content out of the archive.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/archive/contents/{id}", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("id" = Uuid, Path, description = "The content."),
    ),
    responses((status = 204, description = "It is no longer archived."), Problem),
)]
pub(crate) async fn restore_content(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, id)): Ids<(AccountId, ContentId)>,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    let account = caller.enter_to_write(&mut tx, account, Scope::ContentsManage).await?;
    content::archive(&mut tx, account, id, false).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
