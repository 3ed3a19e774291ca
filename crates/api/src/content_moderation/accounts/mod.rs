//! Accounts.

pub(super) mod close;
pub(super) mod deletion_receipt;
pub(super) mod get;
pub(super) mod open;
