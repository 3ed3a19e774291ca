//! `GET /accounts/{accountId}/moderations/{moderationId}`

use super::{
    super::{Problem, caller::Caller, sent::Ids},
    item::StandingBody,
};
use crate::Api;
use axum::{Json, extract::State};
use base::{AccountId, ModerationId};
use domain::{
    accounts::Scope,
    moderation::{Overview, Uploader},
};
use utoipa::ToSchema;

/// A moderation's content, and whom it is about.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct OverviewBody {
    /// The content.
    content: OverviewContent,
    /// The moderation.
    moderation: OverviewModeration,
}

/// A moderation, and how it stands.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct OverviewModeration {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: ModerationId,
    #[serde(flatten)]
    standing: StandingBody,
}

/// A content, and who has to do with it.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct OverviewContent {
    /// Its id.
    id: String,
    /// `IMAGE`, `VIDEO` or `LIVE_VIDEO`.
    r#type: String,
    /// Where it is.
    url: String,
    /// Who brought it, where that was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    uploader: Option<Somebody>,
    /// The profiles that the moderation or the content names.
    profiles: Vec<Somebody>,
    /// The groups that the moderation names.
    groups: Vec<GroupLabel>,
}

/// Somebody, as far as he is known.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Somebody {
    /// The id.
    id: String,
    /// The name that is shown; empty where it is not known.
    display_name: String,
    /// The reference; empty where there is none.
    reference: String,
}

/// A group.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct GroupLabel {
    /// Its id.
    id: String,
    /// Its label.
    label: String,
}

/// See the content of a moderation, and whom it is about.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations/{moderationId}", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("moderationId" = Uuid, Path, description = "The moderation."),
    ),
    responses((status = 200, description = "The overview.", body = OverviewBody), Problem),
)]
pub(crate) async fn moderation_overview(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, id)): Ids<(AccountId, ModerationId)>,
) -> Result<Json<OverviewBody>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::ModerationsView).await?;
    let overview = api.moderations.overview(&mut view, account, id).await?;
    Ok(Json(overview.ok_or_else(|| Problem::missing("moderation"))?.into()))
}

impl From<Uploader> for Somebody {
    fn from(somebody: Uploader) -> Self {
        let Uploader { id, display_name, reference } = somebody;
        Self { id, display_name, reference }
    }
}

impl From<Overview> for OverviewBody {
    fn from(overview: Overview) -> Self {
        let Overview { item, uploader, profiles, groups } = overview;
        let group = |(id, label): (base::GroupId, String)| GroupLabel { id: id.to_string(), label };
        Self {
            content: OverviewContent {
                id: item.content_id.to_string(),
                r#type: item.content_type.to_string(),
                url: item.url,
                uploader: uploader.map(Into::into),
                profiles: profiles.into_iter().map(Into::into).collect(),
                groups: groups.into_iter().map(group).collect(),
            },
            moderation: OverviewModeration { id: item.id, standing: item.standing.into() },
        }
    }
}
