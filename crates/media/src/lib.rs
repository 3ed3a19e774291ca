//! Bytes from outside: the gate that every image passes before anything is decoded, where bytes are kept, what makes
//! pictures of videos, and the one way out.

pub mod blobs;
pub mod fetch;
pub mod gate;
pub mod video;
