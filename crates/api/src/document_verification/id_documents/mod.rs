//! Identity documents of a session: their creation, pages and text extraction.

pub(super) mod add;
pub(super) mod extract;
pub(super) mod put_page;
