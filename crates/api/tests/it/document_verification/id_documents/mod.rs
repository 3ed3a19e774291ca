//! Identity documents.

mod add;
mod extract;
mod put_page;
