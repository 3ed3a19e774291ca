//! Appeals of people who were refused: an extension.

pub(super) mod create;
pub(super) mod get;
mod record;
