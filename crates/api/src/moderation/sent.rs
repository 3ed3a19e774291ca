//! What was sent: bodies, path ids and page numbers, in this interface's words.

use super::{Code, Problem, caller::Caller};
use crate::{
    Api,
    wire::{
        body,
        once::{self, Asked, Begun, Once},
        parse, text,
    },
};
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::{header, request::Parts},
    response::Response,
};
use base::Measured;
use db::Tx;
use serde::de::DeserializeOwned;

/// Room for a face of ten megabytes in base64.
const MOST_BYTES: usize = 16 << 20;

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
        let idempotency_key =
            once::key(&parts.headers).map_err(|words| Problem::wrong("Idempotency-Key", words))?;
        let patience = api.settings.body_timeout;
        let raw = body::read(&parts.headers, body, MOST_BYTES, patience, "send less at once").await?;
        // Operations that need no member take no body as well as an empty one.
        let body = parse(if raw.is_empty() { b"{}" } else { &raw })?;
        let content_type = text(&parts.headers, &header::CONTENT_TYPE).map(str::to_owned);
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
        Err(Problem::wrong("Content-Type", "it must be application/json"))
    }

    /// Holds a place for the answer where an `Idempotency-Key` came; `Err` with the answer where it was given before.
    pub(super) async fn once(&self, api: &Api, tx: &mut Tx) -> Result<Result<Once, Response>, Problem> {
        let asked = Asked {
            app: self.caller.0.app,
            account: self.operation.split('/').nth(2).and_then(|id| id.parse().ok()),
            operation: &self.operation,
            key: self.idempotency_key.as_deref(),
            body: &self.raw,
        };
        match once::begin(api, tx, asked).await? {
            Begun::New(once) => Ok(Ok(once)),
            Begun::Answered(answer) => Ok(Err(answer)),
            Begun::OtherBody => {
                let words = "the Idempotency-Key was used with another body; use a new one for each request";
                Err(Problem::new(Code::IdempotencyKeyReused, words))
            }
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

/// Items on a page.
pub(super) const PAGE: i64 = 20;

/// `page` of a query string, 1 by default.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page(i64);

impl Page {
    /// Items before it.
    pub(super) fn offset(self) -> i64 {
        (self.0 - 1) * PAGE
    }

    /// The page's number, from 1.
    pub(super) fn number(self) -> i64 {
        self.0
    }

    /// Refuses a page past the end of `total` items; the first page of nothing is an empty list.
    pub(super) fn within(self, total: i64) -> Result<(), Problem> {
        let last = ((total + PAGE - 1) / PAGE).max(1);
        if self.0 <= last {
            return Ok(());
        }
        let measured = Measured::new(self.0 as f64, format!("at most {last}"), "ask for a page that exists");
        Err(Problem::refused(Code::PageOutOfRange, "page", "there is no such page", Some(measured)))
    }
}

impl FromRequestParts<Api> for Page {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let parameters = Parameter::from_request_parts(parts, api).await?;
        let Some(text) = parameters.get("page") else { return Ok(Self(1)) };
        // More would overflow the offset, and there is no such list.
        let page = text.parse().ok().filter(|page| (1..=i64::from(u32::MAX)).contains(page));
        page.map(Self).ok_or_else(|| Problem::wrong("page", "it is a whole number from 1"))
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
            .map_err(|error| Problem::wrong("query", error.body_text()))?;
        Ok(Self(pairs))
    }
}
