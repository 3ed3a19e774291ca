//! `POST /console/cases/{caseId}/assign`

use super::request::{CasePath, Command, ReviewerRequest};
use crate::{
    ApiState,
    console::CaseCommandErrors,
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError},
};
use axum::{extract::State, http::StatusCode};
use base::MemberId;
use utoipa::ToSchema;

/// To whom.
#[derive(serde::Deserialize, ToSchema)]
pub(in crate::console) struct AssignCaseRequest {
    /// A member of the account who has not decided about the case yet.
    #[schema(value_type = Uuid)]
    member_id: Option<MemberId>,
}

impl CommandPayload for AssignCaseRequest {
    type Command = MemberId;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<MemberId> {
        violations.required("member_id", self.member_id)
    }
}

/// Hand a case to a member, who alone gets it from then on.
#[utoipa::path(
    post, path = "/console/cases/{caseId}/assign", tag = "cases", security(("session" = [], "console" = [])),
    params(CasePath),
    request_body(content = AssignCaseRequest, example = json!({ "member_id": "c0f1e7b2-52a5-4b11-9a57-1f4b6f6a9d21" })),
    responses((status = 204, description = "The case is assigned to that member."), CaseCommandErrors),
)]
pub(in crate::console) async fn assign_case(
    State(api): State<ApiState>,
    request: ReviewerRequest<CasePath, Command<AssignCaseRequest>>,
) -> Result<StatusCode, ModerationApiError> {
    let mut tx = request.begin(&api).await?;
    api.cases.assign(&mut tx, &request.reviewer, request.path.case, request.input.0).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
