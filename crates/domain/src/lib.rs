//! The rules of Assay and their SQL, by subject. No HTTP: the interfaces decide how a refusal looks on the wire.

mod account_tables;
pub mod accounts;
pub mod age_verification;
pub mod audit;
pub mod audit_trail;
pub mod content_moderation;
mod creation_range;
pub mod data_keys;
pub mod delivery;
mod device_metadata;
pub mod document_verification;
pub mod erasure_keys;
pub mod erasure_replay;
pub mod faces;
pub mod idempotency;
pub mod image_analysis;
pub mod jwk;
pub mod keyring;
pub mod mail;
pub mod maintenance;
pub mod master_key;
pub mod proof_of_age;
pub mod retention;
pub mod sealed_texts;
pub mod secure_capture;
pub mod signing_keys;
pub mod tenancy;
pub mod vault;
mod violation;
mod wire_enum;

pub use account_tables::account_tables;
pub use creation_range::CreationRange;
pub use device_metadata::DeviceMetadata;
pub use violation::Violation;
pub use wire_enum::UnknownVariantError;
