//! Bytes from outside: the gate that every image passes before anything is decoded, where bytes are kept, what makes
//! pictures of videos and pages of PDF files, and the one way out.

pub mod blobs;
pub mod document_file;
pub mod fetch;
pub mod image_validation;
mod sandboxed_process;
pub mod video;
