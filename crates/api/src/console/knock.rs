//! What somebody sends who is not in yet.

use super::cookie;
use crate::{
    Api,
    http::{body, json},
    moderation::{Code, Problem},
};
use axum::extract::{FromRequest, Request};
use serde::de::DeserializeOwned;

/// A link or an address.
const MAX_BODY_BYTES: usize = 16 << 10;

/// A body that a page of the console sent.
pub(super) struct Knock<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Api> for Knock<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        if !cookie::is_console(&parts.headers) {
            return Err(Problem::new(Code::Unauthorized, "this is for the console's own pages"));
        }
        let patience = api.settings.body_timeout;
        let raw = body::read(&parts.headers, body, MAX_BODY_BYTES, patience, "send less at once").await?;
        Ok(Self(json::parse(if raw.is_empty() { b"{}" } else { &raw })?))
    }
}
