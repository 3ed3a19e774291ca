//! Bytes from outside: the gate that every image passes before anything is decoded, where bytes are kept, what makes
//! pictures of videos and pages of PDF files, and the one way out.

pub mod blobs;
mod child;
pub mod fetch;
pub mod gate;
pub mod scan;
pub mod video;
