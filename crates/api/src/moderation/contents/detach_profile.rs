//! `DELETE /accounts/{accountId}/contents/{id}/profiles/{profileId}`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::{AccountId, ContentId, ProfileId};
use domain::{accounts::Scope, content};

/// Take back that a profile is known to be in a content.
///
/// The document shows a body beside the status 204, which by HTTP has none.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/contents/{id}/profiles/{profileId}", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("id" = Uuid, Path, description = "The content."),
        ("profileId" = Uuid, Path, description = "The profile."),
    ),
    responses((status = 204, description = "It is detached."), Problem),
)]
pub(crate) async fn detach_profile(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, id, profile)): Ids<(AccountId, ContentId, ProfileId)>,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    let account = caller.enter_to_write(&mut tx, account, Scope::ContentsManage).await?;
    content::detach_profile(&mut tx, account, id, profile).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
