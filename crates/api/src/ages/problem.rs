//! How the age verification interface says no.

use crate::{
    guard::{Allowance, NoBearer},
    system,
    wire::{BadBody, ErrorCode, body::Unread, codes, refusals},
};
use axum::{
    Json,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use domain::{Invalid, ages::NotDone, estimate::Refusal};
use std::{borrow::Cow, collections::BTreeMap, time::Duration};
use utoipa::{
    IntoResponses, ToSchema,
    openapi::{RefOr, response::Response as Described},
};

codes! {
    /// A row of the age verification interface's error table.
    pub enum Code;
    InvalidRequest => BAD_REQUEST "INVALID_REQUEST",
    InvalidValidationMethods => BAD_REQUEST "INVALID_VALIDATION_METHODS",
    MissingSdkId => UNAUTHORIZED "MISSING_SDK_ID",
    UnknownSdkId => UNAUTHORIZED "UNKNOWN_SDK_ID",
    InvalidApiKey => UNAUTHORIZED "INVALID_API_KEY",
    NotAllowed => FORBIDDEN "NOT_ALLOWED",
    LocationBlocked => FORBIDDEN "LOCATION_BLOCKED",
    SessionNotFound => NOT_FOUND "SESSION_NOT_FOUND",
    NotFound => NOT_FOUND "NOT_FOUND",
    InvalidStatus => CONFLICT "INVALID_STATUS",
    StaleContinuation => CONFLICT "STALE_CONTINUATION",
    ConsentRequired => CONFLICT "CONSENT_REQUIRED",
    IdempotencyKeyReused => CONFLICT "IDEMPOTENCY_KEY_REUSED",
    SessionExpired => GONE "SESSION_EXPIRED",
    SessionNotPending => GONE "SESSION_NOT_PENDING",
    PayloadTooLarge => PAYLOAD_TOO_LARGE "PAYLOAD_TOO_LARGE",
    UnsupportedMediaType => UNSUPPORTED_MEDIA_TYPE "UNSUPPORTED_MEDIA_TYPE",
    TooManyRequests => TOO_MANY_REQUESTS "TOO_MANY_REQUESTS",
    InternalError => INTERNAL_SERVER_ERROR "INTERNAL_ERROR",
    ServiceUnavailable => SERVICE_UNAVAILABLE "SERVICE_UNAVAILABLE",
}

/// Answers of an operation, by status, as its document has them.
type Responses = BTreeMap<String, RefOr<Described>>;

/// A refusal.
#[derive(Debug)]
pub(crate) struct Problem {
    code: Code,
    message: Cow<'static, str>,
    retry_after: Option<Duration>,
}

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct Error<'a> {
    /// A row of the interface's error table.
    #[schema(value_type = String, example = "SESSION_NOT_FOUND")]
    error_code: &'a str,
    /// What went wrong, for a developer.
    #[schema(value_type = String)]
    error_message: &'a str,
}

impl Problem {
    pub(crate) fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), retry_after: None }
    }

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
        let body = Error { error_code: self.code.as_str(), error_message: &self.message };
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
            NotDone::Expired => Code::SessionExpired,
            NotDone::State(_) => Code::InvalidStatus,
            NotDone::Stale => Code::StaleContinuation,
            NotDone::NoConsent => Code::ConsentRequired,
            NotDone::NotServed => Code::NotAllowed,
            NotDone::NoIssuer => Code::NotFound,
            NotDone::Invalid(invalid) => return invalid.into(),
            NotDone::Models(Refusal::Busy(wait)) => return Self::busy(wait),
            NotDone::Models(error) => return Self::unavailable(&error),
            NotDone::NoKey(_) => return Self::unavailable(&not),
            NotDone::NotSigned(error) => return Self::unavailable(&error),
            NotDone::Db(error) => return Self::unavailable(&error),
        };
        Self::new(code, words)
    }
}

impl From<Vec<Invalid>> for Problem {
    fn from(invalid: Vec<Invalid>) -> Self {
        // What is wrong with the payload as a whole is that it offers nothing.
        if let [only] = invalid.as_slice()
            && only.path.is_empty()
        {
            return Self::new(Code::InvalidValidationMethods, only.words.clone());
        }
        let words: Vec<String> = invalid.iter().map(ToString::to_string).collect();
        Self::new(Code::InvalidRequest, words.join("; "))
    }
}

impl From<db::DbError> for Problem {
    fn from(error: db::DbError) -> Self {
        Self::unavailable(&error)
    }
}

impl From<BadBody> for Problem {
    fn from(bad: BadBody) -> Self {
        Self::new(
            Code::InvalidRequest,
            match bad {
                BadBody::Syntax(words) => words.to_owned(),
                BadBody::Member(words) => words,
            },
        )
    }
}

