//! The rules of Assay and their SQL, by subject. Knows no HTTP: an interface says how a refusal looks.

pub mod accounts;
pub mod ages;
pub mod audit;
pub mod content;
pub mod delivery;
mod device_metadata;
pub mod estimate;
pub mod faces;
pub mod idempotency;
pub mod identity;
pub mod jwk;
pub mod keyring;
pub mod mail;
pub mod moderation;
pub mod proof;
pub mod secure_capture;
pub mod tenancy;
pub mod upkeep;
pub mod vault;
mod violation;
mod words;

pub use device_metadata::DeviceMetadata;
pub use violation::Violation;
pub use words::UnknownVariantError;
