//! Accounts.

mod close;
mod deletion_receipt;
mod get;
mod open;
