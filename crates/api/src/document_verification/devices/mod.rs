//! The devices that a session was used with.

pub(super) mod forget;
pub(super) mod list;
