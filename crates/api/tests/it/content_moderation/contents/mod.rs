//! Contents and their reports.

mod archive;
mod attach_profile;
mod delete;
mod detach_profile;
mod get;
mod list;
mod moderations;
mod register;
mod register_many;
mod report;
mod reports;
mod resolve_report;
mod restore;
mod upload;
