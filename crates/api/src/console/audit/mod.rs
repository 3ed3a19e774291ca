//! The audit trail, and receipts for deleted accounts. Operators see all of it, members what concerns their account.

pub(super) mod export;
pub(super) mod list;
mod query;
pub(super) mod receipts;
pub(super) mod verify;
