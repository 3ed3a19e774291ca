//! `POST /accounts/{accountId}/contents/{id}/profiles`

use super::{
    super::{
        Problem,
        sent::{Ids, Sent},
    },
    find, parts,
    reports::Reports,
};
use crate::Api;
use axum::{Json, extract::State};
use base::{AccountId, ContentId, ProfileId};
use domain::{accounts::Scope, content};
use utoipa::ToSchema;

/// Who is in a content.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct Attached {
    /// The profile.
    #[schema(value_type = Uuid)]
    profile_id: Option<ProfileId>,
}

/// Say that a profile is known to be in a content.
///
/// The answer is the content's reports, as this interface has it.
#[utoipa::path(
    post, path = "/accounts/{accountId}/contents/{id}/profiles", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("id" = Uuid, Path, description = "The content."),
    ),
    request_body = Attached,
    responses((status = 200, description = "It is attached; these are the content's reports.", body = Reports), Problem),
)]
pub(crate) async fn attach_profile(
    State(api): State<Api>,
    Ids((account, id)): Ids<(AccountId, ContentId)>,
    sent: Sent<Attached>,
) -> Result<Json<Reports>, Problem> {
    let mut tx = api.db.write().await?;
    let account = sent.caller.enter_to_write(&mut tx, account, Scope::ContentsManage).await?;
    find(&mut tx, account, id).await?;
    let profile = sent.body.profile_id.ok_or_else(|| Problem::violation("profile_id", "it is required"))?;
    content::attach_profile(&mut tx, parts(&api).1, account, id, profile).await?;
    let reports = Reports::of(&mut tx, account, id, 0).await?;
    tx.commit().await?;
    Ok(Json(reports))
}
