//! Organisations, their applications, and what those sign and call with.

pub mod api_keys;
pub mod application_status;
pub mod applications;
pub mod calling_application;
pub mod nonces;
pub mod organisations;
pub mod public_keys;
pub mod signed_request;
pub mod tokens;

use crate::wire_enum::wire_enum;

wire_enum! {
    /// Whether an organisation's calls are answered.
    pub enum OrganisationStatus {
        /// Yes.
        Active => "ACTIVE",
        /// No: every call of its applications is refused.
        Suspended => "SUSPENDED",
    }
}

wire_enum! {
    /// Whether an application's calls are answered.
    pub enum ApplicationState {
        /// Yes.
        Enabled => "ENABLED",
        /// No.
        Disabled => "DISABLED",
    }
}

wire_enum! {
    /// An interface that an application may use.
    pub enum Feature {
        /// Faces in images, video and live video.
        Moderation => "moderation",
        /// Age and liveness from one image.
        ImageAi => "image-ai",
        /// Proofs of age scanned at a till.
        ProofOfAge => "proof-of-age",
        /// Identity documents in sessions.
        Identity => "identity",
        /// Age verification sessions.
        Ages => "ages",
    }
}

impl Feature {
    /// Every interface: what an application may use unless its operator says otherwise.
    pub const ALL: [Self; 5] =
        [Self::Moderation, Self::ImageAi, Self::ProofOfAge, Self::Identity, Self::Ages];
}

/// Why a change to a tenant was refused.
#[derive(Debug, thiserror::Error)]
pub enum TenancyError {
    /// There is no such thing, or it is not the caller's.
    #[error("there is no {0}")]
    NotFound(String),
    /// The key is none that requests can be signed with.
    #[error("the public key cannot be used: {0}")]
    Key(#[from] public_keys::InvalidPublicKeyError),
    /// A name that is empty or longer than 200 characters.
    #[error("a name has 1 to 200 characters, this one {0}")]
    Name(usize),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] db::DbError),
}

/// Checks a name that people give to things.
fn validate_name(text: &str) -> Result<&str, TenancyError> {
    let text = text.trim();
    let length = text.chars().count();
    if (1..=200).contains(&length) { Ok(text) } else { Err(TenancyError::Name(length)) }
}

/// One changed row, or the thing is missing.
fn ensure_found(rows: u64, what: impl std::fmt::Display) -> Result<(), TenancyError> {
    if rows == 0 { Err(TenancyError::NotFound(what.to_string())) } else { Ok(()) }
}
