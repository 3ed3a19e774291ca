//! `GET /accounts/{accountId}/profiles`

use super::super::{Problem, caller::Caller, sent::Ids};
use crate::{
    Api,
    http::pagination::{PAGE_ITEMS, Page},
};
use axum::{Json, extract::State};
use base::{AccountId, ProfileId};
use domain::{accounts::Scope, faces::ProfileItem};
use utoipa::ToSchema;

/// A profile in a list.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ProfileItemBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    pub(super) profile_id: ProfileId,
    /// Whether the person is banned. Deprecated.
    #[schema(deprecated)]
    pub(super) is_banned: bool,
    /// The same as `active`. Deprecated.
    #[schema(deprecated)]
    pub(super) is_active: bool,
    /// When false, the profile is deleted and further actions on it are impossible.
    pub(super) active: bool,
}

impl From<ProfileItem> for ProfileItemBody {
    fn from(item: ProfileItem) -> Self {
        let ProfileItem { id, banned, active } = item;
        Self { profile_id: id, is_banned: banned, is_active: active, active }
    }
}

/// Profiles.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ProfilesBody {
    /// At most 20, newest first.
    profiles: Vec<ProfileItemBody>,
}

/// List profiles.
///
/// Newest first, 20 a page; those that were deleted are among them, as not active.
#[utoipa::path(
    get, path = "/accounts/{accountId}/profiles", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("page" = Option<i64>, Query, minimum = 1, description = "The page, 1 by default."),
    ),
    responses((status = 200, description = "A page of profiles.", body = ProfilesBody), Problem),
)]
pub(crate) async fn list_profiles(
    State(api): State<Api>,
    caller: Caller,
    Ids(account): Ids<AccountId>,
    page: Page,
) -> Result<Json<ProfilesBody>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::ProfilesList).await?;
    let profiles = api.faces.page(&mut view, account, PAGE_ITEMS, page.offset()).await?;
    if profiles.is_empty() {
        page.within(api.faces.count(&mut view, account).await?)?;
    }
    Ok(Json(ProfilesBody { profiles: profiles.into_iter().map(Into::into).collect() }))
}
