//! The rules of Assay and their SQL, by subject. Knows no HTTP: an interface says how a refusal looks.

pub mod audit;
pub mod estimate;
pub mod keyring;
pub mod secure_capture;
pub mod tenancy;
pub mod upkeep;
mod words;

pub use words::UnknownWord;
