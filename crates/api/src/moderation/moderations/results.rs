//! `GET /accounts/{accountId}/moderations/{moderationId}/results`

use super::{
    super::{Problem, caller::Caller, sent::Ids},
    report::FaceResult,
};
use crate::Api;
use axum::{Json, extract::State};
use base::{AccountId, ModerationId};
use domain::{accounts::Scope, content::ContentType};
use utoipa::ToSchema;

/// What a moderation found.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Results {
    /// `IMAGE`, `VIDEO` or `LIVE_VIDEO`.
    #[schema(value_type = String, example = "IMAGE")]
    content_type: ContentType,
    /// Where the content is.
    url: String,
    /// Each appearance of a face.
    face_check_results: Vec<FaceResult>,
}

/// See what a moderation found; the report says more.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations/{moderationId}/results", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("moderationId" = Uuid, Path, description = "The moderation."),
    ),
    responses((status = 200, description = "What was found so far.", body = Results), Problem),
)]
pub(crate) async fn moderation_results(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, id)): Ids<(AccountId, ModerationId)>,
) -> Result<Json<Results>, Problem> {
    let mut view = api.db.read().await?;
    let account = caller.enter(&mut view, account, Scope::ReportsView).await?;
    let report = api.moderations.report(&mut view, account, id).await?;
    let report = report.ok_or_else(|| Problem::missing("moderation"))?;
    Ok(Json(Results {
        content_type: report.content_type,
        url: report.url,
        face_check_results: report.findings.into_iter().map(Into::into).collect(),
    }))
}
