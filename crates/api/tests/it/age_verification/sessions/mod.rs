//! Sessions, as the relying party sees them.

mod create;
mod get;
mod record;
mod response_config;
mod result;
