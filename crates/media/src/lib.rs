//! Bytes from outside: the gate that every image passes before anything is decoded, and where bytes are kept.

pub mod blobs;
pub mod gate;
