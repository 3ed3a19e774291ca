//! The interfaces on the wire: whole requests, whole answers, real models, on whichever database the run is for.
//!
//! The tests of an operation stand where the operation does: those of `crates/api/src/<interface>/<resource>/<operation>.rs`
//! in `<interface>/<resource>/<operation>.rs` here. What crosses operations has a file of its own beside them, named after
//! what it tells: `end_to_end.rs`, `retention.rs`, `authorisation_matrix.rs`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[macro_use]
mod response_snapshots;

mod age_verification;
mod audit_trail;
mod captured_log;
mod console;
mod content_moderation;
mod credential_matrix;
mod deliveries;
mod document_verification;
mod erasure;
mod http;
mod image_analysis;
mod limits;
mod oauth;
mod openapi_documents;
mod proof_of_age;
mod sealed_texts;
mod system;
mod tenants;
