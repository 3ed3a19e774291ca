//! How the moderation interface says no.

use crate::{
    guard::Allowance,
    system,
    wire::{BadBody, ErrorCode, body::Unread, codes, refusals},
};
use axum::{
    Json,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use base::Measured;
use domain::Invalid;
use std::{borrow::Cow, time::Duration};
use utoipa::{
    IntoResponses, ToSchema,
    openapi::{RefOr, response::Response as Described},
};

codes! {
    /// A row of the moderation interface's error table.
    pub enum Code;
    InvalidRequest => BAD_REQUEST "INVALID_REQUEST",
    Unauthorized => UNAUTHORIZED "UNAUTHORIZED",
    NotFound => NOT_FOUND "NOT_FOUND",
    DuplicateAccountName => CONFLICT "DUPLICATE_ACCOUNT_NAME",
    Conflict => CONFLICT "CONFLICT",
    LastAdministrator => CONFLICT "LAST_ADMINISTRATOR",
    IdempotencyKeyReused => CONFLICT "IDEMPOTENCY_KEY_REUSED",
    PayloadTooLarge => PAYLOAD_TOO_LARGE "PAYLOAD_TOO_LARGE",
    TooManyAccounts => UNPROCESSABLE_ENTITY "TOO_MANY_ACCOUNTS",
    ContentUnreachable => UNPROCESSABLE_ENTITY "CONTENT_UNREACHABLE",
    PageOutOfRange => UNPROCESSABLE_ENTITY "PAGE_OUT_OF_RANGE",
    FaceRefused => UNPROCESSABLE_ENTITY "FACE_REFUSED",
    TooManyRequests => TOO_MANY_REQUESTS "TOO_MANY_REQUESTS",
    InternalError => INTERNAL_SERVER_ERROR "INTERNAL_ERROR",
    Unavailable => SERVICE_UNAVAILABLE "UNAVAILABLE",
}

/// A refusal.
#[derive(Debug)]
pub(crate) struct Problem {
    code: Code,
    message: Cow<'static, str>,
    errors: Vec<Wrong>,
    retry_after: Option<Duration>,
}

/// What is wrong with one member of the request.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(crate) struct Wrong {
    /// The member's path, as `notifications.web_destinations[1]`, or the parameter's name.
    property: String,
    /// What is wrong with it.
    message: String,
    /// What was measured, where a limit was broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<f64>,
    /// The limit, in words and numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
}

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct Error<'a> {
    /// A row of the interface's error table.
    #[schema(value_type = String, example = "NOT_FOUND")]
    code: &'a str,
    /// What went wrong, for a developer.
    #[schema(value_type = String)]
    message: &'a str,
    /// The members of the request that are wrong.
    #[serde(skip_serializing_if = "<[Wrong]>::is_empty")]
    #[schema(value_type = Option<Vec<Wrong>>)]
    errors: &'a [Wrong],
}

impl Problem {
    pub(crate) fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), errors: Vec::new(), retry_after: None }
    }

    /// A member of the request that cannot be used.
    pub(crate) fn wrong(property: impl Into<String>, message: impl Into<String>) -> Self {
        Self::refused(Code::InvalidRequest, property, message, None)
    }

    /// A member that breaks a limit.
    pub(crate) fn measured(
        property: impl Into<String>,
        message: impl Into<String>,
        measured: Measured,
    ) -> Self {
        Self::refused(Code::InvalidRequest, property, message, Some(measured))
    }

    /// A member that is refused under a code of its own.
    pub(super) fn refused(
        code: Code,
        property: impl Into<String>,
        message: impl Into<String>,
        measured: Option<Measured>,
    ) -> Self {
        let (property, message) = (property.into(), message.into());
        let whole = format!("{property}: {message}");
        let (measured, limit) = measured.map_or((None, None), |m| (Some(m.measured), Some(m.limit)));
        let errors = vec![Wrong { property, message, measured, limit }];
        Self { code, message: whole.into(), errors, retry_after: None }
    }

    /// There is no such thing, or it is somebody else's.
    pub(crate) fn missing(what: &str) -> Self {
        Self::new(Code::NotFound, format!("there is no such {what}"))
    }

    /// Not now; the cause is logged once, here.
    pub(crate) fn unavailable(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::warn!(error, "temporarily unavailable");
        let problem = Self::new(Code::Unavailable, "temporarily unavailable, try again");
        Self { retry_after: Some(Duration::from_secs(1)), ..problem }
    }

    pub(crate) fn too_many(allowance: Allowance) -> Self {
        let words = format!(
            "the application calls too often: at most {} calls at once, and then evenly",
            allowance.limit
        );
        Self { retry_after: Some(allowance.reset), ..Self::new(Code::TooManyRequests, words) }
    }
}

impl Problem {
    /// Everybody together asks too often.
    pub(crate) fn too_many_of_all(wait: Duration) -> Self {
        let words = "too many people ask at once; try again in a moment";
        Self { retry_after: Some(wait), ..Self::new(Code::TooManyRequests, words) }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = Error { code: self.code.as_str(), message: &self.message, errors: &self.errors };
        let mut response = (self.code.status(), Json(body)).into_response();
        response.extensions_mut().insert(ErrorCode(self.code.as_str()));
        if let Some(wait) = self.retry_after {
            let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// Nothing is here.
pub(crate) fn not_found() -> Response {
    Problem::new(Code::NotFound, "there is no such endpoint; the reference is at /reference").into_response()
}

/// A handler panicked: an answer and a log line, never a dropped connection.
#[expect(clippy::needless_pass_by_value, reason = "the layer hands the cause over")]
pub(crate) fn panicked(cause: Box<dyn std::any::Any + Send>) -> Response {
    system::note_panic(&*cause);
    let words = "internal error; the log has it under this answer's X-Request-Id";
    Problem::new(Code::InternalError, words).into_response()
}

impl From<BadBody> for Problem {
    fn from(bad: BadBody) -> Self {
        match bad {
            BadBody::Syntax(words) => Self::new(Code::InvalidRequest, words),
            BadBody::Member(words) => match words.split_once(": ") {
                Some((property, message)) => Self::wrong(property, message),
                None => Self::new(Code::InvalidRequest, words),
            },
        }
    }
}

impl From<Unread> for Problem {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::TooLarge(measured) => {
                Self::refused(Code::PayloadTooLarge, "body", "it is too large", measured)
            }
            Unread::Broken(words) => Self::new(Code::InvalidRequest, words),
        }
    }
}

impl From<Invalid> for Problem {
    fn from(invalid: Invalid) -> Self {
        Self::refused(Code::InvalidRequest, invalid.path, invalid.words, invalid.measured)
    }
}

impl From<db::DbError> for Problem {
    fn from(error: db::DbError) -> Self {
        Self::unavailable(&error)
    }
}

impl IntoResponses for Problem {
    fn responses() -> std::collections::BTreeMap<String, RefOr<Described>> {
        refusals(Code::ALL.iter().map(|code| (code.status(), code.as_str())), "code")
    }
}
