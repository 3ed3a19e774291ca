//! Reviews by people.

mod decide;
mod list;
mod show;
