//! `GET /accounts/{accountId}/contents/{id}/reports`

use super::{
    super::{
        ModerationApiError, authentication::ContentsReportsList, error, path::ContentPath, query::PageQuery,
        request::AccountRequest,
    },
    require_content,
};
use crate::{ApiState, http::pagination::ITEMS_PER_PAGE};
use axum::{Json, extract::State};
use base::{AccountId, ContentId, ContentReportId, Timestamp};
use db::ReadTx;
use domain::content_moderation::contents::reports::ContentReport;
use utoipa::ToSchema;

/// A page of reports.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct ContentReportList {
    /// The reports, newest first.
    #[schema(max_items = 20)]
    reports: Vec<ContentReportBody>,
    /// How many the content has.
    #[schema(minimum = 0)]
    total_count: i64,
}

/// A report on a content.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ContentReport)]
pub(crate) struct ContentReportBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: ContentReportId,
    /// The content.
    #[schema(value_type = Uuid)]
    content_id: ContentId,
    /// What is wrong with the content.
    reason: String,
    /// The decision; absent until there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<String>,
    /// When it was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    reviewed_at: Option<Timestamp>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<ContentReport> for ContentReportBody {
    fn from(report: ContentReport) -> Self {
        Self {
            id: report.id,
            content_id: report.content_id,
            reason: report.reason,
            resolution: report.resolution,
            reviewed_at: report.reviewed_at,
            created_at: report.created_at,
        }
    }
}

impl ContentReportList {
    /// A page of a content's reports.
    pub(super) async fn of(
        api: &ApiState,
        view: &mut ReadTx,
        account: AccountId,
        content: ContentId,
        offset: i64,
    ) -> Result<Self, ModerationApiError> {
        let (reports, total_count) =
            api.content_moderation.reports(view, (account, content), offset, ITEMS_PER_PAGE).await?;
        Ok(Self { reports: reports.into_iter().map(Into::into).collect(), total_count })
    }
}

/// List the reports on a content.
#[utoipa::path(
    get, path = "/accounts/{accountId}/contents/{id}/reports", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ContentPath, PageQuery),
    responses((status = 200, description = "A page of them; empty past the end.", body = ContentReportList), error::ListErrors),
)]
pub(crate) async fn list_reports(
    State(api): State<ApiState>,
    request: AccountRequest<ContentsReportsList, ContentPath, PageQuery>,
) -> Result<Json<ContentReportList>, ModerationApiError> {
    let (account, content) = (request.account.id, request.path.content);
    let mut view = api.db.read().await?;
    require_content(&mut view, account, content).await?;
    Ok(Json(ContentReportList::of(&api, &mut view, account, content, request.input.page.offset()).await?))
}
