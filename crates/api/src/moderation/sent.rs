//! What was sent: bodies, path ids and page numbers, in this interface's words.

use super::{Problem, caller::Caller};
use crate::{
    Api,
    http::{
        body, header_text,
        idempotency::{self, RequestIdentity},
        json,
        pagination::Page,
    },
};
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::{header, request::Parts},
};
use serde::de::DeserializeOwned;

/// Room for a face of ten megabytes in base64.
const MAX_BODY_BYTES: usize = 16 << 20;

/// A caller and his body, read as JSON whatever its Content-Type says.
pub(crate) struct Sent<T> {
    pub(super) caller: Caller,
    pub(super) body: T,
    raw: Bytes,
    content_type: Option<String>,
    operation: String,
    idempotency_key: Option<String>,
}

impl<T: DeserializeOwned> FromRequest<Api> for Sent<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let caller = Caller::from_request_parts(&mut parts, api).await?;
        let idempotency_key = idempotency::key(&parts.headers)?;
        let patience = api.settings.body_timeout;
        let raw = body::read(&parts.headers, body, MAX_BODY_BYTES, patience, "send less at once").await?;
        // Operations that need no member take no body as well as an empty one.
        let body = json::parse(if raw.is_empty() { b"{}" } else { &raw })?;
        let content_type = header_text(&parts.headers, &header::CONTENT_TYPE).map(str::to_owned);
        let operation = format!("{} {}", parts.method, parts.uri.path());
        Ok(Self { caller, body, raw, content_type, operation, idempotency_key })
    }
}

impl<T> Sent<T> {
    /// For the operations whose document allows one Content-Type only.
    pub(super) fn insist_on_json(&self) -> Result<(), Problem> {
        let kind = self.content_type.as_deref().and_then(|kind| kind.split(';').next()).unwrap_or_default();
        if kind.trim().eq_ignore_ascii_case("application/json") {
            return Ok(());
        }
        Err(Problem::violation("Content-Type", "it must be application/json"))
    }

    /// What a repeat of this request is known by.
    pub(super) fn identity(&self) -> RequestIdentity<'_> {
        RequestIdentity {
            app: self.caller.0.app,
            account: self.operation.split('/').nth(2).and_then(|id| id.parse().ok()),
            operation: &self.operation,
            key: self.idempotency_key.as_deref(),
            body: &self.raw,
        }
    }
}

/// The ids in a path. Text that is no id names nothing.
pub(crate) struct Ids<T>(pub(super) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Api> for Ids<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        // Whoever is nobody learns of paths nothing.
        Caller::from_request_parts(parts, api).await?;
        let Path(ids) =
            Path::from_request_parts(parts, api).await.map_err(|_| Problem::missing("resource"))?;
        Ok(Self(ids))
    }
}

impl FromRequestParts<Api> for Page {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let parameters = Parameter::from_request_parts(parts, api).await?;
        Ok(Self::read(parameters.get("page"))?)
    }
}

/// The parameters of a query string, as text.
pub(crate) struct Parameter(Vec<(String, String)>);

impl Parameter {
    /// One of them; the last where it stands there twice.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }
}

impl FromRequestParts<Api> for Parameter {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let Query(pairs) = Query::from_request_parts(parts, api)
            .await
            .map_err(|error| Problem::violation("query", error.body_text()))?;
        Ok(Self(pairs))
    }
}
