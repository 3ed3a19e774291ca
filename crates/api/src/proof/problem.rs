//! How the proof-of-age interface says no.

use crate::{
    Api,
    guard::{Allowance, NoBearer},
    system,
    wire::{BadBody, ErrorCode, RequestId, body::Unread, codes, refusals},
};
use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use base::{Measured, Uuid};
use domain::{Invalid, proof::NoAnswer};
use std::{borrow::Cow, sync::Arc, time::Duration};
use utoipa::{
    IntoResponses, ToSchema,
    openapi::{RefOr, response::Response as Described},
};

codes! {
    /// A row of the proof-of-age interface's error table.
    pub enum Code;
    MalformedPayload => BAD_REQUEST "MALFORMED_PAYLOAD",
    InvalidToken => UNAUTHORIZED "INVALID_TOKEN",
    FeatureDisabled => FORBIDDEN "FEATURE_DISABLED",
    InsufficientScope => FORBIDDEN "INSUFFICIENT_SCOPE",
    NotFound => NOT_FOUND "NOT_FOUND",
    IdempotencyKeyReused => CONFLICT "IDEMPOTENCY_KEY_REUSED",
    PayloadTooLarge => PAYLOAD_TOO_LARGE "PAYLOAD_TOO_LARGE",
    UnprocessableEntry => UNPROCESSABLE_ENTITY "UNPROCESSABLE_ENTRY",
    TooManyRequests => TOO_MANY_REQUESTS "TOO_MANY_REQUESTS",
    SystemError => INTERNAL_SERVER_ERROR "SYSTEM_ERROR",
    SystemUnavailable => SERVICE_UNAVAILABLE "SYSTEM_UNAVAILABLE",
}

/// A refusal. Its body carries the id of the request, which [`render`] knows.
#[derive(Clone, Debug)]
pub(crate) struct Problem(Arc<Said>);

#[derive(Debug)]
struct Said {
    code: Code,
    message: Cow<'static, str>,
    measured: Option<Measured>,
    retry_after: Option<Duration>,
}

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct Error<'a> {
    /// The id of the request, as in `X-Request-Id`.
    id: Uuid,
    /// The HTTP status.
    #[schema(example = 422)]
    status: u16,
    /// A row of the interface's error table.
    #[schema(value_type = String, example = "UNPROCESSABLE_ENTRY")]
    error: &'a str,
    /// What went wrong, for a developer; names the path of the member.
    #[schema(value_type = String)]
    message: &'a str,
    /// What was measured, where a limit was broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<f64>,
    /// The limit, in words and numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'a str>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    hint: Option<&'a str>,
}

impl Problem {
    pub(super) fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self::said(code, message.into(), None, None)
    }

    fn said(
        code: Code,
        message: Cow<'static, str>,
        measured: Option<Measured>,
        retry_after: Option<Duration>,
    ) -> Self {
        Self(Arc::new(Said { code, message, measured, retry_after }))
    }

    pub(super) fn measured(
        code: Code,
        message: impl Into<Cow<'static, str>>,
        measured: Option<Measured>,
    ) -> Self {
        Self::said(code, message.into(), measured, None)
    }

    /// Not now; the cause is logged once, here.
    pub(super) fn unavailable(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::warn!(error, "temporarily unavailable");
        let words = Cow::Borrowed("temporarily unavailable, try again");
        Self::said(Code::SystemUnavailable, words, None, Some(Duration::from_secs(1)))
    }

    fn too_many(allowance: Allowance) -> Self {
        let words = format!("at most {} calls at once, and then evenly", allowance.limit);
        let measured = Measured::new(0.0, words, "wait as long as Retry-After says");
        let message = Cow::Borrowed("the application calls too often");
        Self::said(Code::TooManyRequests, message, Some(measured), Some(allowance.reset))
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.0.code.status().into_response();
        response.extensions_mut().insert(ErrorCode(self.0.code.as_str()));
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes the bodies of refusals, with the id of their request.
pub(super) async fn render(State(api): State<Api>, request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().map_or_else(|| api.world.uuid(), |id| id.0);
    written(id, next.run(request).await)
}

/// Nothing is here.
pub(crate) fn not_found(id: Uuid) -> Response {
    let words = "there is no such endpoint; the reference is at /reference";
    written(id, Problem::new(Code::NotFound, words).into_response())
}

/// A handler panicked: an answer and a log line, never a dropped connection.
#[expect(clippy::needless_pass_by_value, reason = "the layer hands the cause over")]
pub(super) fn panicked(cause: Box<dyn std::any::Any + Send>) -> Response {
    system::note_panic(&*cause);
    let words = "internal error; the log has it under this answer's X-Request-Id";
    Problem::new(Code::SystemError, words).into_response()
}

fn written(id: Uuid, response: Response) -> Response {
    let Some(Problem(said)) = response.extensions().get::<Problem>().cloned() else { return response };
    let measured = said.measured.as_ref();
    let body = Error {
        id,
        status: said.code.status().as_u16(),
        error: said.code.as_str(),
        message: &said.message,
        measured: measured.map(|m| m.measured),
        limit: measured.map(|m| m.limit.as_str()),
        hint: measured.map(|m| m.hint),
    };
    let mut rendered = (said.code.status(), Json(body)).into_response();
    if let Some(wait) = said.retry_after {
        let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
        rendered.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if said.code == Code::InvalidToken {
        rendered.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    *rendered.extensions_mut() = response.into_parts().0.extensions;
    rendered
}

impl From<NoBearer> for Problem {
    fn from(no: NoBearer) -> Self {
        match no {
            NoBearer::Missing => Self::new(Code::InvalidToken, "no bearer token was sent"),
            NoBearer::Invalid => Self::new(Code::InvalidToken, "the bearer token is unknown or has expired"),
            NoBearer::Scope(scope) => {
                Self::new(Code::InsufficientScope, format!("the token lacks the scope {scope}"))
            }
            NoBearer::Feature(scope) => {
                Self::new(Code::FeatureDisabled, format!("the application may not use {}", scope.feature()))
            }
            NoBearer::TooMany(allowance) => Self::too_many(allowance),
            NoBearer::Db(error) => Self::unavailable(&error),
        }
    }
}

impl From<BadBody> for Problem {
    fn from(bad: BadBody) -> Self {
        match bad {
            BadBody::Syntax(words) => Self::new(Code::MalformedPayload, words),
            BadBody::Member(words) => Self::new(Code::MalformedPayload, words),
        }
    }
}

impl From<Unread> for Problem {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::TooLarge(measured) => {
                Self::measured(Code::PayloadTooLarge, "the body is too large", measured)
            }
            Unread::Broken(words) => Self::new(Code::MalformedPayload, words),
        }
    }
}

impl From<Invalid> for Problem {
    fn from(invalid: Invalid) -> Self {
        Self::measured(Code::UnprocessableEntry, invalid.to_string(), invalid.measured)
    }
}

impl From<NoAnswer> for Problem {
    fn from(no: NoAnswer) -> Self {
        Self::unavailable(&no)
    }
}

impl From<db::DbError> for Problem {
    fn from(error: db::DbError) -> Self {
        Self::unavailable(&error)
    }
}

impl IntoResponses for Problem {
    fn responses() -> std::collections::BTreeMap<String, RefOr<Described>> {
        refusals(Code::ALL.iter().map(|code| (code.status(), code.as_str())), "error")
    }
}
