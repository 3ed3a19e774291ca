//! What all interfaces share. Nothing here depends on one interface: each defines its own error table and messages.

pub(crate) mod auth;
pub(crate) mod body;
mod brand;
mod client_error_report;
mod device_metadata;
pub(crate) mod error;
pub(crate) mod idempotency;
pub(crate) mod json;
pub(crate) mod multipart;
pub(crate) mod openapi;
pub(crate) mod operations;
pub(crate) mod pagination;
pub(crate) mod panic;
pub(crate) mod request_context;
pub(crate) mod security_headers;
pub(crate) mod virtual_hosts;

pub use brand::{Brand, BrandError};
pub(crate) use client_error_report::{ClientErrorReport, log_client_error};
pub(crate) use device_metadata::read_device_metadata;
pub(crate) use error::{ApiError, ErrorTable};

use axum::http::{HeaderMap, HeaderName};

/// A header as text; `None` if it is absent or not text.
pub(crate) fn header_text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
