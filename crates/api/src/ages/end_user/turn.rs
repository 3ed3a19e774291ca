//! How a session stands after an attempt was opened or a turn was taken.

use super::{
    session::PageSession,
    step::{InputProblem, Step},
};
use crate::Api;
use base::AttemptId;
use domain::ages::{Business, flow::Turn};
use serde::Serialize;
use utoipa::ToSchema;

/// How a session stands after a turn. Without a step the attempt has ended, or a check runs on without the end user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TurnAnswer {
    /// The session.
    session: PageSession,
    /// The attempt that is under way.
    #[schema(value_type = Option<Uuid>, required)]
    attempt: Option<AttemptId>,
    /// What the page sends back with the next answer.
    #[schema(required)]
    continuation: Option<String>,
    /// What it is to do.
    #[schema(required)]
    step: Option<Step>,
    /// What of the last answer could not be used.
    #[schema(required)]
    problem: Option<InputProblem>,
}

impl TurnAnswer {
    /// What came of a turn.
    pub(super) fn of(api: &Api, turn: Turn, business: &Business) -> Self {
        Self {
            session: PageSession::of(api, &turn.session, business),
            attempt: turn.attempt,
            continuation: turn.continuation,
            step: turn.step.map(Step::from),
            problem: turn.problem.map(InputProblem::from),
        }
    }
}
