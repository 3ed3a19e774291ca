//! Sessions.

mod asked;
mod configuration;
mod consent;
mod create;
mod delete;
mod emails;
mod finish;
mod get;
mod report_error;
