//! Identity documents of a session: begun, their pages, and the reading of them.

pub(super) mod add;
pub(super) mod extract;
pub(super) mod put_page;
