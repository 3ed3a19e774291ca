//! The server about itself.

mod openapi;
mod readiness;
