//! `GET /accounts/{accountId}/moderations/{moderationId}/results`

use super::{
    super::{
        ModerationApiError, authentication::ReportsView, error, path::ModerationPath, query::ReportQuery,
        request::AccountRequest,
    },
    report::FaceCheckResultBody,
};
use crate::ApiState;
use axum::{Json, extract::State};
use domain::content_moderation::{ModerationState, contents::ContentType};
use utoipa::ToSchema;

/// What a moderation found.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ModerationResults)]
pub(crate) struct ModerationResultsBody {
    /// The kind of content.
    content_type: ContentType,
    /// The content's address; none of a file that was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Whether it has ended: until then there may be more, and one that failed or was stopped did not see everything.
    state: ModerationState,
    /// How many appearances of faces there are.
    #[schema(minimum = 0)]
    total_count: i64,
    /// A page of them, in the order in which they began.
    #[schema(max_items = 10000)]
    face_check_results: Vec<FaceCheckResultBody>,
}

/// See what a moderation found; the report has more details.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations/{moderationId}/results", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(ModerationPath, ReportQuery),
    responses((status = 200, description = "What was found so far.", body = ModerationResultsBody), error::ListErrors),
)]
pub(crate) async fn moderation_results(
    State(api): State<ApiState>,
    request: AccountRequest<ReportsView, ModerationPath, ReportQuery>,
) -> Result<Json<ModerationResultsBody>, ModerationApiError> {
    let mut view = api.db.read().await?;
    let (moderation, offset) = (request.path.moderation, request.input.offset());
    let report = api.content_moderation.report(&mut view, request.account.id, moderation, offset).await?;
    let report = report.ok_or_else(|| ModerationApiError::not_found("moderation"))?;
    Ok(Json(ModerationResultsBody {
        content_type: report.content_type,
        url: report.location.url().map(str::to_owned),
        state: report.state,
        total_count: report.total,
        face_check_results: report.findings.into_iter().map(Into::into).collect(),
    }))
}
