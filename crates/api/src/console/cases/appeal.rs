//! `POST /console/cases/{caseId}/appeal`

use super::{
    golden::CreatedCase,
    request::{CasePath, ReviewerRequest},
};
use crate::{ApiState, console::CaseAppealErrors, content_moderation::ModerationApiError};
use axum::{Json, extract::State, http::StatusCode};
use domain::accounts::ConsoleScope;

/// Have a decision that is settled looked at again, by somebody who has not decided about the case. Needs `cases:manage`.
#[utoipa::path(
    post, path = "/console/cases/{caseId}/appeal", tag = "cases", security(("session" = [], "console" = [])),
    params(CasePath),
    responses((status = 201, description = "The appeal, a case of its own.", body = CreatedCase), CaseAppealErrors),
)]
pub(in crate::console) async fn create_appeal(
    State(api): State<ApiState>,
    request: ReviewerRequest<CasePath>,
) -> Result<(StatusCode, Json<CreatedCase>), ModerationApiError> {
    request.require(ConsoleScope::CasesManage)?;
    let mut tx = request.begin(&api).await?;
    let id = api.cases.create_appeal(&mut tx, &request.reviewer, request.path.case).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(CreatedCase { id })))
}
