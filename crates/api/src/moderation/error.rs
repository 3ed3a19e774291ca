//! How the moderation interface says no.

use crate::http::{
    ApiError, ErrorTable,
    error::{error_codes, refusals},
};
use axum::http::StatusCode;
use base::Measured;
use domain::Violation;
use std::{borrow::Cow, time::Duration};
use utoipa::ToSchema;

error_codes! {
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

/// A refusal of this interface.
pub(crate) type Problem = ApiError<Code>;

/// What is wrong with one member of the request.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Violation)]
pub(crate) struct Wrong<'a> {
    /// The member's path, as `notifications.web_destinations[1]`, or the parameter's name.
    #[schema(value_type = String)]
    property: &'a str,
    /// What is wrong with it.
    #[schema(value_type = String)]
    message: &'a str,
    /// What was measured, where a limit was broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<f64>,
    /// The limit, in words and numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    limit: Option<&'a str>,
}

/// The body of every refusal.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorBody<'a> {
    /// A row of the interface's error table.
    #[schema(value_type = String, example = "NOT_FOUND")]
    code: &'a str,
    /// What went wrong, for a developer.
    #[schema(value_type = String)]
    message: &'a str,
    /// The members of the request that are wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Option<Vec<Wrong<'static>>>)]
    errors: Vec<Wrong<'a>>,
}

impl ErrorTable for Code {
    const ALL: &'static [Self] = Self::ALL;
    const CODE_MEMBER: &'static str = "code";
    const NOT_FOUND: Self = Self::NotFound;
    const MALFORMED_BODY: Self = Self::InvalidRequest;
    const PAYLOAD_TOO_LARGE: Self = Self::PayloadTooLarge;
    const TOO_MANY_REQUESTS: Self = Self::TooManyRequests;
    const INTERNAL: Self = Self::InternalError;
    const UNAVAILABLE: Self = Self::Unavailable;

    type Body<'a> = ErrorBody<'a>;

    fn as_str(self) -> &'static str {
        self.as_str()
    }

    fn status(self) -> StatusCode {
        self.status()
    }

    fn body(error: &ApiError<Self>) -> ErrorBody<'_> {
        let errors = error.violations.iter().map(|violation| Wrong {
            property: &violation.path,
            message: &violation.message,
            measured: violation.measured.as_ref().map(|measured| measured.measured),
            limit: violation.measured.as_ref().map(|measured| measured.limit.as_str()),
        });
        ErrorBody { code: error.code.as_str(), message: &error.message, errors: errors.collect() }
    }

    fn violations(violations: Vec<Violation>) -> ApiError<Self> {
        refuse(Self::InvalidRequest, violations)
    }

    fn idempotency_key_reused() -> Self {
        Self::IdempotencyKeyReused
    }
}

/// Refuses members under a code of their own; the message is the first's.
pub(super) fn refuse(code: Code, violations: Vec<Violation>) -> Problem {
    let message = violations.first().map(ToString::to_string).unwrap_or_default();
    Problem::new(code, message).with_violations(violations)
}

impl ApiError<Code> {
    /// A member that is refused under a code of its own.
    pub(super) fn refused(
        code: Code,
        path: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        measured: Option<Measured>,
    ) -> Self {
        refuse(code, vec![Violation { measured, ..Violation::new(path, message) }])
    }

    /// There is no such thing, or it is somebody else's.
    pub(crate) fn missing(what: &str) -> Self {
        Self::new(Code::NotFound, format!("there is no such {what}"))
    }

    /// Everybody together asks too often.
    pub(crate) fn too_many_of_all(wait: Duration) -> Self {
        let message = "too many people ask at once; try again in a moment";
        Self::new(Code::TooManyRequests, message).with_retry_after(wait)
    }
}

/// Whoever calls.
const CALLER: &[Code] = &[Code::Unauthorized, Code::TooManyRequests, Code::Unavailable];
/// Whatever is about an account, or something in it.
const ACCOUNT: &[Code] = &[Code::NotFound];
/// Whatever has a body.
const BODY: &[Code] = &[Code::InvalidRequest, Code::PayloadTooLarge];
/// Whatever makes something.
const MAKES: &[Code] = &[Code::IdempotencyKeyReused];

refusals! {
    Code;
    Reading: CALLER, ACCOUNT;
    Listing: CALLER, ACCOUNT, &[Code::InvalidRequest];
    Paging: CALLER, ACCOUNT, &[Code::InvalidRequest, Code::PageOutOfRange];
    Writing: CALLER, ACCOUNT, BODY;
    Creating: CALLER, ACCOUNT, BODY, MAKES;
    CreatingUnique: CALLER, ACCOUNT, BODY, MAKES, &[Code::Conflict];
    Opening: CALLER, BODY, MAKES, &[Code::DuplicateAccountName, Code::TooManyAccounts];
    Demoting: CALLER, ACCOUNT, &[Code::LastAdministrator];
    Starting: CALLER, ACCOUNT, BODY, MAKES, &[Code::ContentUnreachable];
    Enrolling: CALLER, ACCOUNT, BODY, MAKES, &[Code::FaceRefused];
    Searching: CALLER, ACCOUNT, BODY, &[Code::FaceRefused];
    SignedIn: CALLER;
    Entering: BODY, &[Code::Unauthorized, Code::Unavailable];
    AskingForLink: BODY, &[Code::Unauthorized, Code::TooManyRequests, Code::Unavailable];
    Leaving: &[Code::Unauthorized, Code::Unavailable];
}
