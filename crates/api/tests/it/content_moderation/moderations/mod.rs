//! Moderations.

mod delete;
mod details;
mod list;
mod notifications;
mod overview;
mod report;
mod results;
mod start;
mod stop;
