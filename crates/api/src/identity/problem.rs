//! How the document verification interface says no.

use crate::{
    guard::{Allowance, NoBearer, NotProven},
    system,
    wire::{BadBody, ErrorCode, body::Unread, codes, refusals},
};
use axum::{
    Json,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use domain::{
    Invalid,
    estimate::Refusal,
    identity::NotDone,
    tenancy::{caller::NoCaller, signed_request::Refused},
};
use std::{borrow::Cow, time::Duration};
use utoipa::{
    IntoResponses, ToSchema,
    openapi::{RefOr, response::Response as Described},
};

codes! {
    /// A row of the document verification interface's error table.
    pub enum Code;
    PayloadValidation => BAD_REQUEST "PAYLOAD_VALIDATION",
    MalformedRequest => BAD_REQUEST "MALFORMED_REQUEST",
    MessageSigning => UNAUTHORIZED "MESSAGE_SIGNING",
    BadToken => UNAUTHORIZED "BAD_TOKEN",
    InsufficientPermission => FORBIDDEN "INSUFFICIENT_PERMISSION",
    AppNotFound => NOT_FOUND "APP_NOT_FOUND",
    SessionNotFound => NOT_FOUND "SESSION_NOT_FOUND",
    ResourceNotFound => NOT_FOUND "RESOURCE_NOT_FOUND",
    MediaContentNotFound => NOT_FOUND "MEDIA_CONTENT_NOT_FOUND",
    NotFound => NOT_FOUND "NOT_FOUND",
    SessionExpired => CONFLICT "SESSION_EXPIRED",
    SessionNotReady => CONFLICT "SESSION_NOT_READY",
    SessionLocked => CONFLICT "SESSION_LOCKED",
    ResourceLocked => CONFLICT "RESOURCE_LOCKED",
    ChecksNotFinished => CONFLICT "CHECKS_NOT_FINISHED",
    IdempotencyKeyReused => CONFLICT "IDEMPOTENCY_KEY_REUSED",
    PayloadTooLarge => PAYLOAD_TOO_LARGE "PAYLOAD_TOO_LARGE",
    UnsupportedMediaType => UNSUPPORTED_MEDIA_TYPE "UNSUPPORTED_MEDIA_TYPE",
    RangeNotSatisfiable => RANGE_NOT_SATISFIABLE "RANGE_NOT_SATISFIABLE",
    UnprocessableMedia => UNPROCESSABLE_ENTITY "UNPROCESSABLE_MEDIA",
    TooManyRequests => TOO_MANY_REQUESTS "TOO_MANY_REQUESTS",
    InternalError => INTERNAL_SERVER_ERROR "INTERNAL_ERROR",
    ServiceUnavailable => SERVICE_UNAVAILABLE "SERVICE_UNAVAILABLE",
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
    /// The member's path, as `requested_checks[0].config.manual_check`.
    property: String,
    /// What is wrong with it.
    message: String,
}

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct Error<'a> {
    /// A row of the interface's error table.
    #[schema(value_type = String, example = "SESSION_NOT_FOUND")]
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

    /// Members of the request that cannot be used.
    pub(super) fn wrong(property: impl Into<String>, message: impl Into<String>) -> Self {
        Self::all_wrong(vec![Wrong { property: property.into(), message: message.into() }])
    }

    fn all_wrong(errors: Vec<Wrong>) -> Self {
        let first = errors.first().map(|wrong| match wrong.property.as_str() {
            "" => wrong.message.clone(),
            property => format!("{property}: {}", wrong.message),
        });
        let message = first.unwrap_or_else(|| "the payload cannot be used".to_owned());
        Self { errors, ..Self::new(Code::PayloadValidation, message) }
    }

    /// There is no such session, or it is somebody else's.
    pub(super) fn no_session() -> Self {
        NotDone::NoSession.into()
    }

    /// Not now; the cause is logged once, here.
    pub(crate) fn unavailable(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::warn!(error, "temporarily unavailable");
        Self::busy(Duration::from_secs(1))
    }

    fn busy(wait: Duration) -> Self {
        let problem = Self::new(Code::ServiceUnavailable, "temporarily unavailable, try again");
        Self { retry_after: Some(wait), ..problem }
    }

    pub(super) fn too_many(allowance: Allowance) -> Self {
        let words = format!("you call too often: at most {} calls at once, and then evenly", allowance.limit);
        Self { retry_after: Some(allowance.reset), ..Self::new(Code::TooManyRequests, words) }
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
pub(super) fn panicked(cause: Box<dyn std::any::Any + Send>) -> Response {
    system::note_panic(&*cause);
    let words = "internal error; the log has it under this answer's X-Request-Id";
    Problem::new(Code::InternalError, words).into_response()
}

impl From<NotDone> for Problem {
    fn from(not: NotDone) -> Self {
        let words = not.to_string();
        let code = match not {
            NotDone::NoSession => Code::SessionNotFound,
            NotDone::Missing(_) => Code::ResourceNotFound,
            NotDone::NoMedia => Code::MediaContentNotFound,
            NotDone::Expired => Code::SessionExpired,
            NotDone::NotReady(_) => Code::SessionNotReady,
            NotDone::SessionLocked => Code::SessionLocked,
            NotDone::ResourceLocked(_) => Code::ResourceLocked,
            NotDone::ChecksNotFinished => Code::ChecksNotFinished,
            NotDone::KeyReused => Code::IdempotencyKeyReused,
            NotDone::Forbidden(_) => Code::InsufficientPermission,
            NotDone::Invalid(invalid) => return invalid.into(),
            NotDone::Unsupported(_) => Code::UnsupportedMediaType,
            NotDone::Unprocessable(_) => Code::UnprocessableMedia,
            NotDone::Blobs(error) => return Self::unavailable(&error),
            NotDone::Models(Refusal::Busy(wait)) => return Self::busy(wait),
            NotDone::Models(error) => return Self::unavailable(&error),
            NotDone::Db(error) => return Self::unavailable(&error),
        };
        Self::new(code, words)
    }
}

impl From<Vec<Invalid>> for Problem {
    fn from(invalid: Vec<Invalid>) -> Self {
        let wrong =
            invalid.into_iter().map(|one| Wrong { property: one.path.into_owned(), message: one.words });
        Self::all_wrong(wrong.collect())
    }
}

impl From<db::DbError> for Problem {
    fn from(error: db::DbError) -> Self {
        Self::unavailable(&error)
    }
}

impl From<BadBody> for Problem {
    fn from(bad: BadBody) -> Self {
        match bad {
            BadBody::Syntax(words) => Self::new(Code::MalformedRequest, words),
            BadBody::Member(words) => match words.split_once(": ") {
                Some((property, message)) => Self::wrong(property, message),
                None => Self::new(Code::PayloadValidation, words),
            },
        }
    }
}

impl From<Unread> for Problem {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::TooLarge(measured) => {
                let limit = measured.map(|measured| format!(": {}", measured.limit)).unwrap_or_default();
                Self::new(Code::PayloadTooLarge, format!("the body is too large{limit}"))
            }
            Unread::Broken(words) => Self::new(Code::MalformedRequest, words),
        }
    }
}

