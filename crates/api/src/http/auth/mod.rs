//! Authentication and rate limits. A handler that takes no caller is open to everyone.

pub(crate) mod bearer;
mod caller_lookup;
mod geo;
mod rate_limit;
pub(crate) mod session_cookie;
pub(crate) mod signature;

pub(crate) use bearer::BearerError;
pub(crate) use caller_lookup::CallerLookup;
pub use geo::{GeoError, GeoLocator, GeoSettings};
pub use rate_limit::{RateLimit, RateLimitAllowance};
pub(crate) use rate_limit::{
    RateLimitError, count_application, count_console_session, count_end_user, count_stranger,
};
pub use signature::SignatureGuard;
pub(crate) use signature::{SignatureAuthError, authenticate_signature};
