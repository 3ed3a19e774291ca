//! Media of a session.

mod delete;
mod get;
