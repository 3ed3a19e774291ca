//! `POST /console/cases/claim`

use super::{
    body::{CaseBody, ExposureBody},
    request::{Command, ReviewerRequest},
};
use crate::{
    ApiState,
    console::CaseClaimErrors,
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError},
};
use axum::{Json, extract::State};
use base::CaseQueueId;
use domain::{Violation, cases::MAX_CLAIMED_CASES};
use utoipa::ToSchema;

/// Which cases, and how many.
#[derive(serde::Deserialize, ToSchema)]
pub(in crate::console) struct ClaimCasesRequest {
    /// The queue; without one, cases of all queues.
    #[schema(value_type = Option<Uuid>)]
    queue_id: Option<CaseQueueId>,
    /// How many cases the reviewer wants to hold.
    #[schema(minimum = 1, maximum = 5, default = 1)]
    count: Option<usize>,
}

pub(in crate::console) struct CaseClaim {
    queue: Option<CaseQueueId>,
    count: usize,
}

impl CommandPayload for ClaimCasesRequest {
    type Command = CaseClaim;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<CaseClaim> {
        let count = self.count.unwrap_or(1);
        if !(1..=MAX_CLAIMED_CASES).contains(&count) {
            violations.push(Violation::new("count", format!("it is 1 to {MAX_CLAIMED_CASES}")));
            return None;
        }
        Some(CaseClaim { queue: self.queue_id, count })
    }
}

/// The cases that a reviewer holds.
#[derive(serde::Serialize, ToSchema)]
pub(in crate::console) struct ClaimedCases {
    /// In the order in which they are to be decided; fewer than wanted if there are no more.
    #[schema(max_items = 5)]
    cases: Vec<CaseBody>,
    exposure: ExposureBody,
}

/// Claim cases.
///
/// The answer has everything that the reviewer holds: cases that were claimed before come first, and their leases are
/// renewed. Nobody else gets them until their leases end. Then come those whose leases have ended, as long as more are wanted and
/// nobody else has claimed them since.
#[utoipa::path(
    post, path = "/console/cases/claim", tag = "cases", security(("session" = [], "console" = [])),
    request_body(content = ClaimCasesRequest, example = json!({ "count": 2 })),
    responses((status = 200, description = "What the reviewer holds now.", body = ClaimedCases), CaseClaimErrors),
)]
pub(in crate::console) async fn claim_cases(
    State(api): State<ApiState>,
    request: ReviewerRequest<(), Command<ClaimCasesRequest>>,
) -> Result<Json<ClaimedCases>, ModerationApiError> {
    let CaseClaim { queue, count } = request.input.0;
    let mut tx = request.begin(&api).await?;
    let claimed = api.cases.claim(&mut tx, &request.reviewer, queue, count).await?;
    tx.commit().await?;
    let mut view = api.db.read().await?;
    let mut cases = Vec::with_capacity(claimed.len());
    for case in claimed {
        cases.extend(CaseBody::load(&api, &mut view, &request.reviewer, case).await?);
    }
    let exposure = api.cases.exposure(&mut view, &request.reviewer).await?.into();
    Ok(Json(ClaimedCases { cases, exposure }))
}
