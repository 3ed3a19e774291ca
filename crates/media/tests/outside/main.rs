//! Media from outside: addresses, videos, pictures, documents, and the store for blobs.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

// Videos and documents are decoded by children, which this executable launches.
use test_launcher as _;

mod blobs;
mod egress;
mod fetch;
mod gate;
mod names;
mod receiver;
mod s3;
mod scan;
mod video;

/// Part of the query, the path and the password of addresses in these tests; must not appear in any error.
const SECRET: &str = "hunter2";
