//! Accounts.

pub(super) mod get;
pub(super) mod open;
