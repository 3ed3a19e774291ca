//! `/console`: sign-in of members, and their sessions.

mod begin_session;
mod cookie;
mod end_session;
mod get_session;
mod sign_in;
