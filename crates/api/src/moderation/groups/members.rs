//! `POST /accounts/{accountId}/groups/{groupId}` and `DELETE …/profiles/{profileId}`

use super::super::{
    Problem,
    caller::Caller,
    sent::{Ids, Sent},
};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::{AccountId, GroupId, ProfileId};
use domain::accounts::Scope;
use utoipa::ToSchema;

/// A profile for a group.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewMember {
    /// The profile.
    #[schema(value_type = Uuid)]
    profile_id: Option<ProfileId>,
}

/// Put a profile into a group. Doing it twice is doing it once.
#[utoipa::path(
    post, path = "/accounts/{accountId}/groups/{groupId}", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("groupId" = Uuid, Path, description = "The group."),
    ),
    request_body = NewMember,
    responses((status = 204, description = "It is in the group."), Problem),
)]
pub(crate) async fn join_group(
    State(api): State<Api>,
    Ids((account, group)): Ids<(AccountId, GroupId)>,
    sent: Sent<NewMember>,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    let account = sent.caller.enter_to_write(&mut tx, account, Scope::ProfilesManage).await?;
    let profile = sent.body.profile_id.ok_or_else(|| Problem::violation("profile_id", "it is required"))?;
    api.faces.join(&mut tx, account, group, profile).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Take a profile out of a group.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/groups/{groupId}/profiles/{profileId}", tag = "groups",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("groupId" = Uuid, Path, description = "The group."),
        ("profileId" = Uuid, Path, description = "The profile."),
    ),
    responses((status = 204, description = "It is not in the group."), Problem),
)]
pub(crate) async fn leave_group(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, group, profile)): Ids<(AccountId, GroupId, ProfileId)>,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    let account = caller.enter_to_write(&mut tx, account, Scope::ProfilesManage).await?;
    api.faces.leave(&mut tx, account, group, profile).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
