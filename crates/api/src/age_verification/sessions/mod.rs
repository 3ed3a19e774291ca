//! Sessions, as relying parties make and read them.

pub(super) mod create;
pub(super) mod device_challenge;
pub(super) mod device_signal;
pub(super) mod get;
mod methods;
mod record;
pub(super) mod request;
pub(super) mod response_config;
pub(super) mod result;
