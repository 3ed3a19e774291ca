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
pub(crate) mod routes;
pub(crate) mod security_headers;
pub(crate) mod virtual_hosts;

pub use brand::{Brand, BrandError};
pub(crate) use client_error_report::{ClientErrorReport, log_client_error};
pub(crate) use device_metadata::read_device_metadata;
pub(crate) use error::{ApiError, ErrorTable};

use axum::http::{HeaderMap, HeaderName, header};

/// A header as text; `None` if it is absent or not text.
pub(crate) fn header_text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether the body is declared as JSON, with any parameters.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let kind = header_text(headers, &header::CONTENT_TYPE).and_then(|kind| kind.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn json_is_one_media_type_with_any_parameters() {
        let declared = |kind: &str| {
            is_json(&HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_str(kind).unwrap())]))
        };
        for kind in ["application/json", " Application/JSON ; charset=utf-8", "application/json;"] {
            assert!(declared(kind), "{kind}");
        }
        for kind in ["", "application/jsonl", "text/json", "text/plain; application/json"] {
            assert!(!declared(kind), "{kind}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }
}
