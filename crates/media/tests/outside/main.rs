//! What comes from outside: addresses, videos, pictures, documents, and where bytes are kept.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod blobs;
mod egress;
mod fetch;
mod gate;
mod names;
mod receiver;
mod s3;
mod scan;
mod video;

/// What must stand in no error: it is the query, the path and the password of addresses here.
const SECRET: &str = "hunter2";
