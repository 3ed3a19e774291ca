//! Moderations.

pub(super) mod delete;
pub(super) mod details;
pub(super) mod item;
pub(super) mod list;
pub(super) mod notifications;
pub(super) mod overview;
pub(super) mod report;
pub(super) mod results;
pub(super) mod start;
pub(super) mod stop;
