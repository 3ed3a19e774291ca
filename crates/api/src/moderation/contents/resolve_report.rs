//! `PUT /accounts/{accountId}/contents/{id}/reports/{reportId}`

use super::super::{
    Problem,
    sent::{Ids, Sent},
};
use crate::Api;
use axum::{extract::State, http::StatusCode};
use base::{AccountId, ContentId, ReportId};
use domain::{accounts::Scope, content::reports};
use utoipa::ToSchema;

/// What was decided.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct Resolution {
    /// 1 to 500 characters.
    #[schema(value_type = String, min_length = 1, max_length = 500)]
    resolution: Option<String>,
}

/// Decide about a report.
#[utoipa::path(
    put, path = "/accounts/{accountId}/contents/{id}/reports/{reportId}", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("id" = Uuid, Path, description = "The content."),
        ("reportId" = Uuid, Path, description = "The report."),
    ),
    request_body = Resolution,
    responses((status = 204, description = "It is decided."), Problem),
)]
pub(crate) async fn resolve_report(
    State(api): State<Api>,
    Ids((account, content, report)): Ids<(AccountId, ContentId, ReportId)>,
    sent: Sent<Resolution>,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    let account = sent.caller.enter_to_write(&mut tx, account, Scope::ContentsReportsModerate).await?;
    let resolution =
        sent.body.resolution.as_deref().ok_or_else(|| Problem::violation("resolution", "it is required"))?;
    reports::resolve(&mut tx, &*api.world, account, (content, report), resolution).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
