//! Notifications and their reviews.

pub(super) mod accept;
pub(super) mod dismiss;
pub(super) mod get;
pub(super) mod inbox;
pub(super) mod list;
mod review;
pub(super) mod reviews;
pub(super) mod statement_of_reasons;
