//! `GET /console/cases/{caseId}`

use super::{
    body::CaseBody,
    request::{CasePath, ReviewerRequest},
};
use crate::{ApiState, console::CaseReadErrors, content_moderation::ModerationApiError};
use axum::{Json, extract::State};

/// See a case, whoever holds it.
#[utoipa::path(
    get, path = "/console/cases/{caseId}", tag = "cases", security(("session" = [], "console" = [])),
    params(CasePath),
    responses((status = 200, description = "The case, with what it is judged by.", body = CaseBody), CaseReadErrors),
)]
pub(in crate::console) async fn get_case(
    State(api): State<ApiState>,
    request: ReviewerRequest<CasePath>,
) -> Result<Json<CaseBody>, ModerationApiError> {
    let mut view = api.db.read().await?;
    let case = CaseBody::load(&api, &mut view, &request.reviewer, request.path.case).await?;
    Ok(Json(case.ok_or_else(|| ModerationApiError::not_found("case"))?))
}
