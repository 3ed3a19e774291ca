//! Sessions: the operations of relying parties, and those of end users on a session as a whole.

pub(super) mod configuration;
pub(super) mod consent;
pub(super) mod create;
pub(super) mod delete;
pub(super) mod emails;
pub(super) mod finish;
pub(super) mod get;
mod identity_profile;
pub(super) mod report_error;
pub(super) mod request;
pub(super) mod view;
