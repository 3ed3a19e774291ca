//! `POST /accounts/{accountId}/moderations/{moderationId}/stop`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::{AccountId, ModerationId};
use domain::accounts::Scope;

/// Stop a moderation.
///
/// Takes effect within seconds; one that has ended stays as it is.
#[utoipa::path(
    post, path = "/accounts/{accountId}/moderations/{moderationId}/stop", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("moderationId" = Uuid, Path, description = "The moderation."),
    ),
    responses((status = 202, description = "It is being stopped."), Problem),
)]
pub(crate) async fn stop_moderation(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, id)): Ids<(AccountId, ModerationId)>,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    let account = caller.enter_to_write(&mut tx, account, Scope::ModerationsManage).await?;
    if !api.moderations.stop(&mut tx, account, id).await? {
        return Err(Problem::missing("moderation"));
    }
    tx.commit().await?;
    Ok(StatusCode::ACCEPTED)
}
