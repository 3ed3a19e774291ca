//! Operations of the hosted page, under `/age/v1`: the session, consent, attempts and their turns, and what the end
//! user may take along.

pub(super) mod cancel;
pub(super) mod consent;
pub(super) mod forget_result;
pub(super) mod get;
pub(super) mod keep_result;
pub(super) mod open_attempt;
mod page_session;
mod page_step;
mod passkey;
pub(super) mod report_error;
pub(super) mod take_proof;
pub(super) mod take_turn;
mod turn_response;
