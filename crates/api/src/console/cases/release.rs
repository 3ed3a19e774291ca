//! `POST /console/cases/{caseId}/release`

use super::request::{CasePath, ReviewerRequest};
use crate::{ApiState, console::CaseChangeErrors, content_moderation::ModerationApiError};
use axum::{extract::State, http::StatusCode};

/// Give a case back to its queue.
///
/// A lead (`cases:manage`) may also take one from whoever has it.
#[utoipa::path(
    post, path = "/console/cases/{caseId}/release", tag = "cases", security(("session" = [], "console" = [])),
    params(CasePath),
    responses((status = 204, description = "The case is back in its queue."), CaseChangeErrors),
)]
pub(in crate::console) async fn release_case(
    State(api): State<ApiState>,
    request: ReviewerRequest<CasePath>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin(&api).await?;
    api.cases.release(&mut tx, &request.reviewer, request.path.case).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
