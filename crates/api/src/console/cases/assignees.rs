//! `GET /console/cases/{caseId}/assignees`

use super::request::{CasePath, ReviewerRequest};
use crate::{ApiState, console::CaseReadErrors, content_moderation::ModerationApiError};
use axum::{Json, extract::State};
use base::MemberId;
use domain::cases::Assignee;
use utoipa::ToSchema;

/// To whom a case may be handed.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct AssigneeList {
    /// By name.
    assignees: Vec<AssigneeBody>,
}

/// A member who may decide the case and has not done so.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Assignee)]
struct AssigneeBody {
    #[schema(value_type = Uuid)]
    member_id: MemberId,
    name: String,
}

/// See to which colleagues a case may be handed.
#[utoipa::path(
    get, path = "/console/cases/{caseId}/assignees", tag = "cases", security(("session" = [], "console" = [])),
    params(CasePath),
    responses((status = 200, description = "Members of the account who may decide it.", body = AssigneeList), CaseReadErrors),
)]
pub(in crate::console) async fn list_assignees(
    State(api): State<ApiState>,
    request: ReviewerRequest<CasePath>,
) -> Result<Json<AssigneeList>, ModerationApiError> {
    let mut view = api.db.read().await?;
    let found = api.cases.assignees(&mut view, &request.reviewer, request.path.case).await?;
    let assignees =
        found.into_iter().map(|Assignee { member, name }| AssigneeBody { member_id: member, name });
    Ok(Json(AssigneeList { assignees: assignees.collect() }))
}
