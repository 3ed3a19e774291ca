//! Accounts.

pub(super) mod close;
pub(super) mod get;
pub(super) mod open;
pub(super) mod receipt;