impl From<NotProven> for Problem {
    fn from(not: NotProven) -> Self {
        match not {
            NotProven::Caller(error) => error.into(),
            NotProven::Refused(error) => error.into(),
            NotProven::Unread(unread) => unread.into(),
            NotProven::Suspended => Self::new(Code::InsufficientPermission, "the organisation is suspended"),
            NotProven::TooMany(allowance) => Self::too_many(allowance),
            NotProven::Unavailable(error) => Self::unavailable(&*error),
        }
    }
}

impl From<NoCaller> for Problem {
    fn from(error: NoCaller) -> Self {
        let code = match &error {
            NoCaller::NotAnId | NoCaller::EmptyId => Code::MalformedRequest,
            NoCaller::NoApp => Code::AppNotFound,
            NoCaller::NoKey => Code::MessageSigning,
            NoCaller::Disabled
            | NoCaller::NoOrganisationId
            | NoCaller::NoBillingSource
            | NoCaller::NoOrganisation => Code::InsufficientPermission,
            NoCaller::Db(cause) => return Self::unavailable(cause),
        };
        Self::new(code, error.to_string())
    }
}

impl From<Refused> for Problem {
    fn from(error: Refused) -> Self {
        Self::new(Code::MessageSigning, error.to_string())
    }
}

impl From<NoBearer> for Problem {
    fn from(no: NoBearer) -> Self {
        match no {
            NoBearer::Missing => {
                Self::new(Code::MessageSigning, "the request is neither signed nor carries a token")
            }
            NoBearer::Invalid => Self::new(Code::BadToken, "the bearer token is unknown or has expired"),
            NoBearer::Scope(scope) => {
                Self::new(Code::InsufficientPermission, format!("the token lacks the scope {scope}"))
            }
            NoBearer::Feature(scope) => {
                let words = format!("the application may not use {}", scope.feature());
                Self::new(Code::InsufficientPermission, words)
            }
            NoBearer::TooMany(allowance) => Self::too_many(allowance),
            NoBearer::Db(error) => Self::unavailable(&error),
        }
    }
}

impl IntoResponses for Problem {
    fn responses() -> std::collections::BTreeMap<String, RefOr<Described>> {
        refusals(Code::ALL.iter().map(|code| (code.status(), code.as_str())), "code")
    }
}
