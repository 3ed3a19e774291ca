//! What all interfaces share, tried on one of them.

mod auth;
mod brand;
mod device_metadata;
mod request_context;
mod security_headers;
mod virtual_hosts;

pub(crate) use auth::late_body;

use serde_json::json;
use testkit::SignedCall;

/// A signed call without an image.
pub(crate) fn call() -> SignedCall {
    SignedCall::post("/ai/v1/age").json(&json!({}))
}

/// What an accepted signature gets: the missing image is the first thing that is wrong with `{}`.
const PASSED: &str = "400 IMAGE_NOT_PROVIDED";
