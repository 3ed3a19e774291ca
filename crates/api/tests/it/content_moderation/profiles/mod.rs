//! Profiles and their faces.

mod add_face;
mod ban;
mod change;
mod delete;
mod delete_face;
mod dismissals;
mod enrol;
mod enrol_many;
mod get;
mod list;
mod search;
mod unban;
mod undo_dismissal;
