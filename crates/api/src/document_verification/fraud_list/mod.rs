//! The application's own list of documents and faces that are used for fraud.

pub(super) mod add;
pub(super) mod list;
pub(super) mod remove;
