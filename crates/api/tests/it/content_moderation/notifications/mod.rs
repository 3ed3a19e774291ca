//! Notifications and their reviews.

mod accept;
mod dismiss;
mod get;
mod inbox;
mod list;
mod reviews;
mod statement_of_reasons;
