//! How a session stands after an attempt was opened or a turn was taken.

use super::{
    page_session::PageSession,
    page_step::{PageInputProblem, PageStep},
};
use crate::ApiState;
use base::AgeAttemptId;
use domain::age_verification::{RelyingPartyProfile, attempts::TurnResult};
use serde::Serialize;
use utoipa::ToSchema;

/// How a session stands after a turn. Without a step the attempt has ended, or a check runs on without the end user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TurnResponse {
    /// The session.
    session: PageSession,
    /// The attempt that is under way.
    #[schema(value_type = Option<Uuid>, required)]
    attempt: Option<AgeAttemptId>,
    /// What the page sends back with the next answer.
    #[schema(required)]
    continuation: Option<String>,
    /// What it is to do.
    #[schema(required)]
    step: Option<PageStep>,
    /// What of the last answer could not be used.
    #[schema(required)]
    problem: Option<PageInputProblem>,
}

impl TurnResponse {
    /// What came of a turn.
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
