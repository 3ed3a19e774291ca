//! Supplementary documents of a session: their creation, pages or file, and text extraction.

pub(super) mod add;
pub(super) mod extract;
pub(super) mod put_file;
pub(super) mod put_page;
