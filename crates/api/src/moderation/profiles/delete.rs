//! `DELETE /accounts/{accountId}/profiles/{profileId}`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::{AccountId, ProfileId};
use domain::accounts::Scope;

/// Delete a profile.
///
/// Its texts, faces, pictures, embeddings, groups and labels are gone when this is answered. The profile stays in lists as
/// not active; every further action on it but GET answers 404.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/profiles/{profileId}", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("profileId" = Uuid, Path, description = "The profile."),
    ),
    responses((status = 204, description = "It is gone."), Problem),
)]
pub(crate) async fn delete_profile(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, profile)): Ids<(AccountId, ProfileId)>,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    let account = caller.enter_to_write(&mut tx, account, Scope::ProfilesManage).await?;
    api.faces.delete(&mut tx, account, profile).await?;
    tx.commit().await?;
    api.faces.settle(account).await;
    Ok(StatusCode::NO_CONTENT)
}
