//! `GET /accounts/{accountId}/moderations/{moderationId}/details`

use super::{
    super::{Problem, caller::Caller, sent::Ids},
    item::{ItemBody, Listing},
};
use crate::Api;
use axum::{Json, extract::State};
use base::{AccountId, ModerationId};
use domain::accounts::Scope;

/// See what a moderation was asked for, and how it stands.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations/{moderationId}/details", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("moderationId" = Uuid, Path, description = "The moderation."),
    ),
    responses((status = 200, description = "The moderation.", body = Listing<ItemBody>), Problem),
)]
pub(crate) async fn moderation_details(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, id)): Ids<(AccountId, ModerationId)>,
) -> Result<Json<Listing<ItemBody>>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::ModerationsView).await?;
    let item = api.moderations.details(&mut view, account, id).await?;
    let item = item.ok_or_else(|| Problem::missing("moderation"))?;
    Ok(Json(Listing { contents: item.into() }))
}
