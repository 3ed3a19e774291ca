//! Checks that wait for a reviewer's decision.

pub(super) mod decide;
pub(super) mod list;
pub(super) mod show;
