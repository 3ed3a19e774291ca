//! The interfaces on the wire: whole requests, whole answers, real models, on whichever database the run is for.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod age_verification;
mod authorisation_matrix;
mod content_moderation;
mod credential_matrix;
mod document_verification;
mod error_table;
mod image_analysis;
mod image_error_table;
mod members_and_accounts;
mod oauth_tokens;
mod openapi_documents;
mod profiles;
mod proof_of_age;
mod quotas_and_hosts;
mod request_spans;
mod secure_capture;
mod system;
