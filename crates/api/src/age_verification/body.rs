//! Request bodies, read whole and up to a limit.

use super::{AgeApiError, AgeErrorCode};
use crate::{
    ApiState,
    http::{
        body, header_text,
        idempotency::{self, RequestFingerprint, operation_of},
        is_json, json,
    },
};
use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use base::AppId;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// The longest body, unless the operation takes pictures.
const MAX_BODY_BYTES: usize = 256 << 10;
/// The longest body of a turn: a photo in base64, with two dozen frames.
pub(super) const MAX_TURN_BODY_BYTES: usize = 24 << 20;

/// A body that was read whole, with what is needed to recognise a repeat of its request. An empty body is read as `{}`.
pub(crate) struct RequestBody<const MAX_BYTES: usize = MAX_BODY_BYTES> {
    headers: HeaderMap,
    bytes: Bytes,
    operation: String,
}

/// A body whose `Content-Type` is `application/json`; others are refused.
pub(crate) struct DeclaredJsonBody<const MAX_BYTES: usize = MAX_BODY_BYTES>(
    pub(super) RequestBody<MAX_BYTES>,
);

/// A JSON body, read into a type.
pub(crate) struct JsonBody<T>(pub(super) T);

/// A form, read into a type of text members. A field that was sent twice is left out.
pub(crate) struct FormBody<T>(pub(super) T);

impl<const MAX_BYTES: usize> FromRequest<ApiState> for RequestBody<MAX_BYTES> {
    type Rejection = AgeApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, AgeApiError> {
        let (parts, body) = request.into_parts();
        let bytes = body::read(api, &parts, None, body, MAX_BYTES, "send less at once").await?;
        Ok(Self { operation: operation_of(&parts), headers: parts.headers, bytes })
    }
}

impl<const MAX_BYTES: usize> FromRequest<ApiState> for DeclaredJsonBody<MAX_BYTES> {
    type Rejection = AgeApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, AgeApiError> {
        if header_text(request.headers(), &header::CONTENT_TYPE).is_none() {
            let words = "the header Content-Type is missing";
            return Err(AgeApiError::new(AgeErrorCode::InvalidRequest, words));
        }
        if !is_json(request.headers()) {
            let words = "the header Content-Type is application/json";
            return Err(AgeApiError::new(AgeErrorCode::UnsupportedMediaType, words));
        }
        RequestBody::from_request(request, api).await.map(Self)
    }
}

impl<T: DeserializeOwned> FromRequest<ApiState> for JsonBody<T> {
    type Rejection = AgeApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, AgeApiError> {
        let body: RequestBody = RequestBody::from_request(request, api).await?;
        body.json().map(Self)
    }
}

impl<T: DeserializeOwned> FromRequest<ApiState> for FormBody<T> {
    type Rejection = AgeApiError;

    async fn from_request(request: Request, api: &ApiState) -> Result<Self, AgeApiError> {
        let body: RequestBody = RequestBody::from_request(request, api).await?;
        let mut fields: BTreeMap<String, Option<String>> = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(&body.bytes).into_owned() {
            fields.entry(name).and_modify(|value| *value = None).or_insert(Some(value));
        }
        fields.retain(|_, value| value.is_some());
        let object = serde_json::to_vec(&fields).map_err(|error| AgeApiError::internal(&error))?;
        Ok(Self(json::parse(&object)?))
    }
}

impl<const MAX_BYTES: usize> RequestBody<MAX_BYTES> {
    /// The body; `{}` if it is empty.
    pub(super) fn json_bytes(&self) -> &[u8] {
        if self.bytes.is_empty() { b"{}" } else { &self.bytes }
    }

    pub(super) fn into_bytes(self) -> Bytes {
        self.bytes
    }

    pub(super) fn json<T: DeserializeOwned>(&self) -> Result<T, AgeApiError> {
        Ok(json::parse(self.json_bytes())?)
    }

    pub(super) fn idempotency_key(&self) -> Result<Option<String>, AgeApiError> {
        idempotency::idempotency_key(&self.headers)
    }

    /// What a repeat of this request is recognised by.
    pub(super) fn fingerprint<'a>(&'a self, app: AppId, key: Option<&'a str>) -> RequestFingerprint<'a> {
        let actor = format!("application:{app}");
        RequestFingerprint { app, account: None, operation: &self.operation, key, body: &self.bytes, actor }
    }
}
