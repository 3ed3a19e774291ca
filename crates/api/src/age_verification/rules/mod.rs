//! Rules for kept results.

pub(super) mod create;
