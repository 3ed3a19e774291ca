//! `POST /console/cases/{caseId}/golden`

use super::request::{CasePath, Command, ReviewerRequest};
use crate::{
    ApiState,
    console::CaseBesideErrors,
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError},
};
use axum::{Json, extract::State, http::StatusCode};
use base::CaseId;
use domain::{accounts::ConsoleScope, cases::CaseDecision};
use utoipa::ToSchema;

/// The right answer.
#[derive(serde::Deserialize, ToSchema)]
pub(in crate::console) struct GoldenCaseRequest {
    /// One of the case's `decisions`.
    #[schema(value_type = CaseDecision)]
    decision: Option<CaseDecision>,
}

impl CommandPayload for GoldenCaseRequest {
    type Command = CaseDecision;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<CaseDecision> {
        violations.required("decision", self.decision)
    }
}

/// A case that was created.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct CreatedCase {
    #[schema(value_type = Uuid)]
    pub(super) id: CaseId,
}

/// Make a golden case of one that is settled. Needs `queues:manage`.
///
/// Reviewers who have not decided about it get it among the cases of its queue, as often as the queue says. It looks like all others
/// and has no effect. An appeal against the result of an age verification session cannot be made one, since its picture is deleted
/// once it is decided.
#[utoipa::path(
    post, path = "/console/cases/{caseId}/golden", tag = "cases", security(("session" = [], "console" = [])),
    params(CasePath),
    request_body(content = GoldenCaseRequest, example = json!({ "decision": "CONFIRM" })),
    responses((status = 201, description = "The golden case.", body = CreatedCase), CaseBesideErrors),
)]
pub(in crate::console) async fn create_golden_case(
    State(api): State<ApiState>,
    request: ReviewerRequest<CasePath, Command<GoldenCaseRequest>>,
) -> Result<(StatusCode, Json<CreatedCase>), ModerationApiError> {
    request.require(ConsoleScope::QueuesManage)?;
    let mut tx = request.begin(&api).await?;
    let id = api.cases.create_golden(&mut tx, &request.reviewer, request.path.case, request.input.0).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(CreatedCase { id })))
}
