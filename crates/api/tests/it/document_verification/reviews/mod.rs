//! Reviews by people.

mod decide;
mod list;
mod sandbox;
mod show;
