//! Bytes from outside: the gate that every image passes before anything is decoded.

pub mod gate;
