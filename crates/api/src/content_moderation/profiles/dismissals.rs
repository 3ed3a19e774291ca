//! `GET /accounts/{accountId}/profiles/{profileId}/dismissals`

use super::super::{
    ModerationApiError, authentication::NotificationsView, error, path::ProfilePath, request::AccountRequest,
};
use crate::ApiState;
use axum::{Json, extract::State};
use base::{ContentId, NotificationId, Timestamp, Uuid};
use domain::faces::Dismissal;
use utoipa::ToSchema;

/// The faces that were dismissed as not being a profile's.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct DismissalList {
    /// Newest first; of more than 200, the oldest are forgotten.
    #[schema(max_items = 200)]
    dismissals: Vec<DismissalBody>,
}

/// A face that was dismissed as not being the profile's.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Dismissal)]
pub(crate) struct DismissalBody {
    /// Its id.
    id: Uuid,
    /// The notification that was dismissed. Absent, like the next three, where the dismissal is older than this list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>, nullable = false)]
    notification_id: Option<NotificationId>,
    /// The content in which the face was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>, nullable = false)]
    content_id: Option<ContentId>,
    /// Who dismissed it: a member, or an API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    user_id: Option<Uuid>,
    /// How far the face is from the profile's nearest one, in the embedding space of the model; smaller means more alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0)]
    distance: Option<f64>,
    /// Whether it counts in that content alone, because the face is hardly another one than the profile's.
    this_content_only: bool,
    /// When it was dismissed.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

/// List dismissals.
///
/// The faces that reviewers dismissed as not being this profile's, by dismissing a notification. A face is not matched to the
/// profile where it is nearer to a dismissed face than to the profile's own.
#[utoipa::path(
    get, path = "/accounts/{accountId}/profiles/{profileId}/dismissals", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(ProfilePath),
    responses((status = 200, description = "All dismissals of the profile.", body = DismissalList), error::ReadErrors),
)]
pub(crate) async fn list_dismissals(
    State(api): State<ApiState>,
    request: AccountRequest<NotificationsView, ProfilePath>,
) -> Result<Json<DismissalList>, ModerationApiError> {
    let (account, profile) = (request.account.id, request.path.profile);
    let mut view = api.db.read().await?;
    api.faces.profile(&mut view, account, profile).await?;
    let mut dismissals = Vec::new();
    for found in api.faces.list_dismissals(&mut view, account, profile).await? {
        let this_content_only = match found.distance {
            Some(distance) => api.faces.counts_in_its_content_alone(distance).await?,
            None => false,
        };
        let Dismissal { id, notification_id, content_id, user_id, distance, created_at, .. } = found;
        dismissals.push(DismissalBody {
            id,
            notification_id,
            content_id,
            user_id,
            distance,
            this_content_only,
            created_at,
        });
    }
    Ok(Json(DismissalList { dismissals }))
}
