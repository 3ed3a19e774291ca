//! Bodies, read up to a limit.

use super::header_text;
use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, header},
};
use base::LimitViolation;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use std::time::Duration;

/// Why a body was not read.
#[derive(Clone, Debug)]
pub(crate) enum BodyError {
    /// It is longer than the limit; with what was measured, if its length was announced.
    TooLarge(Option<LimitViolation>),
    /// It broke off, or did not arrive in time.
    Broken(&'static str),
}

/// Reads what arrives of a body, until it breaks off or `timeout` is over; `Err` only if it is longer than `limit`.
pub(crate) async fn read_available(
    body: Body,
    limit: usize,
    timeout: Duration,
) -> Result<Vec<u8>, BodyError> {
    let (mut body, until) = (Limited::new(body, limit), tokio::time::Instant::now() + timeout);
    let mut read = Vec::new();
    loop {
        match tokio::time::timeout_at(until, body.frame()).await {
            Ok(Some(Ok(frame))) => read.extend(frame.into_data().unwrap_or_default()),
            Ok(Some(Err(error))) if error.is::<LengthLimitError>() => return Err(BodyError::TooLarge(None)),
            Ok(None | Some(Err(_))) | Err(_) => return Ok(read),
        }
    }
}

/// Reads a body of at most `limit` bytes, which must arrive within `timeout`; a longer one is refused before it is in
/// memory.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
    timeout: Duration,
    hint: &'static str,
) -> Result<Bytes, BodyError> {
    let announced =
        header_text(headers, &header::CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    if let Some(bytes) = announced.filter(|bytes| *bytes > limit as u64) {
        let measured = LimitViolation::new(bytes as f64, format!("at most {limit} bytes"), hint);
        return Err(BodyError::TooLarge(Some(measured)));
    }
    match tokio::time::timeout(timeout, Limited::new(body, limit).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge(None)),
        Ok(Err(_)) => Err(BodyError::Broken("the body broke off")),
        Err(_) => Err(BodyError::Broken("the body did not arrive in time")),
    }
}
