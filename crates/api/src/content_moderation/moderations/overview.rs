//! `GET /accounts/{accountId}/moderations/{moderationId}`

use super::{
    super::{
        ModerationApiError, authentication::ModerationsView, error, groups::GroupBody, path::ModerationPath,
        request::AccountRequest,
    },
    item::ModerationStatusBody,
};
use crate::ApiState;
use axum::{Json, extract::State};
use base::{ContentId, GroupId, ModerationId, Uuid};
use domain::{
    content_moderation::{ModerationOverview, PersonSummary, contents::ContentType},
    faces::ProfileGroup,
};
use utoipa::ToSchema;

/// A moderation with its content and the people it is about.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ModerationOverview)]
pub(crate) struct ModerationOverviewBody {
    /// The content.
    content: OverviewContent,
    /// The moderation.
    moderation: OverviewModeration,
}

/// A moderation and its status.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct OverviewModeration {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: ModerationId,
    #[serde(flatten)]
    status: ModerationStatusBody,
}

/// A content, and the people and groups that have to do with it.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct OverviewContent {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: ContentId,
    /// The kind of content.
    r#type: ContentType,
    /// Its address; none of a file that was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Who uploaded it, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    uploader: Option<PersonBody>,
    /// The profiles that the moderation or the content names.
    profiles: Vec<PersonBody>,
    /// The groups that the moderation names.
    groups: Vec<GroupBody>,
}

/// A person, as far as they are known.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Person)]
pub(crate) struct PersonBody {
    /// The id of a profile, or the application's own id of the uploader.
    id: Uuid,
    /// The name to show; empty if it is not known.
    display_name: String,
    /// The reference; empty if there is none.
    reference: String,
}

/// See the content of a moderation and the people it is about.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations/{moderationId}", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(ModerationPath),
    responses((status = 200, description = "The overview.", body = ModerationOverviewBody), error::ReadErrors),
)]
pub(crate) async fn moderation_overview(
    State(api): State<ApiState>,
    request: AccountRequest<ModerationsView, ModerationPath>,
) -> Result<Json<ModerationOverviewBody>, ModerationApiError> {
    let mut view = api.db.read().await?;
    let overview =
        api.content_moderation.overview(&mut view, request.account.id, request.path.moderation).await?;
    Ok(Json(overview.ok_or_else(|| ModerationApiError::not_found("moderation"))?.into()))
}

impl From<PersonSummary> for PersonBody {
    fn from(somebody: PersonSummary) -> Self {
        let PersonSummary { id, display_name, reference } = somebody;
        Self { id, display_name, reference }
    }
}

impl From<ModerationOverview> for ModerationOverviewBody {
    fn from(overview: ModerationOverview) -> Self {
        let ModerationOverview { moderation: item, uploader, profiles, groups } = overview;
        let group = |(id, label): (GroupId, String)| ProfileGroup { id, label }.into();
        Self {
            content: OverviewContent {
                id: item.content_id,
                r#type: item.content_type,
                url: item.location.url().map(str::to_owned),
                uploader: uploader.map(Into::into),
                profiles: profiles.into_iter().map(Into::into).collect(),
                groups: groups.into_iter().map(group).collect(),
            },
            moderation: OverviewModeration { id: item.id, status: item.progress.into() },
        }
    }
}
