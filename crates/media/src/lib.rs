//! Media from outside: validation of every image before it is decoded, the store for blobs, pictures of videos and
//! pages of PDF files, and the one way for outgoing requests.

pub mod blobs;
pub mod document_file;
pub mod fetch;
pub mod file_signature;
pub mod image_validation;
pub mod sandbox;
pub mod video;
