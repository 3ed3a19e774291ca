//! Policies: what laws ask for, as sessions.

pub(super) mod get;
pub(super) mod list;
mod record;
