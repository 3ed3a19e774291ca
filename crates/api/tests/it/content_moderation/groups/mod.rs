//! Groups of profiles.

mod join;
mod leave;
mod list;
mod make;
mod remove;
