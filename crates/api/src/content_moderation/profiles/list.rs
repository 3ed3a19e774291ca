//! `GET /accounts/{accountId}/profiles`

use super::super::{
    ModerationApiError,
    authentication::ProfilesList,
    error,
    path::AccountPath,
    query::{self, ProfileQuery},
    request::AccountRequest,
};
use crate::{ApiState, http::pagination::ITEMS_PER_PAGE};
use axum::{Json, extract::State};
use base::{ProfileId, Timestamp};
use domain::{
    CreationRange,
    faces::{ProfileFilter, ProfileItem},
};
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
    /// The name to show for the person; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    display_name: Option<String>,
    /// Your own reference for the person; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reference: Option<String>,
}

impl From<ProfileItem> for ProfileItemBody {
    fn from(item: ProfileItem) -> Self {
        let ProfileItem { id, banned, active, display_name, reference } = item;
        Self { profile_id: id, is_banned: banned, is_active: active, active, display_name, reference }
    }
}

/// A page of profiles.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Profiles)]
pub(crate) struct ProfileListBody {
    /// The profiles, newest first.
    #[schema(max_items = 20)]
    profiles: Vec<ProfileItemBody>,
    /// How many the account has of those that were asked for.
    #[schema(minimum = 0)]
    total_count: i64,
    /// Only where `name` was given and older profiles were not looked through: when the oldest of the others was created. Ask
    /// with this as `created_before` for what is behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime, nullable = false)]
    searched_back_to: Option<Timestamp>,
}

/// List profiles.
///
/// Newest first, 20 a page; deleted profiles are included, as not active.
#[utoipa::path(
    get, path = "/accounts/{accountId}/profiles", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(AccountPath, ProfileQuery),
    responses((status = 200, description = "A page of profiles.", body = ProfileListBody), error::ListPageErrors),
)]
pub(crate) async fn list_profiles(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesList, AccountPath, ProfileQuery>,
) -> Result<Json<ProfileListBody>, ModerationApiError> {
    let ProfileQuery { page, reference, name, banned, active, group_id, created_from, created_before } =
        request.input;
    let created = CreationRange { from: created_from, before: created_before };
    let filter = ProfileFilter { reference, name, banned, active, group: group_id, created };
    let range = (page.offset(), ITEMS_PER_PAGE);
    let mut view = api.db.read().await?;
    let found = api.faces.list_profiles(&mut view, request.account.id, &filter, range).await?;
    query::check_page(page, found.total)?;
    Ok(Json(ProfileListBody {
        profiles: found.profiles.into_iter().map(Into::into).collect(),
        total_count: found.total,
        searched_back_to: found.searched_back_to,
    }))
}
