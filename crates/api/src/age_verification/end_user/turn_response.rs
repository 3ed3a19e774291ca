//! The state of a session after an attempt was opened or a turn was taken.

use super::{
    page_session::PageSession,
    page_step::{PageInputProblem, PageStep},
};
use crate::ApiState;
use base::AgeAttemptId;
use domain::age_verification::{RelyingPartyProfile, attempts::TurnResult};
use serde::Serialize;
use utoipa::ToSchema;

/// The state of a session after a turn. Without a step the attempt has ended, or a check goes on without the end user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TurnResponse {
    /// The session.
    session: PageSession,
    /// The attempt that is under way.
    #[schema(value_type = Option<Uuid>, required)]
    attempt: Option<AgeAttemptId>,
    /// What the page sends back with the next turn.
    #[schema(required)]
    continuation: Option<String>,
    /// What the page is to do next.
    #[schema(required)]
    step: Option<PageStep>,
    /// What was wrong with the last input.
    #[schema(required)]
    problem: Option<PageInputProblem>,
}

impl TurnResponse {
    pub(super) fn of(api: &ApiState, turn: TurnResult, business: &RelyingPartyProfile) -> Self {
        Self {
            session: PageSession::of(api, &turn.session, business),
            attempt: turn.attempt,
            continuation: turn.continuation,
            step: turn.step.map(PageStep::from),
            problem: turn.problem.map(PageInputProblem::from),
        }
    }
}
