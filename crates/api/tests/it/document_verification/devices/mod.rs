//! The devices of a session.

mod forget;
mod list;