impl From<Unread> for Problem {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::TooLarge(measured) => {
                let limit = measured.map(|measured| format!(": {}", measured.limit)).unwrap_or_default();
                Self::new(Code::PayloadTooLarge, format!("the body is too large{limit}"))
            }
            Unread::Broken(words) => Self::new(Code::InvalidRequest, words),
        }
    }
}

impl From<NoBearer> for Problem {
    fn from(no: NoBearer) -> Self {
        match no {
            NoBearer::Missing => Self::new(
                Code::InvalidApiKey,
                "the request carries no API key: Authorization: Bearer <API key>",
            ),
            NoBearer::Invalid => {
                Self::new(Code::InvalidApiKey, "the API key or token is unknown, or works no more")
            }
            NoBearer::Scope(scope) => {
                Self::new(Code::NotAllowed, format!("the key or token lacks the scope {scope}"))
            }
            NoBearer::Feature(scope) => {
                Self::new(Code::NotAllowed, format!("the application may not use {}", scope.feature()))
            }
            NoBearer::TooMany(allowance) => Self::too_many(allowance),
            NoBearer::Db(error) => Self::unavailable(&error),
        }
    }
}

/// Whoever names an application, with a key or token of it.
const BUSINESS: &[Code] =
    &[Code::MissingSdkId, Code::UnknownSdkId, Code::InvalidApiKey, Code::NotAllowed, Code::TooManyRequests];
/// Whoever has the address of a session.
const PERSON: &[Code] = &[
    Code::MissingSdkId,
    Code::NotAllowed,
    Code::SessionNotFound,
    Code::SessionExpired,
    Code::TooManyRequests,
];
/// Whoever may be where the session is not to be used.
const SOMEWHERE: &[Code] = &[Code::LocationBlocked];
/// Whoever has the address of a request to a wallet.
const WALLET: &[Code] = &[
    Code::NotAllowed,
    Code::SessionNotFound,
    Code::StaleContinuation,
    Code::SessionExpired,
    Code::TooManyRequests,
];
/// Whatever has a body.
const BODY: &[Code] = &[Code::InvalidRequest, Code::PayloadTooLarge];
/// Whatever insists on JSON.
const JSON: &[Code] = &[Code::UnsupportedMediaType];
/// Whatever goes on with a method.
const STEPS: &[Code] = &[Code::InvalidStatus, Code::StaleContinuation, Code::ConsentRequired];
/// Whatever is kept.
const ROWS: &[Code] = &[Code::ServiceUnavailable];

/// Declares the rows of the table that operations can answer with, for their document. Everything can break.
macro_rules! refused {
    ($($name:ident: $($codes:expr),+;)*) => {$(
        #[doc = concat!("Refusals of an operation: ", stringify!($name), ".")]
        pub(super) struct $name;

        impl IntoResponses for $name {
            fn responses() -> Responses {
                described(&[$($codes),+, &[Code::InternalError]])
            }
        }
    )*};
}

refused! {
    Creating: BUSINESS, BODY, &[Code::InvalidValidationMethods, Code::IdempotencyKeyReused], JSON, ROWS;
    Reading: BUSINESS, &[Code::SessionNotFound, Code::SessionExpired, Code::SessionNotPending], ROWS;
    ReadingResult: BUSINESS, &[Code::SessionNotFound], ROWS;
    Responding: BUSINESS, BODY, &[Code::SessionNotFound, Code::NotFound], JSON, ROWS;
    Public: ROWS;
    Seeing: PERSON, ROWS;
    Consenting: PERSON, SOMEWHERE, BODY, &[Code::InvalidStatus], ROWS;
    Cancelling: PERSON, BODY, &[Code::InvalidStatus], ROWS;
    Opening: PERSON, SOMEWHERE, BODY, STEPS, &[Code::IdempotencyKeyReused], ROWS;
    Turning: PERSON, SOMEWHERE, BODY, STEPS, ROWS;
    Keeping: PERSON, SOMEWHERE, BODY, &[Code::InvalidStatus, Code::StaleContinuation], ROWS;
    Forgetting: BODY, &[Code::InvalidStatus, Code::StaleContinuation, Code::TooManyRequests], ROWS;
    Proving: PERSON, SOMEWHERE, BODY, &[Code::InvalidStatus], ROWS;
    Reporting: PERSON, BODY, ROWS;
    Listing: &[Code::NotFound], ROWS;
    Beginning: BODY, &[Code::NotAllowed, Code::NotFound, Code::TooManyRequests], ROWS;
    Issuing: PERSON, SOMEWHERE, BODY, &[Code::InvalidStatus], ROWS;
    Fetching: WALLET, ROWS;
    Answering: WALLET, BODY, ROWS;
    Showing: &[Code::SessionNotFound, Code::TooManyRequests];
}

fn described(groups: &[&[Code]]) -> Responses {
    let codes = groups.iter().copied().flatten();
    refusals(codes.map(|code| (code.status(), code.as_str())), "error_code")
}
