//! `GET /accounts/{accountId}/moderations/{moderationId}/results`

use super::{
    super::{Problem, authentication::ReportsView, error, path::ModerationPath, request::AccountRequest},
    report::FaceResult,
};
use crate::Api;
use axum::{Json, extract::State};
use domain::content::ContentType;
use utoipa::ToSchema;

/// What a moderation found.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ModerationResults)]
pub(crate) struct Results {
    /// What the content is.
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
    params(ModerationPath),
    responses((status = 200, description = "What was found so far.", body = Results), error::Reading),
)]
pub(crate) async fn moderation_results(
    State(api): State<Api>,
    request: AccountRequest<ReportsView, ModerationPath>,
) -> Result<Json<Results>, Problem> {
    let mut view = api.db.read().await?;
    let report = api.moderations.report(&mut view, request.account.id, request.path.moderation).await?;
    let report = report.ok_or_else(|| Problem::missing("moderation"))?;
    Ok(Json(Results {
        content_type: report.content_type,
        url: report.url,
        face_check_results: report.findings.into_iter().map(Into::into).collect(),
    }))
}
