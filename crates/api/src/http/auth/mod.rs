//! Authentication and rate limits. A handler that takes no caller is open to everyone.

pub(crate) mod bearer;
mod geo;
mod rate_limit;
pub(crate) mod session_cookie;
pub(crate) mod signature;

pub(crate) use bearer::BearerError;
pub use geo::{GeoError, GeoLocator, GeoSettings};
pub(crate) use rate_limit::{
    CallCountError, RateLimitError, count_application, count_end_user, count_stranger,
};
pub use rate_limit::{RateLimit, RateLimitAllowance};
pub use signature::SignatureGuard;
pub(crate) use signature::{SignatureAuthError, authenticate_signature};
