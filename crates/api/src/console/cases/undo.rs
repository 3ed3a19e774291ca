//! `DELETE /console/cases/{caseId}/decision`

use super::request::{CasePath, ReviewerRequest};
use crate::{ApiState, console::CaseUndoErrors, content_moderation::ModerationApiError};
use axum::{Json, extract::State};
use base::Timestamp;
use utoipa::ToSchema;

/// A case that is the reviewer's again.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct UndoneDecision {
    /// Until when, unless the lease is renewed.
    #[schema(value_type = String, format = DateTime)]
    lease_until: Timestamp,
}

/// Take back a decision that is not settled yet.
#[utoipa::path(
    delete, path = "/console/cases/{caseId}/decision", tag = "cases", security(("session" = [], "console" = [])),
    params(CasePath),
    responses((status = 200, description = "The case is the reviewer's again.", body = UndoneDecision), CaseUndoErrors),
)]
pub(in crate::console) async fn undo_decision(
    State(api): State<ApiState>,
    request: ReviewerRequest<CasePath>,
) -> Result<Json<UndoneDecision>, ModerationApiError> {
    let mut tx = request.begin(&api).await?;
    let lease_until = api.cases.undo(&mut tx, &request.reviewer, request.path.case).await?;
    tx.commit().await?;
    Ok(Json(UndoneDecision { lease_until }))
}
