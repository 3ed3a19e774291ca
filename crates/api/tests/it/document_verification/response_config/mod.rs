//! The answers that a sandbox is configured to give.

mod get_for_application;
mod get_for_session;
mod set_for_application;
mod set_for_session;
