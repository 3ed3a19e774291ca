//! `GET /accounts/{accountId}/contents/{id}/reports`

use super::{
    super::{
        Problem, authentication::ContentsReportsList, error, path::ContentPath, query::PageQuery,
        request::AccountRequest,
    },
    find,
};
use crate::{Api, http::pagination::PAGE_ITEMS};
use axum::{Json, extract::State};
use base::{AccountId, ContentId, ReportId, Timestamp};
use db::Read;
use domain::content::reports::{self, Report};
use utoipa::ToSchema;

/// A page of reports.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Reports {
    /// The reports, newest first.
    #[schema(max_items = 20)]
    reports: Vec<ReportBody>,
    /// How many the content has.
    #[schema(minimum = 0)]
    total_count: i64,
}

/// A report on a content.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ContentReport)]
pub(crate) struct ReportBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: ReportId,
    /// The content.
    #[schema(value_type = Uuid)]
    content_id: ContentId,
    /// What is wrong.
    reason: String,
    /// What was decided; absent until somebody does.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<String>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    reviewed_at: Option<Timestamp>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<Report> for ReportBody {
    fn from(report: Report) -> Self {
        Self {
            id: report.id,
            content_id: report.content_id,
            reason: report.reason,
            resolution: report.resolution,
            reviewed_at: report.reviewed_at.map(|at| at.0),
            created_at: report.created_at,
        }
    }
}

impl Reports {
    /// A page of a content's reports.
    pub(super) async fn of(
        view: &mut Read,
        account: AccountId,
        content: ContentId,
        offset: i64,
    ) -> Result<Self, Problem> {
        let (reports, total_count) = reports::list(view, account, content, offset, PAGE_ITEMS).await?;
        Ok(Self { reports: reports.into_iter().map(Into::into).collect(), total_count })
    }
}

/// List the reports on a content.
#[utoipa::path(
    get, path = "/accounts/{accountId}/contents/{id}/reports", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(ContentPath, PageQuery),
    responses((status = 200, description = "A page of them; empty past the end.", body = Reports), error::Listing),
)]
pub(crate) async fn list_reports(
    State(api): State<Api>,
    request: AccountRequest<ContentsReportsList, ContentPath, PageQuery>,
) -> Result<Json<Reports>, Problem> {
    let (account, content) = (request.account.id, request.path.content);
    let mut view = api.db.read().await?;
    find(&mut view, account, content).await?;
    Ok(Json(Reports::of(&mut view, account, content, request.input.page.offset()).await?))
}
