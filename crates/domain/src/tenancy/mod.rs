//! Organisations, their applications, and the keys and tokens that applications call with.

pub mod api_keys;
pub mod application_status;
pub mod applications;
pub mod calling_application;
pub mod limits;
pub mod nonces;
pub mod organisations;
pub mod public_keys;
pub mod signed_request;
#[cfg(test)]
pub(crate) mod testing;
pub mod tokens;

use crate::wire_enum::wire_enum;

wire_enum! {
    /// Whether an organisation is served.
    pub enum OrganisationStatus {
        /// Its applications are served.
        Active => "ACTIVE",
        /// Every call of its applications is refused.
        Suspended => "SUSPENDED",
    }
}

wire_enum! {
    /// Whether an application is served.
    pub enum ApplicationState {
        Enabled => "ENABLED",
        /// Every call is refused.
        Disabled => "DISABLED",
    }
}

wire_enum! {
    /// An interface that an application may use.
    pub enum Feature {
        /// Content moderation: faces in images, videos and live videos.
        Moderation => "moderation",
        /// Image analysis: age and liveness from one image.
        ImageAi => "image-ai",
        /// Proofs of age that are scanned, for example at a till.
        ProofOfAge => "proof-of-age",
        /// Document verification sessions.
        Identity => "identity",
        /// Age verification sessions.
        Ages => "ages",
    }
}

impl Feature {
    /// Every interface; the default for a new application.
    pub const ALL: [Self; 5] =
        [Self::Moderation, Self::ImageAi, Self::ProofOfAge, Self::Identity, Self::Ages];
}

/// Why a change to a tenant was refused.
#[derive(Debug, thiserror::Error)]
pub enum TenancyError {
    /// It does not exist, or belongs to another application; the text says what.
    #[error("there is no {0}")]
    NotFound(String),
    /// The public key cannot be used to verify requests.
    #[error("the public key cannot be used: {0}")]
    Key(#[from] public_keys::InvalidPublicKeyError),
    /// The application has as many public keys as it may; how many.
    #[error(
        "the application has {0} public keys; at most {max} are taken; revoke one first",
        max = public_keys::MAX_PUBLIC_KEYS
    )]
    TooManyPublicKeys(i64),
    /// A name is empty or longer than 200 characters; its length.
    #[error("a name has 1 to 200 characters, this one {0}")]
    Name(usize),
    #[error(transparent)]
    Db(#[from] db::DbError),
}

/// Trims and checks a name that an operator gives.
fn validate_name(text: &str) -> Result<&str, TenancyError> {
    let text = text.trim();
    let length = text.chars().count();
    if (1..=200).contains(&length) { Ok(text) } else { Err(TenancyError::Name(length)) }
}

/// `NotFound` if no row was changed.
fn ensure_found(rows: u64, what: impl std::fmt::Display) -> Result<(), TenancyError> {
    if rows == 0 { Err(TenancyError::NotFound(what.to_string())) } else { Ok(()) }
}
