//! Supplementary documents.

mod add;
mod extract;
mod put_file;
mod put_page;
