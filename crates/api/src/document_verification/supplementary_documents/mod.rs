//! Supplementary documents of a session: begun, their pages or their file, and the reading of them.

pub(super) mod add;
pub(super) mod extract;
pub(super) mod put_file;
pub(super) mod put_page;
