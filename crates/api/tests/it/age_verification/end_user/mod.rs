//! What the page of a session calls.

mod cancel;
mod consent;
mod forget_result;
mod get;
mod keep_result;
mod open_attempt;
mod report_error;
mod take_proof;
mod take_turn;
