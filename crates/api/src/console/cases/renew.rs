//! `POST /console/cases/renew`

use super::request::{Command, ReviewerRequest};
use crate::{
    ApiState,
    console::CaseRenewErrors,
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError},
};
use axum::{Json, extract::State};
use base::{CaseId, Timestamp};
use domain::{Violation, cases::MAX_CLAIMED_CASES};
use utoipa::ToSchema;

/// Which leases.
#[derive(serde::Deserialize, ToSchema)]
pub(in crate::console) struct RenewLeasesRequest {
    /// The cases that the page shows or has fetched ahead.
    #[schema(value_type = Vec<Uuid>, min_items = 1, max_items = 5)]
    case_ids: Option<Vec<CaseId>>,
}

impl CommandPayload for RenewLeasesRequest {
    type Command = Vec<CaseId>;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<Vec<CaseId>> {
        let cases = violations.required("case_ids", self.case_ids)?;
        if !(1..=MAX_CLAIMED_CASES).contains(&cases.len()) {
            let message = format!("it has 1 to {MAX_CLAIMED_CASES} cases, not {}", cases.len());
            violations.push(Violation::new("case_ids", message));
            return None;
        }
        Some(cases)
    }
}

/// The leases that go on.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct RenewedLeases {
    /// Cases that are missing are the reviewer's no more.
    #[schema(max_items = 5)]
    leases: Vec<RenewedLease>,
}

/// A lease that goes on.
#[derive(serde::Serialize, ToSchema)]
struct RenewedLease {
    #[schema(value_type = Uuid)]
    case_id: CaseId,
    #[schema(value_type = String, format = DateTime)]
    lease_until: Timestamp,
}

/// Renew the leases of cases.
///
/// A lease that has ended goes on if nobody else has claimed the case since.
#[utoipa::path(
    post, path = "/console/cases/renew", tag = "cases", security(("session" = [], "console" = [])),
    request_body(content = RenewLeasesRequest, example = json!({ "case_ids": ["0192f0c1-7d3a-7c55-8d06-0b6f3f6f1a01"] })),
    responses((status = 200, description = "The leases that go on.", body = RenewedLeases), CaseRenewErrors),
)]
pub(in crate::console) async fn renew_leases(
    State(api): State<ApiState>,
    request: ReviewerRequest<(), Command<RenewLeasesRequest>>,
) -> Result<Json<RenewedLeases>, ModerationApiError> {
    let mut tx = request.begin(&api).await?;
    let renewed = api.cases.renew(&mut tx, &request.reviewer, &request.input.0).await?;
    tx.commit().await?;
    let leases = renewed.into_iter().map(|(case_id, lease_until)| RenewedLease { case_id, lease_until });
    Ok(Json(RenewedLeases { leases: leases.collect() }))
}
