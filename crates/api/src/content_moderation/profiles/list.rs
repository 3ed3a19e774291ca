//! `GET /accounts/{accountId}/profiles`

use super::super::{
    ModerationApiError,
    authentication::ProfilesList,
    error,
    path::AccountPath,
    query::{self, PageQuery},
    request::AccountRequest,
};
use crate::{ApiState, http::pagination::ITEMS_PER_PAGE};
use axum::{Json, extract::State};
use base::ProfileId;
use domain::faces::ProfileItem;
use utoipa::ToSchema;

/// A profile in a list.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ProfileItem)]
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

/// A page of profiles.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Profiles)]
pub(crate) struct ProfileListBody {
    /// The profiles, newest first.
    #[schema(max_items = 20)]
    profiles: Vec<ProfileItemBody>,
}

/// List profiles.
///
/// Newest first, 20 a page; deleted profiles are included, as not active.
#[utoipa::path(
    get, path = "/accounts/{accountId}/profiles", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(AccountPath, PageQuery),
    responses((status = 200, description = "A page of profiles.", body = ProfileListBody), error::ListPageErrors),
)]
pub(crate) async fn list_profiles(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesList, AccountPath, PageQuery>,
) -> Result<Json<ProfileListBody>, ModerationApiError> {
    let (account, page) = (request.account.id, request.input.page);
    let mut view = api.db.read().await?;
    let profiles = api.faces.list_profiles(&mut view, account, ITEMS_PER_PAGE, page.offset()).await?;
    if profiles.is_empty() {
        query::check_page(page, api.faces.count_profiles(&mut view, account).await?)?;
    }
    Ok(Json(ProfileListBody { profiles: profiles.into_iter().map(Into::into).collect() }))
}
