//! `POST /accounts/{accountId}/profiles/{profileId}/ban` and `…/unban`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::{AccountId, ProfileId};
use domain::accounts::Scope;

/// Ban a person.
///
/// Every moderation of the account notifies of banned people from now on. Doing it twice is doing it once.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles/{profileId}/ban", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("profileId" = Uuid, Path, description = "The profile."),
    ),
    responses((status = 204, description = "The person is banned."), Problem),
)]
pub(crate) async fn ban_profile(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, profile)): Ids<(AccountId, ProfileId)>,
) -> Result<StatusCode, Problem> {
    set(&api, &caller, account, profile, true).await
}

/// Take a ban back.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles/{profileId}/unban", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("profileId" = Uuid, Path, description = "The profile."),
    ),
    responses((status = 204, description = "The person is not banned."), Problem),
)]
pub(crate) async fn unban_profile(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, profile)): Ids<(AccountId, ProfileId)>,
) -> Result<StatusCode, Problem> {
    set(&api, &caller, account, profile, false).await
}

async fn set(
    api: &Api,
    caller: &Caller,
    account: AccountId,
    profile: ProfileId,
    banned: bool,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    let account = caller.enter_to_write(&mut tx, account, Scope::ProfilesManage).await?;
    api.faces.ban(&mut tx, account, profile, banned).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
